"""Ranks from memory and streams on real servers: two processes over one database, on both stores.

`alone` are two servers over one file that share no notices, `workers` are two that do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from livecore.access.keys import revoke_key
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.paging import pack
from livecore_server.system import now_millis
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.live_board import BOARD_ID, LiveBoard
from tests.server.serving import Server, make_game, serving, shared_in
from tests.server.stream_reader import Event, Reader


@pytest.fixture(params=["alone", "workers", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the data is."""
    if request.param == "postgres":
        with ready_database() as url:
            yield url
        return
    if request.param == "workers":
        (tmp_path / "shared").mkdir()
    yield f"sqlite:///{tmp_path / 'game.db'}"


def play(
    database: str,
    folder: Path,
    scenario: Callable[[list[Server], LiveBoard], Awaitable[None]],
    *,
    processes: int = 2,
    players: int = 30,
) -> None:
    """Run a scenario on servers with a board."""

    async def run() -> None:
        game = await asyncio.to_thread(make_game, database)
        async with AsyncExitStack() as stack:
            servers = [
                await stack.enter_async_context(
                    serving(folder, game=game, database=database, shared=shared_in(folder / "shared", number))
                )
                for number in range(processes)
            ]
            board = LiveBoard(servers[0])
            await board.make(servers[0], players)
            await scenario(servers, board)

    asyncio.run(run())


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await holds():  # noqa: ASYNC110 - it is asked over the network
            await asyncio.sleep(0)


async def in_memory(board: LiveBoard, server: Server) -> None:
    """Wait until a process has the ranking in memory."""

    async def loaded() -> bool:
        return board.loaded(server)

    await until(loaded)


async def change(reader: Reader) -> tuple[str, int, int, int | None]:
    """The next update: who, the score, the rank, and the rank before."""
    event = await reader.next()
    assert event is not None
    assert event.event == "score_update", event
    entry = event.data["entry"]
    return entry["externalPlayerId"], entry["score"], entry["rank"], event.data["previousRank"]


def test_ranks_after_each_write_are_those_of_a_sort(database: str, tmp_path: Path) -> None:
    """In the answer of the write and in the next read of the same process; in the other process shortly after."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        chance = Random(11)  # noqa: S311 - an order to try, and no secret
        first, second = servers
        for turn in range(120):
            if turn == 20:
                await in_memory(board, first)
            name = f"p{chance.randrange(30)}"
            if chance.random() < 0.1 and name in board.scores:
                await board.remove(first, name)
            else:
                rank = await board.write(first, name, chance.randrange(8))
                assert rank == board.order().index(name) + 1
            assert await board.names(first) == board.order()

            async def seen() -> bool:
                return await board.names(second) == board.order()

            await until(seen)

    play(database, tmp_path, scenario)


def test_units_of_one_batch_count_each_other(database: str, tmp_path: Path) -> None:
    """Many at once, each behind the one before: the ranks are 1, 2, 3 …, although none is committed when they are found."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        server = servers[0]
        await board.write(server, "p0", 1_000)
        await board.names(server)
        await in_memory(board, server)
        for turn in range(5):
            ranks = await asyncio.gather(
                *(board.write(server, f"p{number}", 900 - 100 * turn - number) for number in range(1, 30))
            )
            # Later, each one falls behind those who fell before, and those who are still to fall.
            assert ranks == ([30] * 29 if turn else list(range(2, 31)))
            assert await board.names(server) == board.order()

    play(database, tmp_path, scenario, processes=1)


def test_a_write_in_one_process_is_streamed_by_the_other(database: str, tmp_path: Path) -> None:
    """With its rank and the rank before; a removal has the reader read again; a final board is closed."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        writing, streaming = servers
        await board.write(writing, "p1", 10)
        async with board.follow(streaming) as reader:
            assert reader.status == 200
            ready = await reader.next()
            assert ready is not None
            assert (ready.event, ready.data["entryCount"], ready.data["status"]) == ("ready", 1, "open")
            await board.write(writing, "p2", 20)
            await _eventually(reader, board, "p2", 2)
            await board.remove(writing, "p2")
            again = await reader.next()
            assert again is not None
            assert (again.event, again.data["resync"], again.data["entryCount"]) == ("ready", True, 1)
            await board.finalize(writing)
            while (event := await reader.next()) is not None and event.event == "ready":
                pass
            closed = {"leaderboardId": BOARD_ID, "status": "finalized", "reason": "finalized"}
            assert event is not None
            assert (event.event, event.data) == ("closed", closed)
            assert await reader.next() is None

    play(database, tmp_path, scenario)


async def _eventually(reader: Reader, board: LiveBoard, name: str, size: int) -> None:
    """The reader hears of a change: as an update, or, where processes share no notices, by reading again."""
    event = await reader.next()
    while event is not None and event.event == "ready" and event.data["entryCount"] < size:
        event = await reader.next()
    assert event is not None
    if event.event == "score_update":
        entry = event.data["entry"]
        assert (entry["externalPlayerId"], entry["rank"]) == (name, board.order().index(name) + 1)
        assert event.data["previousRank"] is None
    else:
        assert (event.data["resync"], event.data["entryCount"]) == (True, size)


def test_many_readers_are_sent_the_same_bytes(database: str, tmp_path: Path) -> None:
    """Each update has the rank of its own revision, and a name that was changed is shown with the next one."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        server = servers[0]
        await board.write(server, "p1", 10)
        async with AsyncExitStack() as stack:
            readers = [await stack.enter_async_context(board.follow(server)) for _ in range(5)]
            for reader in readers:
                assert (await reader.next() or Event("", {})).event == "ready"
            await asyncio.gather(*(board.write(server, f"p{number}", 10 + number) for number in range(2, 6)))
            seen = [[await reader.next() for _ in range(4)] for reader in readers]
            assert all(events == seen[0] for events in seen)
            revisions = [int(event.id or 0) for event in seen[0] if event is not None]
            assert revisions == sorted(set(revisions))
            ranks = {event.data["entry"]["externalPlayerId"]: event.data["entry"]["rank"] for event in seen[0] if event}
            assert ranks == dict.fromkeys(("p2", "p3", "p4", "p5"), 1)
            new_name = "n" * 32
            await server.studio("PUT", "/players/p5/identity", {"name": new_name})
            await board.write(server, "p5", 99)
            event = await readers[0].next()
            assert event is not None
            assert event.data["entry"]["score"] == 99

    play(database, tmp_path, scenario, processes=1)


def test_who_comes_back_is_sent_what_it_missed(database: str, tmp_path: Path) -> None:
    """By the process that gave the revision; another one does not know it."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        first, second = servers
        await board.write(first, "p1", 10)
        async with board.follow(first) as reader:
            ready = await reader.next()
        assert ready is not None
        await board.write(first, "p2", 20)
        await board.write(first, "p2", 30)
        async with board.follow(first, ready.id) as reader:
            again = await reader.next()
            assert again is not None
            assert "resync" not in again.data
            assert await change(reader) == ("p2", 30, 1, None)
        async with board.follow(second, ready.id) as reader:
            other = await reader.next()
            assert other is not None
            assert other.data["resync"] is True

    play(database, tmp_path, scenario)


def test_a_forged_cursor_is_refused_by_a_ranking_in_memory(tmp_path: Path) -> None:
    """As by the rows: it names a place that no participant can have."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        server = servers[0]
        await board.write(server, "p1", 10)
        async with board.follow(server) as reader:
            assert await reader.next() is not None
            assert board.loaded(server)
            headers = {"Authorization": f"Bearer {server.key('client')}"}
            for place in ((1, -5, "plr_x"), (1, 1, ""), (1, 1, "é"), (1, 1, "x" * 100)):
                path = f"/sdk/v1/event-leaderboards/{BOARD_ID}?cursor={pack(place)}"
                reply = await server.ask("GET", path, headers=headers)
                assert (reply.status, reply.json["error"]["code"]) == (400, "validation_failed")

    play(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario, processes=1)


def test_a_revoked_key_and_a_drain_are_named(database: str, tmp_path: Path) -> None:
    """With the board's status."""

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        first, second = servers
        async with board.follow(first) as reader, board.follow(second) as other:
            for one in (reader, other):
                assert (await one.next() or Event("", {})).event == "ready"
            await first.service.stop()
            closed: dict[str, Any] = {"leaderboardId": BOARD_ID, "status": "open", "reason": "server_draining"}
            assert await reader.next() == Event("closed", closed)
            assert reader.retry is not None
            key = second.game.keys["test", "client"].key
            await second.service.executor.write(
                DIRECTORY, lambda tx: revoke_key(tx, key.game_id, key.key_id, now_millis())
            )
            while (event := await other.next()) is not None and event.event == "ready":
                pass
            assert event == Event("closed", {**closed, "reason": "key_revoked"})

    play(database, tmp_path, scenario)
