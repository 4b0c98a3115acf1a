"""The game configuration: the contract's example, defaults, and faults that name path and key."""

from __future__ import annotations

import json
from typing import Final

import pytest

from livecore.kernel.config import GameConfig, load_config, parse_config
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
    """`$schema` at the top is no fault."""
    assert load_config('{"$schema": "https://example.org/schema.json", "name": "Demo"}').name == "Demo"


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
        ({"social": {"maxFriends": True}}, "social.maxFriends", "integer"),
        ({"exchangeRates": {"EUR": 1.08}}, "exchangeRates", ""),
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
    """Not only the first."""
    faults = _faults({"name": "", "economy": [{"key": ""}, {"kind": "coin"}], "social": {"maxBlocks": 0}})
    assert set(faults) == {"name", "economy[0].key", "economy[1].key", "economy[1].kind", "social.maxBlocks"}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{'name': 'Demo'}"])
def test_what_is_no_configuration_at_all(text: str) -> None:
    """Is refused with a reason, too."""
    with pytest.raises(ValidationFailed):
        load_config(text)
