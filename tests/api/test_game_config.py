"""The game configuration: the contract's example, defaults, and faults that name path and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from livecore import World
from livecore.api.configuration.game_config import GameConfig, load_config, parse_config, stored_config
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.wire import encode

EXAMPLE: Final = """
{
  "name": "Demo",
  "economyMode": "platform",
  "economy": [
    {"key": "gold", "kind": "currency", "public": true},
    {"key": "xp", "kind": "progression", "public": true}
  ],
  "items": [{"key": "potion", "name": "Potion"}],
  "gifting": {
    "enabled": true,
    "cooldownSeconds": 86400,
    "dailySendLimit": null,
    "claimExpirySeconds": 604800,
    "resources": [
      {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": true},
      {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": false}
    ]
  },
  "social": {"maxFriends": 500, "maxOutgoingRequests": 100, "maxBlocks": 500},
  "exchangeRates": {"EUR": "1.08"}
}
"""


def _faults(data: Json) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        parse_config(data)
    fields = caught.value.details["fields"]
    assert isinstance(fields, dict)
    return {path: str(text) for path, text in fields.items()}


def test_the_contracts_example() -> None:
    """Is read as it stands."""
    config = load_config(EXAMPLE)
    assert (config.name, config.platform_managed, config.exchange_rates) == ("Demo", True, {"EUR": "1.08"})
    potion, resource = config.item("potion"), config.gift_resource("currency", "gold")
    assert potion is not None
    assert potion.name == "Potion"
    assert resource is not None
    assert (resource.max_amount, resource.costs_sender) == (100, True)
    assert config.gift_resource("item", "gold") is None


def test_every_section_may_be_left_out() -> None:
    """The defaults are the specification's."""
    config = load_config("{}")
    assert config == GameConfig()
    assert not config.platform_managed
    gifting, social = config.gifting, config.social
    assert (gifting.enabled, gifting.cooldown_seconds, gifting.daily_send_limit, gifting.resources) == (
        False, 86_400, None, (),
    )  # fmt: skip
    assert (social.max_friends, social.max_outgoing_requests, social.max_blocks) == (500, 100, 500)


def test_what_is_written_is_read_back() -> None:
    """A configuration survives its own text."""
    config = load_config(EXAMPLE)
    assert load_config(json.dumps(encode(config))) == config


def test_an_economy_key_is_public_unless_said_otherwise() -> None:
    """And so are the two system keys, which every game has."""
    config = parse_config({"economy": [{"key": "gold"}, {"key": "gems", "public": False}]})
    public = {
        key: entry.public for key in ("gold", "gems", "sessions", "login_streak") if (entry := config.economy_key(key))
    }
    assert public == {"gold": True, "gems": False, "sessions": True, "login_streak": True}
    assert config.economy_key("silver") is None


def test_an_editor_may_name_the_schema() -> None:
    """`$schema` at the top is no fault, in a text and in an object, which stays as it is."""
    text = '{"$schema": "https://example.org/schema.json", "name": "Demo"}'
    data: Json = json.loads(text)
    assert load_config(text) == parse_config(data)
    assert data == json.loads(text)
    assert World(data).game.name == World(text).game.name == "Demo"  # type: ignore[arg-type] # an object


def test_names_that_come_twice_are_told_with_their_paths() -> None:
    """A reader of JSON would keep the last one and say nothing."""
    text = """{
      "name": "One", "gifting": {"enabled": true, "enabled": false},
      "items": [{"key": "potion", "parameters": {"level": 1, "level": 2}}], "name": "Two"
    }"""
    with pytest.raises(ValidationFailed) as caught:
        load_config(text)
    assert caught.value.fields == {
        "name": "is named twice in its object",
        "gifting.enabled": "is named twice in its object",
        "items[0].parameters.level": "is named twice in its object (the entry with key 'potion')",
    }


def test_the_dollar_may_be_written_down_as_one_dollar() -> None:
    """Every rate is in USD, so USD needs no entry, and can have but one."""
    assert parse_config({"exchangeRates": {"USD": "1.00"}}).exchange_rates == {"USD": "1.00"}


def test_what_was_stored_is_not_judged_again() -> None:
    """A later release may refuse more, and still serves the games that there are."""
    text = """{"economy": [{"key": "gold"}], "gifting": {"resources": [
      {"type": "currency", "key": "gold", "maxAmount": 1, "costsSender": true}]}}"""
    assert _faults(json.loads(text))
    assert stored_config(text).gifting.resources[0].costs_sender


@pytest.mark.parametrize("given", ["game.json", "/srv/game.json", "", "[]"])
def test_a_world_says_that_it_takes_no_path(given: str) -> None:
    """It reads no files, and says how to."""
    with pytest.raises(ValidationFailed, match=r"World\(Path\('game.json'\).read_text\(\)\)"):
        World(given)
    with pytest.raises(TypeError, match="takes the configuration itself"):
        World(Path(given))  # type: ignore[arg-type] # the mistake that is tested


@pytest.mark.parametrize(
    ("data", "path", "said"),
    [
        ({"colour": "red"}, "colour", ""),
        ({"economyMode": "both"}, "economyMode", "'studio'"),
        ({"economy": {}}, "economy", "list"),
        ({"economy": [{"kind": "currency"}]}, "economy[0].key", "required"),
        (
            {"economy": [{"key": "gold"}, {"key": "gems", "kind": "coin"}]},
            "economy[1].kind",
            "(the entry with key 'gems')",
        ),
        ({"economy": [{"key": "gold"}, {"key": "gold"}]}, "economy[1].key", "(the entry with key 'gold')"),
        ({"economy": [{"key": "sessions"}]}, "economy[0].key", "(the entry with key 'sessions')"),
        ({"economy": [{"key": "no spaces"}]}, "economy[0].key", "letters"),
        ({"items": [{"key": "potion"}, {"key": "potion"}]}, "items[1].key", "twice"),
        ({"gifting": {"cooldownSeconds": -1}}, "gifting.cooldownSeconds", "from 0"),
        ({"gifting": {"dailySendLimit": 1.5}}, "gifting.dailySendLimit", "integer"),
        ({"gifting": {"claimExpirySeconds": 0}}, "gifting.claimExpirySeconds", "from 1"),
        (
            {"gifting": {"resources": [{"type": "item", "key": "sword", "maxAmount": 1}]}},
            "gifting.resources[0].key",
            "(the entry with key 'sword')",
        ),
        (
            {"economy": [{"key": "gold"}], "gifting": {"resources": [{"type": "item", "key": "gold", "maxAmount": 1}]}},
            "gifting.resources[0].key",
            "'items'",
        ),
        (
            {"gifting": {"resources": [{"type": "currency", "key": "login_streak", "maxAmount": 1}]}},
            "gifting.resources[0].key",
            "service",
        ),
        (
            {
                "items": [{"key": "potion"}],
                "gifting": {"resources": [{"type": "item", "key": "potion", "maxAmount": 1}] * 2},
            },
            "gifting.resources[1].key",
            "on the list twice (the entry with key 'potion')",
        ),
        (
            {
                "economy": [{"key": "gold"}],
                "gifting": {
                    "resources": [{"type": "currency", "key": "gold", "maxAmount": 1, "costsSender": True}],
                },
            },
            "gifting.resources[0].costsSender",
            "must be false where the studio manages the economy",
        ),
        (
            {
                "economy": [{"key": "gold"}],
                "gifting": {"resources": [{"type": "currency", "key": "gold", "maxAmount": 0}]},
            },
            "gifting.resources[0].maxAmount",
            "from 1",
        ),
        ({"purchases": {"maxAmountMinor": 0}}, "purchases.maxAmountMinor", "from 1"),
        ({"$schema": 7}, "$schema", ""),
        ({"items": [{"key": "potion", "$schema": "no"}]}, "items[0].$schema", "known"),
        ({"social": {"maxFriends": True}}, "social.maxFriends", "integer"),
        (
            {"exchangeRates": {"GBP": "1.27", "EUR": 1.08}},
            "exchangeRates.EUR",
            'decimal number in quotes, such as "1.08"',
        ),
        ({"exchangeRates": {"EUR": None}}, "exchangeRates.EUR", "in quotes"),
        ({"exchangeRates": {"EUR": "1.0000000000001"}}, "exchangeRates.EUR", "12 digits before the point and 12 after"),
        ({"exchangeRates": {"EUR": "1000000000000"}}, "exchangeRates.EUR", "12 digits before the point and 12 after"),
        ({"exchangeRates": {"EUR": "0.000000000000"}}, "exchangeRates.EUR", "positive"),
        ({"exchangeRates": {"EUR": "\u0661"}}, "exchangeRates.EUR", "decimal"),
        ({"exchangeRates": {"USD": "1.08"}}, "exchangeRates.USD", "left out"),
        ({"exchangeRates": {"euro": "1.08"}}, "exchangeRates.euro", "three-letter"),
        ({"exchangeRates": {"EUR": "0"}}, "exchangeRates.EUR", "positive"),
        ({"exchangeRates": {"EUR": "1,08"}}, "exchangeRates.EUR", "decimal"),
        ({"identityPool": {"firstWords": [], "secondWords": ["Fox"]}}, "identityPool.firstWords", "members"),
        ({"platforms": ["switch", "switch"]}, "platforms", "twice"),
    ],
)
def test_a_fault_names_path_and_key(data: Json, path: str, said: str) -> None:
    """Where it is, in which entry, and what is wrong."""
    faults = _faults(data)
    assert any(found == path or found.startswith(path) for found in faults), faults
    assert any(said in text for text in faults.values()), faults


def test_all_faults_are_told_at_once() -> None:
    faults = _faults({"name": "", "economy": [{"key": ""}, {"kind": "coin"}], "social": {"maxBlocks": 0}})
    assert set(faults) == {"name", "economy[0].key", "economy[1].key", "economy[1].kind", "social.maxBlocks"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{'name': 'Demo'}", '{"items": [{"key": "a", "parameters": {"b": NaN}}]}',
     '{"items": [{"key": "a", "parameters": {"b": 1e999}}]}', '{"items": [{"key": "a", "parameters": {"b": "\\ud800"}}]}',
     "[" * 100_000],
)  # fmt: skip
def test_what_is_no_configuration_at_all(text: str) -> None:
    """Is refused with a reason, too."""
    with pytest.raises(ValidationFailed):
        load_config(text)
