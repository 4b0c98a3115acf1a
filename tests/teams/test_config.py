"""What an event may say of its teams, and what contradicts itself."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.kernel.errors import JsonObject, ValidationFailed
from tests.competition.games import event
from tests.competition.playing import gold
from tests.worlds import config

_OPEN: Final[dict[str, Any]] = {"formation": "open", "size": {"max": 3}}
_TIN: Final[JsonObject] = {"type": "currency", "resourceKey": "tin", "amount": 1}
_FIRST: Final[JsonObject] = {"from": 1, "to": 1, "entries": []}


@pytest.mark.parametrize(
    ("teams", "path"),
    [
        ({"formation": "open"}, "size"),
        ({"formation": "external"}, "size"),
        ({"formation": "closed", "size": {"max": 3}}, "formation"),
        ({**_OPEN, "size": {"max": 0}}, "size.max"),
        ({**_OPEN, "size": {"max": 201}}, "size.max"),
        ({**_OPEN, "size": {"min": 4, "max": 3}}, "size.min"),
        ({"formation": "external", "size": {"max": 10_001}}, "size.max"),
        ({"formation": "partner", "size": {"max": 3}}, "size.max"),
        ({**_OPEN, "goal": {}}, "goal.target"),
        ({**_OPEN, "goalRewards": [gold(1)]}, "goalRewards"),
        ({**_OPEN, "goal": {"target": 1}, "goalRewards": [_TIN]}, "goalRewards[0].resourceKey"),
        ({**_OPEN, "milestones": [{"key": "m", "threshold": 1, "entries": [_TIN]}]}, "milestones[0].entries[0].resourceKey"),
        ({**_OPEN, "milestones": [{"key": "m", "threshold": 1}, {"key": "m", "threshold": 2}]}, "milestones[1].key"),
        ({**_OPEN, "rankRewards": [_FIRST], "board": False}, "rankRewards"),
        ({**_OPEN, "rankRewards": [_FIRST, _FIRST]}, "rankRewards[1].from"),
        ({**_OPEN, "onLeave": "forget"}, "onLeave"),
        ({**_OPEN, "onComplete": "explode"}, "onComplete"),
        ({**_OPEN, "inviteSeconds": 0}, "inviteSeconds"),
        ({**_OPEN, "color": "red"}, "color"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(teams: dict[str, Any], path: str) -> None:
    """With the path of what is wrong."""
    with pytest.raises(ValidationFailed) as refused:
        parse_config({**config(), "events": [event(teams=teams)]})
    assert f"events[0].teams.{path}" in refused.value.fields, refused.value.fields


@pytest.mark.parametrize(
    ("teams", "seats"),
    [
        ({"formation": "partner"}, (2, 2)),
        ({"formation": "partner", "size": {"min": 1, "max": 2}}, (1, 2)),
        (_OPEN, (1, 3)),
        ({"formation": "external", "size": {"min": 5, "max": 10_000}}, (5, 10_000)),
    ],
)
def test_how_large_teams_are(teams: JsonObject, seats: tuple[int, int]) -> None:
    """A pair has two seats without a word."""
    read: Any = parse_config({**config(), "events": [event(teams=teams)]})
    rules = read.events[0].teams
    assert (rules.seats.min, rules.seats.max) == seats
    assert (rules.on_leave, rules.on_complete, rules.board, rules.invite_seconds) == (
        "keep_contribution", "continue", True, 86_400,
    )  # fmt: skip
