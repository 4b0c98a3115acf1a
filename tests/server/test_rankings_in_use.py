"""A ranking that was in use is in memory after a restart, before the server is ready, for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from livecore.api.areas import AREAS
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, MINUTE
from livecore.leaderboards import standings
from livecore.leaderboards.ranking_source import live_boards
from livecore_server import service
from livecore_server.background import rankings_in_use
from livecore_server.background.rankings_in_use import RankingsInUse
from livecore_server.storage.host_tables import IN_USE_BY_TIME, RANKINGS_IN_USE, RankingInUse
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.server.live_board import BOARD_ID, LiveBoard
from tests.server.serving import Server, make_game, serving
from tests.server.test_live_boards import until

_FEW = 3


@pytest.fixture(autouse=True)
def _small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)
    monkeypatch.setattr(rankings_in_use, "MOST_COUNTED", _FEW)


def play(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario."""

    async def run() -> None:
        await scenario()

    asyncio.run(run())


async def noted(server: Server, board: LiveBoard) -> list[str]:
    """The leaderboards that are noted."""
    rows = await server.service.executor.read(board.scope, lambda tx: tx.scan(IN_USE_BY_TIME))
    return [row.board_id for row in rows]


@asynccontextmanager
async def restarted(tmp_path: Path, players: int) -> AsyncIterator[tuple[Server, LiveBoard]]:
    """A server after a restart; before it, the ranking of a leaderboard was in use."""
    game = await asyncio.to_thread(make_game, f"sqlite:///{tmp_path / 'game.db'}")
    async with serving(tmp_path, game=game) as server:
        board = LiveBoard(server)
        await board.make(server, players)
        await board.fill(server, {f"p{number}": number for number in range(players)})

        async def used() -> bool:
            return board.loaded(server) and bool(await noted(server, board)) == (players > _FEW)

        await until(used)
    async with serving(tmp_path, game=game) as server:
        yield server, board


def hold_pages(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Have the pages of rankings wait."""
    let_go, read = asyncio.Event(), SqliteExecutor.read_aside

    async def read_aside(self: SqliteExecutor, scope: Scope, work: Callable[[Transaction], Any]) -> Any:  # noqa: ANN401 - of the work
        await let_go.wait()
        return await read(self, scope, work)

    monkeypatch.setattr(SqliteExecutor, "read_aside", read_aside)
    return let_go


def test_it_is_loaded_before_the_server_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though nobody has asked for it yet."""

    async def scenario() -> None:
        async with restarted(tmp_path, _FEW + 1) as (server, board):
            rankings = server.service.rankings

            async def is_ready() -> bool:
                return (await server.ask("GET", "/admin/v1/ready")).status == 200

            await until(is_ready)
            assert rankings.loaded_board(board.scope, BOARD_ID) is not None
        let_go = hold_pages(monkeypatch)
        async with serving(tmp_path, game=server.game) as server:
            reply = await server.ask("GET", "/admin/v1/ready")
            assert (reply.status, reply.json["error"]["details"]["checks"]["serving"]) == (503, "loading rankings")
            let_go.set()
            await until(is_ready)
            assert server.service.rankings.loaded_board(board.scope, BOARD_ID) is not None

    play(scenario)


def test_the_server_is_ready_in_time_also_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loading goes on."""
    monkeypatch.setattr(service, "_RANKINGS_SECONDS", 0.01)

    async def scenario() -> None:
        async with restarted(tmp_path, _FEW + 1) as (server, board):
            pass
        let_go = hold_pages(monkeypatch)
        async with serving(tmp_path, game=server.game) as server:

            async def is_ready() -> bool:
                return (await server.ask("GET", "/admin/v1/ready")).status == 200

            await until(is_ready)
            assert "not all rankings in use could be loaded" in server.log.getvalue()
            assert server.service.rankings.loading(board.scope, BOARD_ID) is not None
            let_go.set()

            async def loaded() -> bool:
                return server.service.rankings.loaded_board(board.scope, BOARD_ID) is not None

            await until(loaded)

    play(scenario)


def test_small_ones_are_not_noted(tmp_path: Path) -> None:
    """Their rows are counted quickly."""

    async def scenario() -> None:
        async with restarted(tmp_path, _FEW) as (server, board):
            assert await noted(server, board) == []
            assert server.service.rankings.loading(board.scope, BOARD_ID) is None
            assert server.service.rankings.loaded == 0

    play(scenario)


def test_what_was_in_use_an_hour_ago_is_forgotten(tmp_path: Path) -> None:
    """What stays in use is noted again before; a note that is too old goes with the next one."""

    async def scenario() -> None:
        async with restarted(tmp_path, _FEW + 1) as (server, board):
            executor, rankings = server.service.executor, server.service.rankings
            now = [server.service.application.clock()]
            in_use = RankingsInUse(executor, rankings, live_boards(AREAS), clock=lambda: now[0])
            assert await in_use.noted() == [(board.scope, BOARD_ID)]
            await until(lambda: _loaded(server, board))
            written: list[int] = []
            began = now[0]
            old = RankingInUse(board_id="lbd_old", noted_at=began - HOUR)
            await executor.write(board.scope, lambda tx: tx.put(RANKINGS_IN_USE, old))
            for minutes in (10, 21, 22, 42):
                now[0] = began + minutes * MINUTE
                await in_use.note()
                rows = await executor.read(board.scope, lambda tx: tx.scan(IN_USE_BY_TIME))
                written.append(rows[-1].noted_at)
                assert len(rows) == (2 if minutes == 10 else 1)
            assert written[0] < written[1] == written[2] < written[3]
            now[0] += HOUR + 1
            assert await in_use.noted() == []

    play(scenario)


async def _loaded(server: Server, board: LiveBoard) -> bool:
    return server.service.rankings.loaded_board(board.scope, BOARD_ID) is not None
