"""Advice on values that are allowed and have no effect, in the very words, and that nothing is refused for it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from livecore import ConfigurationAdvice, World
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig, parse_config
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Timestamp

DECIDED: JsonObject = {
    "registration": {"knownPlayers": "client"}, "privacy": {"strangers": {}}, "economy": [{"key": "gold"}],
}  # fmt: skip
SCHEDULE = {"startsAt": "2026-01-01T00:00:00Z", "everySeconds": 86_400, "durationSeconds": 86_400}
GOLD = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
ENDED = "so only a score that passes the target at once reaches it"


def event(**parts: object) -> dict[str, Any]:
    """A configuration with one event."""
    usual = {"key": "race", "name": "Race", "schedule": SCHEDULE, "metrics": [{"key": "points"}]}
    return {"events": [{**usual, **parts}]}


def board(*divisions: dict[str, Any], reset: str = "weekly", **parts: object) -> dict[str, Any]:
    """A configuration with one leaderboard of these divisions."""
    rows = [{"key": str(number), **division} for number, division in enumerate(divisions)]
    return {"leaderboards": [{"key": "league", "name": "League", "reset": reset, "divisions": rows, **parts}]}


def milestone(threshold: int) -> dict[str, Any]:
    """A milestone at a score."""
    return {"key": "far", "threshold": threshold, "entries": GOLD}


def rank(first: int) -> dict[str, Any]:
    """A reward for one rank."""
    return {"from": first, "to": first, "entries": GOLD}


GOAL = {"formation": "open", "size": {"min": 2, "max": 3}, "onComplete": "stop_contributions"}
LOBBY = {"capacity": 4, "fillSeconds": 5}
KINDS: list[tuple[dict[str, Any], str, str]] = [
    (
        board({}, {}, reset="never"), "leaderboards[0].reset",
        "is 'never', so nobody ever changes the division: write 'weekly' or 'monthly', or leave out the divisions",
    ),
    (
        board({"relegate": 1}, {}), "leaderboards[0].divisions[0].relegate",
        "has no effect: there is no division below the first one",
    ),
    (
        board({}, {"promote": 1}), "leaderboards[0].divisions[1].promote",
        "has no effect: there is no division above the last one",
    ),
    (
        board({"promote": 9}, {}, cohortSize=5), "leaderboards[0].divisions[0].promote",
        "is more than the 'cohortSize' of 5, so everybody of a cohort moves",
    ),
    (
        board({}, {"relegate": 9}, cohortSize=5), "leaderboards[0].divisions[1].relegate",
        "is more than the 'cohortSize' of 5, so everybody of a cohort moves",
    ),
    (
        board({"rankRewards": [rank(6)]}, {}, cohortSize=5), "leaderboards[0].divisions[0].rankRewards[0].from",
        "is beyond the 5 players of a cohort, so nobody reaches this rank",
    ),
    (
        event(target=10, milestones=[milestone(11)]), "events[0].milestones[0].threshold",
        f"is beyond the target of 10, {ENDED}",
    ),
    (
        event(target=10, order="asc", metrics=[{"key": "time", "aggregation": "last"}], milestones=[milestone(9)]),
        "events[0].milestones[0].threshold", f"is beyond the target of 10, {ENDED}",
    ),
    (
        event(teams={**GOAL, "goal": {"target": 10, "perMember": True}, "milestones": [milestone(31)]}),
        "events[0].teams.milestones[0].threshold", f"is beyond the target of 30, {ENDED}",
    ),
    (
        event(target=10, metrics=[{"key": "kills"}, {"key": "points"}]), "events[0].score",
        "is left out, so the target counts the first metric, 'kills': name the one that is meant",
    ),
    (
        event(lobby=LOBBY, rankRewards=[rank(5)]), "events[0].rankRewards[0].from",
        "is beyond the 4 seats of a lobby, so nobody reaches this rank",
    ),
    (
        {"gifting": {"resources": [{"type": "currency", "key": "gold", "maxAmount": 1}]}}, "gifting.enabled",
        "is false, as where it is left out, so nobody can give anything: write true",
    ),
    (
        {"guilds": {"maxMembers": 5}}, "guilds.enabled",
        "is false, as where it is left out, so there are no guilds: write true",
    ),
    (
        {"economyMode": "platform", **event(entryCost=GOLD)}, "economy",
        "has what nothing in the configuration gives, so only the backend can: gold",
    ),
    (
        {"economyMode": "platform", **event(completionRewards=GOLD)}, "economy",
        "has what nothing in the configuration takes, so only the backend can: gold",
    ),
    (
        {"economyMode": "platform", **event(completionRewards=GOLD, entryCost=GOLD), "items": [{"key": "hat"}]}, "items",
        "has what nothing in the configuration gives, so only the backend can: hat",
    ),
    (
        {
            "economyMode": "platform", **event(completionRewards=GOLD, entryCost=GOLD),
            "crates": [{"key": "box", "name": "Box", "guaranteed": GOLD}],
        },
        "crates", "has what nothing in the configuration gives, so only the backend can: box",
    ),
]  # fmt: skip
SILENT: list[dict[str, Any]] = [
    {},
    board({"promote": 5}, {"relegate": 5}, cohortSize=5),
    event(target=10, milestones=[milestone(10)]),
    event(target=10, score="points", metrics=[{"key": "kills"}, {"key": "points"}]),
    event(milestones=[milestone(11)], metrics=[{"key": "kills"}, {"key": "points"}]),
    event(lobby=LOBBY, rankRewards=[rank(4)]),
    event(teams={**GOAL, "onComplete": "continue", "goal": {"target": 10}, "milestones": [milestone(31)]}),
    {
        "economyMode": "platform", **event(completionRewards=GOLD, entryCost=GOLD),
        "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
    },
    {
        "economyMode": "platform", "economy": [], "items": [{"key": "hat"}],
        "gifting": {"enabled": True, "resources": [{"type": "item", "key": "hat", "maxAmount": 1, "costsSender": True}]},
    },
]  # fmt: skip
"""Configurations beside those above that are meant."""


@pytest.mark.parametrize(("parts", "path", "words"), KINDS, ids=[f"{path} {words[:30]}" for _, path, words in KINDS])
def test_what_cannot_be_meant_is_told(parts: dict[str, Any], path: str, words: str) -> None:
    """With its path and one sentence, and nothing else is told of the configuration."""
    assert AREAS.advice_on(parse_config({**DECIDED, **parts})) == [(path, words)]


@pytest.mark.parametrize("parts", SILENT)
def test_there_is_no_advice_on_what_is_meant(parts: dict[str, Any]) -> None:
    """The values just beside those that advice is given on."""
    assert AREAS.advice_on(parse_config({**DECIDED, **parts})) == []


@pytest.mark.parametrize("parts", [parts for parts, path, _ in KINDS if not path.isalpha()])
def test_nothing_is_refused_for_advice(parts: dict[str, Any]) -> None:
    """Every such configuration is played, and a world warns of it at the line that made it."""
    with pytest.warns(ConfigurationAdvice) as told:
        made = World({**DECIDED, **parts})
    assert [warning.filename for warning in told] == [__file__]
    assert made.player("alice").player_id


def test_what_is_disabled_gives_and_takes_nothing() -> None:
    """A gift list counts where gifting is enabled."""
    listed: JsonObject = {"resources": [{"type": "currency", "key": "gold", "maxAmount": 1, "costsSender": True}]}
    told = [
        path for path, _ in AREAS.advice_on(parse_config({**DECIDED, "economyMode": "platform", "gifting": listed}))
    ]
    assert told == ["gifting.enabled", "economy", "economy"]


def test_a_world_warns_of_what_its_configuration_has() -> None:
    """What it leaves out, or only the backend gives, is not for a test to decide; `configure` warns as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World({"economyMode": "platform", "economy": [{"key": "gold"}], "items": [{"key": "hat"}]})
        made = World({"economy": [{"key": "gold"}]})
        World(GameConfig())
    with pytest.warns(ConfigurationAdvice, match=r"^guilds.enabled is false"):
        made.configure({"guilds": {"maxMembers": 5}})


@pytest.mark.parametrize(
    ("schedule", "over"),
    [
        ({"windows": [{"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-02T00:00:00Z"}]}, True),
        ({"windows": [{"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-02T00:00:00.001Z"}]}, False),
        ({**SCHEDULE, "until": "2026-01-02T00:00:00Z"}, True),
        ({**SCHEDULE, "until": "2026-01-03T00:00:00Z"}, False),
        (SCHEDULE, False),
    ],
)  # fmt: skip
def test_an_event_of_which_no_window_opens_any_more(schedule: dict[str, Any], over: bool) -> None:
    """It is told where the time is known, as when a configuration is applied, and not of one that is played."""
    parsed = parse_config({**DECIDED, **event(schedule=schedule)})
    told = [("events[0].schedule", "is over, so no window of the event opens any more")]
    assert AREAS.advice_on(parsed, Timestamp.parse("2026-01-02T00:00:00.000Z")) == (told if over else [])
    assert AREAS.advice_on(parsed) == []
