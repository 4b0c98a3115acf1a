"""Shared leaderboards over each of the stores: killed and repeated settlement, scores at once, and what the checker sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import run_due, system_unit
from livecore.economy.grants import GRANTS
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import DAY
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.leaderboards import settlement
from livecore.leaderboards.boards import BOARDS, ENTRIES
from livecore.leaderboards.divisions import MEMBERSHIPS
from livecore.leaderboards.periods import LEADERBOARDS, PERIODS
from livecore.leaderboards.rollover import ROLL
from livecore.leaderboards.rows import SubmitScore
from livecore.leaderboards.scores import submit_as_server
from livecore.leaderboards.settlement import SETTLE
from livecore.players.player import require
from livecore.webhooks.outbox import EVENTS
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, Rows, findings
from tests.competition.games import leaderboard
from tests.competition.shared import divisions, reward
from tests.worlds import config

BOARD = leaderboard(
    divisions=divisions(("bronze", 1, 0), ("silver", 0, 1)),
    cohortSize=3,
    rankRewards=[reward(1, 1, 9), reward(2, 2, 4)],
)
PLAYERS = [f"p{number}" for number in range(8)]


def game_over(store: Rows) -> AddedGame:
    """A game with one leaderboard of divisions and cohorts, and eight players."""
    game = AddedGame(store, config=parse_config({**config(), "leaderboards": [BOARD]}))
    for name in PLAYERS:
        game.register(name)
    return game


def submit(game: AddedGame, name: str, score: int) -> int:
    """Submit a score as a player; gives the rank."""
    said = game.as_player(name, "POST", "/leaderboards/weekly/scores", {"score": score})
    assert said.status == 200, said.json
    return int(said.json["data"]["entry"]["rank"])


def settle_all(game: AddedGame) -> None:
    """Run due work until none is due."""
    while any(work.due_at <= game.now for work in game.rows(DUE)):
        game.run_due()


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over each store."""
    with STORES[request.param](tmp_path) as store:
        yield game_over(store)


def sound(game: AddedGame) -> None:
    """The checker finds nothing, where there is a database to check."""
    if not isinstance(game.store, MemoryStore):
        assert findings(game) == []


def test_weeks_go_by_on_every_store(game: AddedGame) -> None:
    """Cohorts are filled, the best of each moves up, every rank is paid once, and the checker agrees at every step."""
    ranks = [submit(game, name, 10 * number) for number, name in enumerate(PLAYERS)]
    assert ranks == [1] * 8
    sound(game)
    game.now += 7 * DAY
    submit(game, "p2", 1)
    sound(game)
    settle_all(game)
    sound(game)
    boards = {row.board_id: (row.division, row.cohort, row.entry_count) for row in game.rows(BOARDS)}
    assert sorted(boards.values(), key=str) == [
        ("bronze", 1, 3), ("bronze", 2, 3), ("bronze", 3, 2), ("silver", 1, None),
    ]  # fmt: skip
    paid = Counter(boards[row.source_ref_id] for row in game.rows(GRANTS))
    assert paid == {("bronze", 1, 3): 2, ("bronze", 2, 3): 2, ("bronze", 3, 2): 2}
    game.now += 7 * DAY
    settle_all(game)
    assert len(game.rows(GRANTS)) == 7
    assert [row.settled for row in game.rows(LEADERBOARDS)] == [2]
    sound(game)


# -- the settlement, whatever happens to it --------------------------------------------------------------------------------


class Killed(Exception):
    """The process ends here."""


def _killed(work: DueWork, unit: Unit) -> None:
    run_due(unit, work)
    raise Killed


@given(st.lists(st.sampled_from(["step", "killed", "twice", "begun again by a roll"]), max_size=12), st.integers(1, 7))
def test_each_rank_is_paid_once_whatever_happens(events: list[str], rows: int) -> None:
    """Steps of so many rows, killed before they commit, or come to by two with what they saw before."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(settlement, "MOST_ROWS", rows)
        game = game_over(MemoryStore())
        for number, name in enumerate(PLAYERS):
            submit(game, name, number)
        game.now += 15 * DAY
        game.run_due()
        waiting = list(events)
        while (work := next((row for row in game.rows(DUE) if row.kind == SETTLE.kind), None)) is not None:
            happened = waiting.pop() if waiting else "step"
            if happened == "killed":
                with pytest.raises(Killed):
                    game.in_unit(partial(_killed, work))
                continue
            if happened == "begun again by a roll":
                game.in_unit(lambda unit: settlement.begin_settling(unit, "weekly"))
            for _ in range(2 if happened == "twice" else 1):
                game.in_unit(partial(run_due, work=work))
    paid = Counter((row.player_id, row.source_ref_id) for row in game.rows(GRANTS))
    assert len(paid) == 6
    assert set(paid.values()) == {1}
    assert [(row.number, row.status, row.entry_count) for row in game.rows(PERIODS)] == [
        (1, "closed", 8), (2, "closed", 0), (3, "open", 0),
    ]  # fmt: skip
    assert [row.settled for row in game.rows(LEADERBOARDS)] == [2]
    assert not [row for row in game.rows(EVENTS) if row.kind == "leaderboard.period_finalized"]


# -- at once --------------------------------------------------------------------------------------------------------------


def test_scores_at_once_fill_cohorts_and_end_a_period_once(url: str) -> None:
    """Two processes take scores, one after the end of the period: no cohort has more than its size, no score is lost."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0])

        def take(store: Store, numbers: range) -> None:
            def work(tx: Transaction, number: int) -> None:
                unit = system_unit(tx, game.made.game, game.now, f"{number}".encode())
                unit.player_id = require(unit, PLAYERS[number % len(PLAYERS)]).player_id
                submit_as_server(unit, SubmitScore(key="weekly", score=number))

            for number in numbers:
                store.write(game.scope, partial(work, number=number))

        with ThreadPoolExecutor(2) as pool:
            for _ in range(2):
                list(pool.map(take, stores, [range(0, 16, 2), range(1, 16, 2)]))
                game.now += 7 * DAY
        assert [(row.number, row.status) for row in game.rows(PERIODS)] == [(1, "closed"), (2, "open")]
        scores = Counter(row.board_id for row in game.rows(ENTRIES))
        assert max(scores.values()) <= 3
        assert len(game.rows(ENTRIES)) == 16
        assert sorted(row.score for row in game.rows(ENTRIES)) == sorted([*range(8, 16)] * 2)
        assert {row.number for row in game.rows(MEMBERSHIPS)} == {2}
        settle_all(game)
        assert findings(game) == []


# -- what the checker finds ------------------------------------------------------------------------------------------------


def _changed(table: Table[Any], **fields: object) -> Callable[[AddedGame], None]:
    def change(game: AddedGame) -> None:
        row = game.rows(table)[0]
        game.in_unit(lambda unit: unit.tx.put(table, evolve(row, **fields)))

    return change


def _deleted(table: Table[Any], *key: str) -> Callable[[AddedGame], None]:
    return lambda game: game.in_unit(lambda unit: unit.tx.delete(table, *key))


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (_changed(LEADERBOARDS, number=3), "shared_leaderboards"),
        (_changed(LEADERBOARDS, settled=0), "shared_leaderboards"),
        (_deleted(DUE, ROLL, "weekly"), "shared_leaderboards"),
        (_changed(PERIODS, leaderboard_key="other"), "leaderboard_periods"),
        (_changed(PERIODS, status="open"), "leaderboard_periods"),
        (_changed(PERIODS, closed_at=None), "leaderboard_periods"),
        (_changed(PERIODS, settled_at=None), "leaderboard_periods"),
        (_changed(PERIODS, ends_at=0), "leaderboard_periods"),
        (_changed(BOARDS, period_id="weekly:9"), "leaderboards"),
        (_changed(BOARDS, period_id="weekly:2"), "leaderboards"),
        (_changed(BOARDS, entry_count=7), "leaderboards"),
        (_changed(ENTRIES, score=5_000), "leaderboard_entries"),
        (_changed(ENTRIES, board_id="lbd_none"), "leaderboard_entries"),
        (_changed(MEMBERSHIPS, board_id="lbd_none"), "leaderboard_memberships"),
        (_changed(MEMBERSHIPS, number=2), "leaderboard_memberships"),
    ],
)
def test_the_checker_finds_what_must_not_be(tmp_path: Path, harm: Callable[[AddedGame], None], found: str) -> None:
    """Each rule, broken by one row."""
    with STORES["sqlite"](tmp_path) as store:
        game = game_over(store)
        submit(game, "p1", 1)
        game.now += 7 * DAY
        settle_all(game)
        assert findings(game) == []
        harm(game)
        assert found in {table for table, _ in findings(game)}
