"""The end of a window: attempts expire, boards are final, ranks are paid, and all of it is the same however it ran."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import run_due
from livecore.economy.grants import GRANTS
from livecore.events import window_closing
from livecore.events.attempt_records import ATTEMPTS
from livecore.events.window_records import WINDOWS
from livecore.events.windows import CLOSE
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.time import MINUTE
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS
from livecore.world import World
from tests.added_game import STORES, AddedGame, findings
from tests.competition.games import event, with_events
from tests.competition.playing import board, board_id, gold, places, score, started
from tests.worlds import Since, ask, config, rows_of

REWARDS = [{"from": 1, "to": 2, "entries": [gold(10)]}, {"from": 4, "to": 5, "entries": [gold(3)]}]
CROWD = 9


def paid(game: World) -> dict[object, object]:
    """What each player was granted for a rank: the amounts of gold."""
    return {
        row["externalPlayerId"]: [entry["amount"] for entry in row["entries"]]  # type: ignore[index,union-attr,call-overload] # JSON
        for row in game.emitted("grant.created")
        if row["sourceKind"] == "event_rank"
    }


def crowded(**fields: Any) -> World:  # noqa: ANN401 - JSON
    """A window with many players, p1 first, of whom one has completed and one made no progress."""
    game = with_events(event(rankRewards=REWARDS, target=100, **fields))
    score(game.player("p1"), 100)
    for number in range(2, CROWD + 1):
        score(game.player(f"p{number}"), 50 - number)
    started(game.player("idle"))
    return game


def test_what_the_end_of_a_window_brings() -> None:
    """Running attempts expire, the board is final, each rank is paid what it wins, and the window closes last."""
    game = crowded()
    id_ = board_id(game)
    game.advance(seconds=20)
    since = Since(game)
    game.advance(minutes=30)
    test = [seen for seen in game.events if seen.environment == "test"]
    assert test[-1].kind == "window.closed"
    assert since.kinds.count("event.expired") == CROWD
    assert paid(game) == {"p1": [10], "p2": [10], "p4": [3], "p5": [3]}
    assert {row.status for row in rows_of(game, ATTEMPTS)} == {"completed", "expired"}
    shown = board(game, id_)
    assert (shown["leaderboard.status"], shown["leaderboard.entryCount"]) == ("finalized", CROWD)
    grants = [row for row in rows_of(game, GRANTS) if row.source_kind == "event_rank"]
    assert {row.source_ref_id for row in grants} == {id_}


def test_the_event_of_a_final_board_has_its_first_ten() -> None:
    """And how many entries it has."""
    game = with_events(event())
    for number in range(12):
        score(game.player(f"p{number}"), 50 - number)
    id_ = board_id(game)
    game.advance(minutes=30)
    (told,) = (seen.data for seen in game.events if seen.kind == "leaderboard.finalized" and seen.environment == "test")
    assert (told["leaderboardId"], told["entryCount"], told["status"]) == (id_, 12, "finalized")
    top = told["topRanks"]
    assert isinstance(top, list)
    assert [(row["rank"], row["externalPlayerId"], row["score"]) for row in top] == places(game, id_, limit=10)  # type: ignore[index,call-overload] # JSON


def test_a_window_without_anybody_closes_too() -> None:
    """Its board is final and empty, and nobody is paid."""
    game = with_events(event(rankRewards=REWARDS))
    game.advance(minutes=30)
    assert [row["entryCount"] for row in game.emitted("leaderboard.finalized", environment="*")] == [0, 0]
    assert (paid(game), len(game.emitted("window.closed", environment="*"))) == ({}, 2)


def test_each_segment_is_paid_for_its_own_ranks() -> None:
    """And each board is told to be final."""
    game = with_events(event(rankRewards=REWARDS, board={"by": "segment", "segment": "league"}))
    for name, league, points in (("a", "gold", 9), ("b", "wood", 1), ("c", "wood", 2), ("d", "wood", 0)):
        score(game.player(name), points, player_context={"league": league})
    game.advance(minutes=30)
    assert paid(game) == {"a": [10], "c": [10], "b": [10]}
    assert len(game.emitted("leaderboard.finalized")) == 2
    assert all(row.finalized_at is not None for row in rows_of(game, BOARDS))


def test_windows_that_were_missed_close_in_order_and_each_pays_once() -> None:
    """Nobody ran due work for hours; the players of the first window are paid for it, and nobody for the others."""
    game = crowded()
    game.now += 5 * 60 * MINUTE
    game.advance(seconds=5)
    assert paid(game) == {"p1": [10], "p2": [10], "p4": [3], "p5": [3]}
    closed = [
        seen.data["startsAt"] for seen in game.events if (seen.kind, seen.environment) == ("window.closed", "test")
    ]
    assert closed == sorted(closed, key=str)
    assert len(closed) == 5


def outcome(game: World) -> dict[str, object]:
    """What a close has come to: attempts, boards, grants and what was told, without the ids and times of the telling."""
    return {
        "attempts": sorted((row.player_id, row.status, row.ends_at, row.sort_key) for row in rows_of(game, ATTEMPTS)),
        "boards": sorted((row.board_id, row.entry_count, row.ends_at) for row in rows_of(game, BOARDS)),
        "grants": sorted((row.player_id, row.source_kind, row.entries) for row in rows_of(game, GRANTS)),
        "windows": sorted((row.window_id, row.status) for row in rows_of(game, WINDOWS)),
        "told": sorted(
            (seen.kind, str(seen.data.get("externalPlayerId")), str(seen.data.get("topRanks")))
            for seen in game.events
            if seen.environment == "test"
        ),
    }


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 11, 12, 50])
def test_the_outcome_is_the_same_in_pieces(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows a step handles."""
    segments: JsonObject = {"by": "segment", "segment": "league"}

    def played() -> World:
        game = crowded(board=segments)
        for number in range(4):
            score(game.player(f"w{number}"), number, player_context={"league": "wood"})
        return game

    whole = played()
    whole.advance(minutes=31)
    monkeypatch.setattr(window_closing, "MOST_ROWS", rows)
    parts = played()
    parts.advance(minutes=31)
    assert outcome(parts) == outcome(whole)


class Killed(Exception):
    """The process ends here."""


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with a crowded event, over each of the stores."""
    declared: JsonObject = {**config(), "events": [event(rankRewards=REWARDS, target=100)]}
    with STORES[request.param](tmp_path) as store:
        made = AddedGame(store, config=parse_config(declared))
        _crowd(made)
        yield made


def _crowd(game: AddedGame) -> None:
    for number in range(1, CROWD + 1):
        name = f"p{number}"
        game.register(name)
        attempt = game.as_player(name, "POST", "/events/race/start", {}).json["data"]["attempt"]
        path = f"/events/race/attempts/{attempt['attemptId']}/progress"
        assert game.as_player(name, "POST", path, {"metrics": {"points": 100 // number}}).status == 200


def _kinds(game: AddedGame) -> list[tuple[str, int]]:
    grants = [row for row in game.rows(GRANTS) if row.source_kind == "event_rank"]
    amounts = sorted(row.entries for row in grants)
    return [(text, amounts.count(text)) for text in sorted(set(amounts))]


@pytest.mark.parametrize("rows", [1, 4])
def test_a_close_that_is_killed_again_and_again_doubles_and_misses_nothing(
    game: AddedGame, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is first run without a commit; after its commit, a second process hands in the same work."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", rows)
    game.now += 30 * MINUTE
    steps = 0
    while (work := _next(game)) is not None:
        with pytest.raises(Killed):
            game.in_unit(partial(_die, work))
        for _ in range(2):
            game.in_unit(partial(run_due, work=work))
        steps += 1
    assert steps > 2
    (window,) = [row for row in game.rows(WINDOWS) if row.starts_at < game.now - MINUTE]
    assert window.status == "closed"
    assert {row.status for row in game.rows(ATTEMPTS)} == {"completed", "expired"}
    assert [count for _, count in _kinds(game)] == [2, 2]
    ranked = sorted(row.player_id for row in game.rows(GRANTS) if row.source_kind == "event_rank")
    assert len(ranked) == len(set(ranked)) == 4
    if not isinstance(game.store, MemoryStore):
        assert findings(game) == []


def _next(game: AddedGame) -> Any:  # noqa: ANN401 - a row of due work
    works = game.store.read(game.scope, lambda tx: due.due(tx, game.now, 1_000))
    return next((work for work in works if work.kind == CLOSE), None)


def _die(work: Any, unit: Any) -> None:  # noqa: ANN401 - as above
    run_due(unit, work=work)
    raise Killed


def test_the_stores_agree_about_a_close(game: AddedGame) -> None:
    """The final board, the grants and the window are as in the rules."""
    game.now += 30 * MINUTE
    for _ in range(10):
        game.run_due()
    (finalized,) = [row for row in game.rows(BOARDS) if row.finalized_at is not None]
    assert finalized.entry_count == CROWD
    assert [count for _, count in _kinds(game)] == [2, 2]
    assert not [work for work in game.rows(DUE) if work.kind == CLOSE]


def test_a_player_who_was_merged_during_the_close_is_paid_as_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one who was erased is not; ranks stay those of the final board."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", 1)
    game = crowded()
    game.now += 30 * MINUTE
    while not game.emitted("leaderboard.finalized"):
        _step(game)
    game.player("heir")
    ask(game.server, "players.merge", external_id="p2", to_external_id="heir")
    ask(game.server, "players.erase", external_id="p4")
    game.advance(seconds=5)
    assert paid(game) == {"p1": [10], "heir": [10], "p5": [3]}


def _step(game: World) -> None:
    scope = game.scopes[0]
    works = game.store.read(scope, lambda tx: due.due(tx, game.now, 1_000))
    work = next(work for work in works if work.kind == CLOSE)
    game.unit_of_work(partial(run_due, work=work), scope)


def test_nothing_of_a_window_changes_while_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first step on, starts and progress are refused or belong to the next window."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", 1)
    game = crowded()
    held = started(game.player("late"))
    game.now += 30 * MINUTE
    while _window(game).status != "closed":
        late = game.player("late")
        reply = ask(late, "events.progress", key="race", attempt_id=held, metrics={"points": 99})
        assert reply.refusal == (409, "attempt_not_in_progress")
        assert ask(game.player("newcomer"), "events.start", key="race").refusal == (409, "event_not_active")
        _step(game)
    assert paid(game) == {"p1": [10], "p2": [10], "p4": [3], "p5": [3]}


def _window(game: World) -> Any:  # noqa: ANN401 - a window
    return min(rows_of(game, WINDOWS), key=lambda row: row.starts_at)
