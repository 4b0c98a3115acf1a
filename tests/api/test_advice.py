"""Advice on a configuration: what is valid and probably not meant. It is shown wherever one reads a difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import load_config, parse_config
from livecore.demo import DEMO
from livecore.kernel.errors import JsonObject
from livecore.kernel.wire.config import Advice
from livecore.starter import STARTER
from livecore.world import World
from tests.worlds import GIFTING, config, world

FREE: JsonObject = {
    "type": "currency", "key": "gold", "maxRequest": 50, "maxDonation": 50,
    "donorReward": [{"type": "currency", "resourceKey": "gems", "amount": 1}],
}  # fmt: skip
PAID: JsonObject = {**FREE, "costsDonor": True}
UNREWARDED: JsonObject = {**FREE, "donorReward": []}


LIMITED: JsonObject = {**GIFTING, "dailyReceiveLimit": 20}


def paths(**changes: object) -> list[str]:
    """The fields of a configuration on which there is advice."""
    return [path for path, _ in advice({"gifting": LIMITED, **changes})]


def advice(changes: Mapping[str, object]) -> list[Advice]:
    """What is said of a configuration, without what only the backend moves (`tests/api/test_useless_values.py`)."""
    found = AREAS.advice_on(parse_config(config(**changes)))
    return [(path, words) for path, words in found if path not in {"economy", "items", "crates"}]


def guilds(*resources: JsonObject, enabled: bool = True) -> JsonObject:
    """Guilds with mutual help by these resources."""
    return cast(JsonObject, {"enabled": enabled, "help": {"resources": list(resources)}})


@pytest.mark.parametrize("text", [DEMO, STARTER], ids=["demo", "starter"])
def test_there_is_no_advice_on_what_we_publish(text: str) -> None:
    """A configuration to start from has nothing that its author did not mean."""
    assert AREAS.advice_on(load_config(text)) == []


def test_players_whom_strangers_may_become() -> None:
    """Until it is decided who registers a player whom the backend has brought."""
    decided: JsonObject = {"privacy": {"strangers": {}}}
    ((path, message),) = AREAS.advice_on(parse_config(decided))
    assert path == "registration.knownPlayers"
    assert "belongs to the first client that registers that id, unless it is 'backend'" in message
    for known_players in ("client", "backend"):
        registration: JsonObject = {"knownPlayers": known_players}
        assert AREAS.advice_on(parse_config({**decided, "registration": registration})) == []


def test_a_status_that_strangers_read() -> None:
    """Until it is decided what strangers see, or where they see no presence that is not shown to them by choice."""
    assert paths(privacy={}) == paths(privacy={"discoverable": False}) == ["privacy.strangers.status"]
    ((_, message),) = advice({"gifting": LIMITED, "privacy": {}})
    assert "free text" in message
    assert "write false" in message
    for decided in ({"strangers": {"status": False}}, {"strangers": {"status": True}}, {"presenceTo": "friends"}):
        assert paths(privacy=decided) == []


def test_players_whom_a_hidden_country_brings_together() -> None:
    """A leaderboard for each country, and lobbies of one country, show what is hidden elsewhere."""
    schedule = {"startsAt": "2026-01-01T00:00:00Z", "everySeconds": 86_400, "durationSeconds": 86_400}
    usual = {"name": "Race", "schedule": schedule, "metrics": [{"key": "points"}]}
    lobby: JsonObject = {"capacity": 2, "fillSeconds": 60}
    matched: JsonObject = {**lobby, "matchBy": ["league", "country"]}
    unmatched: JsonObject = {**lobby, "matchBy": ["league"]}
    events = [
        {**usual, "key": "a", "board": {"by": "segment", "segment": "country"}},
        {**usual, "key": "b", "board": {"by": "segment", "segment": "league"}},
        {**usual, "key": "c", "lobby": matched},
        {**usual, "key": "d", "lobby": unmatched},
    ]
    hidden = {"strangers": {"country": False}}
    assert paths(events=events, privacy=hidden) == ["events[0].board.segment", "events[2].lobby.matchBy[1]"]
    assert paths(events=events, privacy={"strangers": {}}) == []


def test_rewards_for_donations_that_cost_nothing() -> None:
    """One line for each such resource, and none where the donor pays, nothing is rewarded, or guilds are disabled."""
    potion: JsonObject = {**FREE, "type": "item", "key": "potion"}
    assert paths(guilds=guilds(UNREWARDED, potion)) == ["guilds.help.resources[1].donorReward"]
    assert paths(guilds=guilds(FREE, {**PAID, "type": "item", "key": "potion"})) == [
        "guilds.help.resources[0].donorReward"
    ]
    assert paths(guilds=guilds(FREE, enabled=False)) == ["guilds.enabled"]


def test_gifts_that_cost_nothing_and_come_from_anybody() -> None:
    """They are named where a player may receive any number, and not where gifting is disabled or limited."""
    assert paths(gifting={**GIFTING, "dailyReceiveLimit": None}) == ["gifting.dailyReceiveLimit"]
    ((_, message),) = advice({})
    assert "'xp'" in message
    assert "'gold'" not in message
    assert paths(gifting=LIMITED) == []
    assert paths(gifting={**GIFTING, "enabled": False}) == ["gifting.enabled"]
    paid = [{"type": "currency", "key": "gold", "maxAmount": 5, "costsSender": True}]
    assert paths(gifting={"enabled": True, "resources": paid}) == []


def _call(game: World, name: str, **arguments: object) -> JsonObject:
    return game.operator().call(name, **arguments)


def test_a_difference_and_the_settings_show_advice_and_nothing_is_refused() -> None:
    """What stands in the other configuration is shown before it is applied; afterwards it is the game's own."""
    game = world(gifting=LIMITED)
    wanted = config(gifting=LIMITED, guilds=guilds(FREE))
    compared = _call(game, "settings.difference", config=wanted)
    told = cast("list[JsonObject]", compared["advice"])
    (rewards,) = [row for row in told if row["path"] == "guilds.help.resources[0].donorReward"]
    assert "up to 50 rewards for one request" in str(rewards["message"])
    assert compared["objections"] == []
    before = _call(game, "settings.get")["advice"]
    assert rewards not in cast("list[JsonObject]", before)
    _call(game, "settings.apply", config=wanted, version=1)
    assert _call(game, "settings.get")["advice"] == told
    assert _call(game, "settings.getVersion", version=1)["advice"] == before
