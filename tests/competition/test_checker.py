"""What `livecore check` finds in attempts and boards: nothing after play, and each fault that is planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from livecore.events.attempt_ending import EXPIRE
from livecore.events.attempt_records import ATTEMPTS, PROGRESS
from livecore.events.window_records import WINDOWS
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS, BY_RANK, ENTRIES
from livecore.leaderboards.reconciliation import RANKED
from livecore.world import World
from tests.commerce.shop import Looking
from tests.competition.games import event, with_events
from tests.player_tools.soundness import faults_in, faults_of
from tests.worlds import ask, scope_of


@pytest.fixture
def game() -> World:
    """Three players with attempts of ten minutes, one of which has completed."""
    made = with_events(event(target=100, attempts={"durationSeconds": 600, "maxPerWindow": 2}))
    made.advance(seconds=1)
    for name, points in (("ann", 30), ("bea", 20), ("cid", 100)):
        player = made.player(name)
        attempt_id = ask(player, "events.start", key="race")["attempt.attemptId"]
        for step in (points - 5, 5):
            ask(player, "events.progress", key="race", attempt_id=attempt_id, metrics={"points": step})
    return made


def test_a_world_that_was_played_in_is_sound(game: World) -> None:
    """While the window is open, and after it has closed."""
    assert faults_of(game) == []
    game.advance(hours=2)
    assert faults_of(game) == []


def _changed(table: Any, **fields: object) -> Callable[[dict[str, list[Any]]], None]:  # noqa: ANN401 - any table
    """Changes the first row of a table."""

    def plant(rows: dict[str, list[Any]]) -> None:
        rows[table.name][0] = evolve(rows[table.name][0], **fields)

    return plant


def _gone(table: Any, chosen: Callable[[Any], bool] = lambda _: True) -> Callable[[dict[str, list[Any]]], None]:  # noqa: ANN401 - any table
    """Takes the rows of a table that are chosen, at most one."""

    def plant(rows: dict[str, list[Any]]) -> None:
        rows[table.name].remove(next(row for row in rows[table.name] if chosen(row)))

    return plant


@pytest.mark.parametrize(
    ("plant", "problem"),
    [
        (_gone(WINDOWS), "belongs to a window that does not exist"),
        (_gone(BOARDS), "belongs to a board that does not exist"),
        (_gone(PROGRESS), "has 2 reports of progress, and 1 are stored"),
        (
            _changed(PROGRESS, given=JsonText('{"points":7}')),
            "has other metrics than its reports of progress add up to",
        ),
        (_changed(PROGRESS, given=JsonText('{"laps":7}')), "has other metrics than its reports of progress add up to"),
        (_changed(ATTEMPTS, sort_key=7), "is sorted by something else than its score"),
        (_changed(ATTEMPTS, score=None), "is on a board without a score"),
        (_gone(ENTRIES), "has a score, and the player has no entry on the board"),
        (_changed(ENTRIES, score=7, sort_key=-7), "has another score than the entry that shows it"),
        (_changed(ENTRIES, score=7, sort_key=-7), "is better than the attempt that is on the board"),
        (_gone(DUE, lambda work: work.kind == EXPIRE), "is in progress and will not expire"),
        (_changed(WINDOWS, status="closed", closed_at=1), "is in progress in a window that is closed"),
    ],
)
def test_each_fault_is_found(game: World, plant: Callable[[dict[str, list[Any]]], None], problem: str) -> None:
    """The finding names the table and the row."""
    game.flush()
    dump = game.store.dump()
    rows = dump[scope_of(game).id]
    for table in (PROGRESS, ATTEMPTS, ENTRIES):
        rows[table.name].sort(key=lambda row: getattr(row, "player_id", "") + getattr(row, "attempt_id", ""))
    plant(rows)
    if "better than" in problem:
        rows[ENTRIES.name][0] = evolve(rows[ENTRIES.name][0], attempt_id=None)
    found = faults_in(dump)
    assert any(problem in finding for finding in found), found


def test_a_board_that_a_store_gives_in_another_order_is_found(game: World) -> None:
    """As a damaged index would: the comparison with a full sort names the first rank that differs."""

    class Disordered(Looking):
        def scan(self, scan: Scan[Any]) -> list[Any]:
            rows = super().scan(scan)
            return [*rows[:1], *reversed(rows[1:])] if scan.index is BY_RANK else rows

    class Short(Looking):
        def scan(self, scan: Scan[Any]) -> list[Any]:
            rows = super().scan(scan)
            return rows[:-1] if scan.index is BY_RANK else rows

    tables = game.store.reader(scope_of(game))._tables
    found = {
        kind.__name__: [finding.problem for finding in RANKED.check(lambda: kind(tables), lambda _: None, Counter())]  # noqa: B023 - used at once
        for kind in (Looking, Disordered, Short)
    }
    assert found == {
        "Looking": [],
        "Disordered": ["gives another entry at rank 2 than a full sort does"],
        "Short": ["gives 2 entries in order, and has 3"],
    }
