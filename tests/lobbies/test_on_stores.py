"""Lobbies over each of the stores: the same rows everywhere, and many players at once in two processes."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.events.attempt_records import ATTEMPTS
from livecore.events.rows import StartAttempt
from livecore.events.starting import start
from livecore.kernel.storage import memory
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import SECOND
from livecore.leaderboards.boards import BOARDS, ENTRIES
from livecore.lobbies.leaving import leave
from livecore.lobbies.lobby import BOTS, LOBBIES, SEATS
from livecore.lobbies.rows import LeaveLobby
from livecore_server.storage.database import store_at
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.executor import PostgresExecutor
from tests.added_game import STORES, AddedGame, Rows, findings
from tests.at_once import as_player, at_once
from tests.competition.games import event
from tests.lobbies.groups import BOTS as RULES
from tests.postgres.server import ready_database
from tests.worlds import config

_MANY: Final = 64
_SEATS: Final = 8
_SESSION: Final = {"triggers": [{"label": "won", "type": "first_to_target"}]}
_NAMES: Final = [f"p{number}" for number in range(_MANY)]


def game_over(store: Rows, *names: str, capacity: int = _SEATS, **fields: Any) -> AddedGame:  # noqa: ANN401 - JSON
    """A game whose event is played in lobbies, and players."""
    race = event(lobby={"capacity": capacity, "fillSeconds": 60, "bots": RULES}, **fields)
    game = AddedGame(store, config=parse_config({**config(), "events": [race]}))
    for name in names:
        game.register(name)
    return game


def begin(unit: Any) -> object:  # noqa: ANN401 - a unit of work
    """Start an attempt."""
    return start(unit, StartAttempt(key="race"))


def test_every_store_keeps_the_same(tmp_path: Path) -> None:
    """The same requests give the same answers and rows, through the timeout, the bots' moves and the close."""
    rows: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            game = game_over(
                store, "anna", "bert", target=50, session={"triggers": [{"label": "won", "type": "first_to_target"}]}
            )
            answers = [game.as_player(who, "POST", "/events/race/start", {}).json for who in ("anna", "bert")]
            lobby = answers[0]["error"]["details"]["lobbyId"]
            answers.append(game.as_player("bert", "POST", f"/lobbies/{lobby}/leave", {}).json)
            game.now += 60 * SECOND
            game.run_due()
            begun = game.as_player("anna", "POST", "/events/race/start", {}).json
            attempt = begun["data"]["attempt"]["attemptId"]
            game.now += 30 * SECOND
            body = {"metrics": {"points": 60}}
            answers += [begun, game.as_player("anna", "POST", f"/events/race/attempts/{attempt}/progress", body).json]
            game.now += 3_600 * SECOND
            game.run_due()
            tables = (LOBBIES, SEATS, BOTS, BOARDS, ENTRIES, ATTEMPTS)
            rows[name] = [answers, *(sorted(map(repr, game.rows(table))) for table in tables)]
            if name != "memory":
                assert findings(game) == []
    assert rows["sqlite"] == rows["memory"]
    assert rows["postgres"] == rows["memory"]


# -- at once --------------------------------------------------------------------------------------------------------------


def test_a_lobby_is_never_overfilled(url: str) -> None:
    """64 start in two processes at once: each sits in one lobby, and every lobby has its eight."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], *_NAMES)
        assert at_once(game, stores, _NAMES, begin) == {"done": _MANY}
        assert sorted(row.players for row in game.rows(LOBBIES)) == [_SEATS] * (_MANY // _SEATS)
        assert len({row.player_id for row in game.rows(SEATS)}) == _MANY
        assert {row.status for row in game.rows(LOBBIES)} == {"active"}
        # The last of each lobby has begun already; now the others do.
        assert at_once(game, stores, _NAMES, begin) == {"done": _MANY}
        assert sorted(Counter(row.lobby_id for row in game.rows(ATTEMPTS)).values()) == [_SEATS] * (_MANY // _SEATS)
        assert findings(game) == []


def test_one_player_sits_once_however_often_they_start(url: str) -> None:
    """At once, in two processes."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], "anna")
        assert at_once(game, stores, ["anna"] * 16, begin) == {"done": 16}
        assert [(row.players, row.status) for row in game.rows(LOBBIES)] == [(1, "forming")]
        assert len(game.rows(SEATS)) == 1
        assert findings(game) == []


def test_all_leave_at_once(url: str) -> None:
    """The lobby ends once, and nobody is left in it."""
    names = _NAMES[: _SEATS - 1]
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], *names)
        at_once(game, stores, names, begin)
        (lobby,) = game.rows(LOBBIES)
        left = at_once(game, stores, names, lambda unit: leave(unit, LeaveLobby(lobby_id=lobby.lobby_id)))
        assert left == {"done": len(names)}
        assert [(row.players, row.status) for row in game.rows(LOBBIES)] == [(0, "closed")]
        assert game.rows(SEATS) == []
        assert findings(game) == []


def test_processes_that_want_one_lobby_fill_several() -> None:
    """Over PostgreSQL with two executors: all come in, no lobby has too many, and few are left open."""
    with ready_database() as url, ExitStack() as stack:
        stores = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], *_NAMES)

        async def scenario() -> None:
            executors = [PostgresExecutor(PostgresStore(url)) for _ in stores]
            try:
                for _ in range(2):
                    works = (partial(as_player, game, begin, name=name) for name in _NAMES)
                    await asyncio.gather(*(executors[at % 2].write(game.scope, work) for at, work in enumerate(works)))
            finally:
                for executor in executors:
                    await executor.close()

        asyncio.run(scenario())
        lobbies = game.rows(LOBBIES)
        assert sum(row.players for row in lobbies) == len(game.rows(SEATS)) == _MANY
        assert max(row.players for row in lobbies) == _SEATS
        assert sum(row.status == "forming" for row in lobbies) <= 2
        assert findings(game) == []


def test_a_writer_fills_a_lobby_of_its_own_while_others_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process has one of a few slots; without conflicts everybody comes into the lobby that was opened first."""
    game = game_over(memory.MemoryStore(), *_NAMES[:12], capacity=6)
    for at, writer in enumerate([3, 4, 3, 4, None, None, 3 + 8]):
        monkeypatch.setattr(memory, "Transaction", partial(Transaction, writer=writer))
        game.now += SECOND
        game.store.write(game.scope, partial(as_player, game, begin, name=_NAMES[at]))
    found = sorted((row.slot, row.players) for row in game.rows(LOBBIES))
    assert found == [(3, 5), (4, 2)]
