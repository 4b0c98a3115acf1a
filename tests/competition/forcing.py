"""Attempts in every state, and what the studio's members do to them."""

from __future__ import annotations

import json
from typing import Final

from livecore.economy.grants import GRANTS
from livecore.events.attempt_records import ATTEMPTS
from livecore.events.window_records import WINDOWS
from livecore.kernel.storage.records import evolve
from livecore.world import World, WorldPlayer
from tests.competition.games import event
from tests.competition.playing import attempt_row, board_id, gold, score, started
from tests.worlds import Reply, ask, put, rows_of

_MILESTONES: Final = [
    {"key": "half", "threshold": 50, "entries": [gold(1)]},
    {"key": "most", "threshold": 90, "entries": [gold(2)]},
    {"key": "bare", "threshold": 95},
]
PAYING: Final[dict[str, object]] = {
    "target": 100, "milestones": _MILESTONES, "completionRewards": [gold(5)], "attempts": {"maxPerWindow": None},
    "rankRewards": [{"from": 1, "to": 1, "entries": [gold(100)]}],
}  # fmt: skip
RACE: Final = event("race", **PAYING)
DOWN: Final = event(
    metrics=[{"key": "lap", "aggregation": "lowest"}], order="asc", target=10, completionRewards=[gold(5)],
    milestones=[{"key": "near", "threshold": 40, "entries": [gold(1)]},
                {"key": "nearer", "threshold": 20, "entries": [gold(2)]}],
    attempts={"maxPerWindow": None},
)  # fmt: skip


def force(here: World, attempt_id: str, score: int | None = None, **more: object) -> Reply:
    """Complete an attempt as the owner of the studio."""
    given = {} if score is None else {"score": score}
    return ask(here.operator(), "attempts.forceComplete", attempt_id=attempt_id, reason="it hung", **given, **more)


def roll(here: World, attempt_id: str, **more: object) -> Reply:
    """Grant what an attempt has won as the owner of the studio."""
    return ask(here.operator(), "attempts.retryRewardRoll", attempt_id=attempt_id, **more)


def paid(here: World) -> list[tuple[str, int]]:
    """What was granted for attempts: for what, and how much gold."""
    rows = [row for row in rows_of(here, GRANTS) if row.source_kind in {"event_milestone", "event_completion"}]
    return sorted((row.source_kind, json.loads(row.entries)[0]["amount"]) for row in rows)


def running(_: World, anna: WorldPlayer) -> str:
    """In progress, with a score."""
    return score(anna, 60)


def untouched(_: World, anna: WorldPlayer) -> str:
    """In progress, without any progress."""
    return started(anna)


def completed(_: World, anna: WorldPlayer) -> str:
    """Completed by play."""
    return score(anna, 100)


def forced(here: World, anna: WorldPlayer) -> str:
    """Completed by a member."""
    attempt_id = score(anna, 10)
    assert force(here, attempt_id).status == 200
    return attempt_id


def out_of_time(here: World, anna: WorldPlayer) -> str:
    """Its own time is over, and the due work that notes it has not run."""
    attempt_id = score(anna, 10)
    put(here, ATTEMPTS, evolve(attempt_row(here, attempt_id), ends_at=here.now))
    return attempt_id


def window_over(here: World, anna: WorldPlayer) -> str:
    """The window has ended, and its close has not begun."""
    attempt_id = score(anna, 10)
    (window,) = rows_of(here, WINDOWS)
    put(here, WINDOWS, evolve(window, ends_at=here.now))
    return attempt_id


def swept(here: World, anna: WorldPlayer) -> str:
    """Expired, as due work has noted."""
    attempt_id = score(anna, 10)
    here.advance(minutes=30)
    return attempt_id


def taken_off(here: World, anna: WorldPlayer) -> str:
    """Completed, and then taken off the leaderboard."""
    attempt_id = score(anna, 100)
    ask(here.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=board_id(here))
    return attempt_id
