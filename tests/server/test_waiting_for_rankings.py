"""On a large leaderboard a request waits for the ranking, for a limited time, instead of counting rows on the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

from livecore.api.requests.http import Request, Response
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.leaderboards import standings
from livecore.leaderboards.ranking.live_board import LiveBoard as Ranking
from livecore_server import service
from livecore_server.http.dispatch import Dispatch
from livecore_server.storage.sqlite import SqliteStore
from tests.server.live_board import BOARD_ID, LiveBoard
from tests.server.serving import Server, make_game, serving
from tests.server.test_live_boards import until

_FEW = 3


@attrs.define
class Held:
    """The pages of rows that wait until they are let go."""

    let_go: asyncio.Event = attrs.field(factory=asyncio.Event)
    asked: int = 0
    fails: bool = False


def hold_pages(server: Server, monkeypatch: pytest.MonkeyPatch) -> Held:
    """Have the pages of rankings wait."""
    held, executor = Held(), server.service.executor
    read = executor.read_aside

    async def read_aside(scope: Scope, work: Callable[[Transaction], Any]) -> Any:  # noqa: ANN401 - of the work
        held.asked += 1
        await held.let_go.wait()
        if held.fails:
            raise RuntimeError("the page cannot be read")
        return await read(scope, work)

    monkeypatch.setattr(executor, "read_aside", read_aside)
    return held


@asynccontextmanager
async def with_board(tmp_path: Path, players: int) -> AsyncIterator[tuple[Server, LiveBoard]]:
    """A server that has just started, over a leaderboard with so many entries."""
    game = await asyncio.to_thread(make_game, f"sqlite:///{tmp_path / 'game.db'}")
    async with serving(tmp_path, game=game) as server:
        board = LiveBoard(server)
        await board.make(server, players)
        await board.fill(server, {f"p{number}": number % 97 for number in range(players)})
    async with serving(tmp_path, game=game) as server:
        yield server, board


def play(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario."""
    asyncio.run(_awaited(scenario))


async def _awaited(scenario: Callable[[], Awaitable[None]]) -> None:
    await scenario()


def ask(server: Server, name: str, *, seconds: float = 60.0) -> Awaitable[Response]:
    """Ask for the page around a player, with this patience of the server."""
    dispatch = Dispatch(server.service.application, server.service.executor, loading_seconds=seconds)
    headers = {"authorization": f"Bearer {server.key('client')}"}
    path = f"/sdk/v1/event-leaderboards/{BOARD_ID}"
    return dispatch.ask(Request("GET", path, f"limit=1&around={name}", headers))


def ranking(server: Server, board: LiveBoard) -> Ranking | None:
    """The ranking while it is loaded."""
    return server.service.rankings.loading(board.scope, BOARD_ID)


async def awaited(server: Server, board: LiveBoard) -> None:
    """Wait until a request waits for the ranking."""

    async def waits() -> bool:
        loading = ranking(server, board)
        return loading is not None and loading.is_awaited

    await until(waits)


def test_no_rank_is_counted_in_the_rows_of_a_large_board(tmp_path: Path) -> None:
    """Eight ask at once after a start: one load serves all, and the loop's thread counts no more rows than it may."""
    size = standings.MOST_COUNTED + 100

    async def scenario() -> None:
        async with with_board(tmp_path, size) as (server, board):
            store = server.service.application.store
            assert isinstance(store, SqliteStore)
            statements: list[str] = []
            for connection in (store.connections.reading, store.connections.writing):
                connection.set_trace_callback(statements.append)
            order = board.order()
            names = [f"p{number * 250}" for number in range(8)]
            pages = await asyncio.gather(*(board.page(server, around=name, limit=1) for name in names))
            assert [page["entries"][0]["rank"] for page in pages] == [order.index(name) + 1 for name in names]
            assert {page["leaderboard"]["entryCount"] for page in pages} == {size}
            counted = [text for text in statements if "count(*)" in text and "leaderboard_entries" in text]
            assert counted
            assert all(f"LIMIT {standings.MOST_COUNTED + 1})" in text for text in counted)
            assert not [text for text in statements if "leaderboard_entries" in text and "LIMIT 5000" in text]
            assert server.service.rankings.finished == 1

    play(scenario)


def test_a_small_board_is_counted_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its ranking is loaded or not."""

    async def scenario() -> None:
        async with with_board(tmp_path, _FEW) as (server, board):
            monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)
            hold_pages(server, monkeypatch)
            page = await board.page(server, around="p0", limit=1)
            assert page["entries"][0]["rank"] == _FEW
            assert ranking(server, board) is not None

    play(scenario)


def test_who_waits_too_long_is_refused_and_may_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal says when; the loading goes on, and then there is an answer."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)

    async def scenario() -> None:
        async with with_board(tmp_path, _FEW + 1) as (server, board):
            held = hold_pages(server, monkeypatch)
            refused = await ask(server, "p0", seconds=0.01)
            assert (refused.status, dict(refused.headers)["Retry-After"]) == (503, "1")
            assert b'"overloaded"' in refused.body
            loading = ranking(server, board)
            assert loading is not None
            assert not loading.is_awaited
            held.let_go.set()
            assert (await ask(server, "p0")).status == 200
            assert held.asked == 2  # the placed rows and the removed ones, once

    play(scenario)


def test_pages_are_read_ahead_of_the_rows_that_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, whatever happens in between."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)
    monkeypatch.setattr(service, "_ROWS_ASIDE", 2)
    size = 9

    async def scenario() -> None:
        async with with_board(tmp_path, size) as (server, board):
            held = hold_pages(server, monkeypatch)
            asked = [asyncio.ensure_future(ask(server, f"p{number}")) for number in range(size)]
            await awaited(server, board)
            held.let_go.set()
            assert {answer.status for answer in await asyncio.gather(*asked)} == {200}
            assert held.asked == size // 2 + 2  # those that are full, the rest, and the removed rows
            assert await board.names(server) == board.order()
            server.service.executor.notices.miss()
            assert await board.names(server) == board.order()

    play(scenario)


def test_a_score_that_comes_while_the_ranking_is_loaded_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the page was read before it."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)

    async def scenario() -> None:
        async with with_board(tmp_path, _FEW + 1) as (server, board):
            held = hold_pages(server, monkeypatch)
            asked = asyncio.ensure_future(ask(server, "p0"))
            await awaited(server, board)
            rank = await board.write(server, "p0", 1_000)  # a unit for which nobody waits counts rows
            held.let_go.set()
            answer = await asked
            assert (rank, answer.status) == (1, 200)
            assert b'"rank":1,' in answer.body.replace(b" ", b"")

    play(scenario)


def test_progress_that_waits_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the unit wrote before it asked for the rank is dropped, and it runs again."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)

    async def scenario() -> None:
        game = await asyncio.to_thread(make_game, f"sqlite:///{tmp_path / 'game.db'}")
        paths: list[tuple[str, str]] = []
        async with serving(tmp_path, game=game) as server:
            for number in range(_FEW + 1):
                secret = await server.register(f"p{number}")
                await server.studio("POST", f"/players/p{number}/wallet/gold/credit", {"amount": 5})
                started = await server.sdk("POST", f"/p{number}/events/daily-dash/start", {}, secret=secret)
                attempt = started.json["data"]["attempt"]["attemptId"]
                paths.append((f"/p{number}/events/daily-dash/attempts/{attempt}/progress", secret))
                body = {"metrics": {"points": 10 * (number + 1)}}
                assert (await server.sdk("POST", paths[-1][0], body, secret=secret)).status == 200
        async with serving(tmp_path, game=game) as server:
            held, (path, secret) = hold_pages(server, monkeypatch), paths[0]
            body = {"metrics": {"points": 15}}
            asked = asyncio.ensure_future(server.sdk("POST", path, body, secret=secret))

            async def waits() -> bool:
                return server.service.rankings.is_awaited or held.asked > 0

            await until(waits)
            held.let_go.set()
            data = (await asked).json["data"]
            assert (data["attempt"]["score"], data["rank"]) == (25, 3)
            assert held.asked == 2

    play(scenario)


def test_where_loading_fails_the_rows_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits has an answer at once, and so has who comes before the next attempt."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)

    async def scenario() -> None:
        async with with_board(tmp_path, _FEW + 1) as (server, board):
            held = hold_pages(server, monkeypatch)
            held.fails = True
            asked = asyncio.ensure_future(ask(server, "p0"))
            await awaited(server, board)
            held.let_go.set()
            assert [(await asked).status, (await ask(server, "p1")).status] == [200, 200]
            assert ranking(server, board) is None
            assert "a ranking could not be read" in server.log.getvalue()

    play(scenario)


def test_who_is_gone_waits_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranking is loaded all the same, without haste."""
    monkeypatch.setattr(standings, "MOST_COUNTED", _FEW)

    async def scenario() -> None:
        async with with_board(tmp_path, _FEW + 1) as (server, board):
            held = hold_pages(server, monkeypatch)
            asked = asyncio.ensure_future(ask(server, "p0"))
            await awaited(server, board)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            loading = ranking(server, board)
            assert loading is not None
            assert not loading.is_awaited
            held.let_go.set()

            async def loaded() -> bool:
                return board.loaded(server)

            await until(loaded)

    play(scenario)
