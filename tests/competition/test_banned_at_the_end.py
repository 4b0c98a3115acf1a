"""Who is banned when a board's time ends is left out of it: ranks close up, and all that follows from ranks agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import run_due
from livecore.economy.grants import GRANTS
from livecore.events import window_closing
from livecore.events.window_records import WINDOWS
from livecore.events.windows import CLOSE
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key, Table, Value
from livecore.kernel.time import MINUTE
from livecore.kernel.units import due
from livecore.leaderboards import entering as entering_module
from livecore.leaderboards import settlement
from livecore.leaderboards.boards import BOARDS, ENTRIES
from livecore.leaderboards.periods import PERIODS
from livecore.world import World
from tests.added_game import STORES, AddedGame, findings, headers_for
from tests.commerce.shop import found_wrong
from tests.competition.games import event, leaderboard, with_events
from tests.competition.playing import board, board_id, gold, places, progress, score
from tests.competition.shared import board_of, divisions, ranks, reward, shared, shown, with_boards
from tests.competition.shared import score as submit
from tests.worlds import ask, ban, config, put, rows_of

REWARDS: list[Any] = [{"from": rank, "to": rank, "entries": [gold(10 * (5 - rank))]} for rank in (1, 2, 3)]


def paid(game: World) -> list[tuple[object, object]]:
    """Who was granted how much gold for ranks, in order."""
    rows: list[Any] = game.emitted("grant.created")
    return sorted((row["externalPlayerId"], row["entries"][0]["amount"]) for row in rows)


def unban(game: World, name: str) -> None:
    """Lift a ban."""
    assert ask(game.server, "players.unban", external_id=name).status == 200


def five(**fields: Any) -> World:  # noqa: ANN401 - JSON
    """A window with five players, a the first."""
    game = with_events(event(rankRewards=REWARDS, **fields))
    for place, name in enumerate("abcde"):
        score(game.player(name), 50 - place)
    return game


def test_ranks_close_up_and_everything_agrees() -> None:
    """The page, the players' ranks, the rewards, the number of entries and the webhook; until then the entries stand."""
    game = five()
    id_ = board_id(game)
    for name in "ab":
        ban(game.player(name))
    assert [name for _, name, _ in places(game, id_)] == list("abcde")
    attempt_id = ask(game.player("a"), "events.listAttempts", key="race")["attempts.0.attemptId"]
    assert ask(game.player("a"), "events.getAttempt", key="race", attempt_id=attempt_id)["rank"] == 1
    game.advance(minutes=30)
    assert places(game, id_) == [(1, "c", 48), (2, "d", 47), (3, "e", 46)]
    assert board(game, id_)["leaderboard.entryCount"] == 3
    assert paid(game) == [("c", 40), ("d", 30), ("e", 20)]
    assert ask(game.player("a"), "events.getAttempt", key="race", attempt_id=attempt_id)["rank"] is None
    (told,) = (row for row in game.emitted("leaderboard.finalized") if row["leaderboardId"] == id_)
    top: Any = told["topRanks"]
    assert ([row["externalPlayerId"] for row in top], told["entryCount"]) == (["c", "d", "e"], 3)
    assert found_wrong(game) == []


def test_who_is_forgiven_before_the_end_is_ranked() -> None:
    """Also where the player scored on, or came on the board, in between; who is banned again is left out."""
    game = five()
    attempts = {name: ask(game.player(name), "events.list")["events.0.attempt.attemptId"] for name in "ab"}
    for name in "ab":
        ban(game.player(name))
        unban(game, name)
        assert progress(game.player(name), attempts[name], points=1).status == 200
    ban(game.player("b"))
    game.advance(minutes=30)
    assert paid(game) == [("a", 40), ("c", 30), ("d", 20)]


def test_a_ban_of_an_earlier_release_is_noted_when_the_player_is_banned_again() -> None:
    """Whose entry does not say it yet; the ban itself does not change."""
    game = five()
    ban(game.player("a"))
    (entry,) = (row for row in rows_of(game, ENTRIES) if row.banned_at is not None)
    put(game, ENTRIES, evolve(entry, banned_at=None))
    ban(game.player("a"))
    game.advance(minutes=30)
    assert [name for name, _ in paid(game)] == ["b", "c", "d"]


def test_a_ban_looks_at_no_window_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor at a period: however often the player has played, what is final costs no more than the read of its board."""
    boards = [leaderboard("fed", source="event", event="race", aggregation="sum")]
    game = with_events(event(), leaderboards=boards)
    for _ in range(3):
        score(game.player("anna"), 5)
        game.advance(days=7)
    score(game.player("anna"), 5)
    allowed = {WINDOWS.key_of(row) for row in rows_of(game, WINDOWS) if row.status == "active"}
    allowed |= {PERIODS.key_of(row) for row in rows_of(game, PERIODS) if row.status == "open"}
    read: list[Key] = []

    def noted(tx: Transaction, table: Table[Any], *key: Value) -> object:
        if table in {WINDOWS, PERIODS}:
            read.append(key)
        return get(tx, table, *key)

    get = Transaction.get
    monkeypatch.setattr(Transaction, "get", noted)
    ban(game.player("anna"))
    assert {key for key in read if key not in allowed} == set()
    assert len(set(read)) == 2
    assert [row.banned_at is not None for row in rows_of(game, ENTRIES)].count(True) == 2


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("meanwhile", [True, False])
def test_what_happens_after_the_end_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, rows: int, *, meanwhile: bool
) -> None:
    """A ban that comes, or is lifted, between the end and the close or between two steps of it, and steps of any size."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", rows)
    game = five()
    id_ = board_id(game)
    for name in "ab":
        ban(game.player(name))
    game.now += 30 * MINUTE
    changes: Iterator[Callable[[], object]] = iter(
        [
            partial(unban, game, "a"),
            partial(ban, game.player("c")),
            partial(unban, game, "b"),
            partial(ban, game.player("d")),
        ]
    )
    scope = game.scopes[0]
    while (work := _closing(game.store.read(scope, lambda tx: due.due(tx, game.now, 1_000)))) is not None:
        if meanwhile:
            next(changes, lambda: None)()
        game.unit_of_work(partial(run_due, work=work), scope)
    assert places(game, id_) == [(1, "c", 48), (2, "d", 47), (3, "e", 46)]
    assert paid(game) == [("c", 40), ("d", 30), ("e", 20)]
    assert found_wrong(game) == []


def _closing(works: list[Any]) -> Any:  # noqa: ANN401 - a row of due work
    return next((work for work in works if work.kind == CLOSE), None)


class Killed(Exception):
    """The process ends here."""


def _die(work: Any, unit: Any) -> None:  # noqa: ANN401 - as above
    run_due(unit, work=work)
    raise Killed


@pytest.mark.parametrize("kind", sorted(STORES))
def test_a_close_that_is_killed_leaves_out_the_same_on_every_store(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step first runs without a commit, and a second process hands the same work in after it."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", 1)
    declared: JsonObject = {**config(), "events": [event(rankRewards=REWARDS)]}
    with STORES[kind](tmp_path) as store:
        game = AddedGame(store, config=parse_config(declared))
        for place, name in enumerate("abcde"):
            game.register(name)
            attempt = game.as_player(name, "POST", "/events/race/start", {}).json["data"]["attempt"]
            path = f"/events/race/attempts/{attempt['attemptId']}/progress"
            assert game.as_player(name, "POST", path, {"metrics": {"points": 50 - place}}).status == 200
        for name in "ad":
            said = game.ask(
                "POST", f"/server/v1/players/{name}/ban", {"reason": "cheat"}, headers=headers_for(game.key("server"))
            )
            assert said.status == 200, said.json
        game.now += 30 * MINUTE
        while (work := _closing(game.store.read(game.scope, lambda tx: due.due(tx, game.now, 1_000)))) is not None:
            with pytest.raises(Killed):
                game.in_unit(partial(_die, work))
            for _ in range(2):
                game.in_unit(partial(run_due, work=work))
        grants = [row for row in game.rows(GRANTS) if row.source_kind == "event_rank"]
        assert len(grants) == len({row.player_id for row in grants}) == 3
        assert [row.entry_count for row in game.rows(BOARDS) if row.finalized_at is not None] == [3]
        standing = sorted(row.score for row in game.rows(ENTRIES) if row.sort_key is not None)
        assert standing == [46, 48, 49]
        if not isinstance(store, MemoryStore):
            assert findings(game) == []


def test_a_lobby_that_closes_early_leaves_out_who_is_banned() -> None:
    """Its session ends by a target; the board is final at once."""
    arena = event(
        lobby={"capacity": 3, "fillSeconds": 60},
        session={"triggers": [{"label": "won", "type": "first_to_target"}], "resolution": "close"},
        target=10,
        rankRewards=REWARDS,
    )
    game = with_events(arena)
    for name in "abc":
        ask(game.player(name), "events.start", key="race")
    attempts = {name: ask(game.player(name), "events.start", key="race")["attempt.attemptId"] for name in "abc"}
    for name, points in (("a", 9), ("b", 8)):
        progress(game.player(name), attempts[name], points=points)
    ban(game.player("a"))
    progress(game.player("c"), attempts["c"], points=10)
    assert paid(game) == [("b", 30), ("c", 40)]
    assert found_wrong(game) == []


@pytest.mark.parametrize(("source", "target", "left"), [("a", "f", "bcde"), ("f", "a", "bcde"), ("b", "a", "cde")])
def test_a_merge_takes_the_ban_over(source: str, target: str, left: str) -> None:
    """Whether the ban or the entry was the source's, or both had entries."""
    game = five()
    game.player("f")
    ban(game.player(source))
    assert ask(game.server, "players.merge", external_id=source, to_external_id=target).status == 200
    game.advance(minutes=30)
    assert [name for name, _ in paid(game)] == list(left[:3])
    assert found_wrong(game) == []


# -- shared leaderboards --------------------------------------------------------------------------------------------------


def roll(game: World) -> None:
    """End the present period."""
    assert ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")["rolledOver"] is True


def test_a_period_leaves_out_who_is_banned_at_its_end() -> None:
    """The last period's page, its rewards and its webhook."""
    game = shared(rankRewards=[reward(1, 1, 9), reward(2, 2, 5)])
    for name, points in (("a", 9), ("b", 8), ("c", 7)):
        submit(name, points, world=game)
    ban(game.player("a"))
    assert [name for _, name, _ in shown(game)] == ["a", "b", "c"]
    rolled = ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")
    assert (rolled["rolledOver"], rolled["entryCount"]) == (True, 2)
    unban(game, "a")
    assert shown(game, period="previous") == [(1, "b", 8), (2, "c", 7)]
    assert paid(game) == [("b", 9), ("c", 5)]
    (told,) = (row for row in game.emitted("leaderboard.period_finalized") if row["entryCount"])
    top: Any = told["topRanks"]
    assert ([row["externalPlayerId"] for row in top], told["entryCount"]) == (["b", "c"], 2)
    submit("a", 3, world=game)
    assert shown(game) == [(1, "a", 3)]
    assert found_wrong(game) == []


@pytest.mark.parametrize("most_read", [0, 200])
@pytest.mark.parametrize("settled", [True, False])
def test_others_move_as_if_they_had_not_been_there(
    monkeypatch: pytest.MonkeyPatch, most_read: int, *, settled: bool
) -> None:
    """Up and down, also for who enters the next period before the boards of the last one are settled."""
    monkeypatch.setattr(entering_module, "_MOST_READ", most_read)
    game = shared(divisions=divisions(("low", 9, 0), ("mid", 1, 1), ("top", 0, 0)))
    names = "abcdef"
    for name in names:
        submit(name, 1, world=game)
    roll(game)
    for place, name in enumerate(names):
        submit(name, 10 - place, world=game)
    for name in "af":
        ban(game.player(name))
    if not settled:
        monkeypatch.setattr("livecore.leaderboards.rollover._STEPS_AT_ONCE", 0)
    roll(game)
    stands = {
        name: ask(game.player(name), "leaderboards.getOwn", key="weekly")["leaderboard.division"] for name in names
    }
    assert stands == {"a": "mid", "b": "top", "c": "mid", "d": "mid", "e": "low", "f": "mid"}


def test_many_are_left_out_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step handles at most so many rows, and the period is settled all the same."""
    monkeypatch.setattr(settlement, "MOST_ROWS", 2)
    game = shared(rankRewards=[reward(1, 3, 9)])
    for number in range(9):
        submit(f"p{number}", 9 - number, world=game)
    for number in range(7):
        ban(game.player(f"p{number}"))
    game.advance(days=1)
    assert ranks(board_of(game, period="previous")) == [(1, "p7", 2), (2, "p8", 1)]
    assert [name for name, _ in paid(game)] == ["p7", "p8"]
    assert found_wrong(game) == []


def test_a_score_of_the_backend_for_a_banned_player_is_left_out_too() -> None:
    """It is taken, and the period ends without it."""
    game = with_boards(leaderboard(source="server", rankRewards=[reward(1, 1, 9)]))
    for name, points in (("a", 9), ("b", 8)):
        game.player(name)
        if name == "a":
            ban(game.player(name))
        assert ask(game.server, "leaderboards.submit", external_id=name, key="weekly", score=points).status == 200
    roll(game)
    assert paid(game) == [("b", 9)]


def test_an_entry_that_a_close_has_forgotten_is_found() -> None:
    """A final board on which a banned player still stands."""
    game = five()
    game.advance(minutes=30)
    entry = rows_of(game, ENTRIES)[0]
    put(game, ENTRIES, evolve(entry, banned_at=1))
    assert "is of a player who was banned, on a board that is final" in str(found_wrong(game))
