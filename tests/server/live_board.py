"""A leaderboard on running servers: entries are written by units of work, pages and streams are read over sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar

from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, Leaderboard, entry_of, finalize, place_of, remove_entry, write_entry
from livecore.leaderboards.ranking_source import live_boards
from livecore.leaderboards.standings import standings
from livecore.players.player import PLAYERS, find
from livecore_server.system import draw_seed, now_millis
from tests.server.serving import Server, http
from tests.server.stream_reader import Reader

T = TypeVar("T")
BOARD_ID: Final = "lbd_01JZ0000000000000000000000"
_AT_ONCE: Final = 500


class LiveBoard:
    """A board of the game of some servers, and the scores that it must have."""

    def __init__(self, server: Server) -> None:
        self.scope = Scope(server.game.game.game_id, "test")
        self.scores: dict[str, tuple[int, int]] = {}
        """The score of each player, and the number of the write that reached it."""
        self._written = 0

    async def unit(self, server: Server, work: Callable[[Unit], T]) -> T:
        """Run a unit of work on a server."""
        service = server.service

        def run(tx: Transaction) -> T:
            made = system_unit(
                tx,
                server.game.game,
                now_millis(),
                draw_seed(),
                new_deployment(ephemeral=service.ephemeral, rankings=service.rankings),
            )
            return work(made)

        return await service.executor.write(self.scope, run)

    async def make(self, server: Server, players: int) -> None:
        """Make the board and so many players, `p0` and on, without entries."""
        await server.register("p0")
        board = Leaderboard(
            board_id=BOARD_ID, kind="event", key="race", name="Race", order="desc", starts_at=0, ends_at=None
        )
        await self.unit(server, lambda unit: unit.tx.put(BOARDS, board))

        def add(unit: Unit, first: int) -> None:
            like = find(unit, "p0")
            assert like is not None
            for number in range(first, min(first + _AT_ONCE, players)):
                player_id = PlayerId(unit.new_id("plr"))
                unit.tx.insert(PLAYERS, evolve(like, player_id=player_id, external_id=f"p{number}", friend_code=None))

        for first in range(1, players, _AT_ONCE):
            await self.unit(server, partial(add, first=first))

    def _next(self, name: str, score: int) -> int:
        self._written += 1
        if self.scores.get(name, (None, 0))[0] != score:
            self.scores[name] = (score, self._written)
        return self.scores[name][1]

    async def write(self, server: Server, name: str, score: int) -> int:
        """Give a player a score; returns the rank that the unit itself has found."""
        reached_at = self._next(name, score)

        def work(unit: Unit) -> int:
            return _write(unit, name, score, reached_at)

        return await self.unit(server, work)

    async def fill(self, server: Server, scores: dict[str, int]) -> None:
        """Give many players their scores."""
        rows = [(name, score, self._next(name, score)) for name, score in scores.items()]
        for first in range(0, len(rows), 40):
            some = rows[first : first + 40]

            def work(unit: Unit, some: list[tuple[str, int, int]] = some) -> None:
                for name, score, reached_at in some:
                    _put(unit, name, score, reached_at)

            await self.unit(server, work)

    async def remove(self, server: Server, name: str) -> None:
        """Take a player off."""
        del self.scores[name]

        def work(unit: Unit) -> None:
            player = find(unit, name)
            assert player is not None
            entry = entry_of(unit, BOARD_ID, player.player_id)
            assert entry is not None
            remove_entry(unit, entry)

        await self.unit(server, work)

    async def finalize(self, server: Server) -> None:
        """Make it final."""

        def work(unit: Unit) -> None:
            board = unit.tx.get(BOARDS, BOARD_ID)
            assert board is not None
            finalize(unit, board, ends_at=unit.now)

        await self.unit(server, work)

    def order(self) -> list[str]:
        """The players in the order of the board."""
        return sorted(self.scores, key=lambda name: (-self.scores[name][0], self.scores[name][1]))

    async def page(self, server: Server, **query: object) -> Any:  # noqa: ANN401 - JSON
        """A page, over a socket."""
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        headers = {"Authorization": f"Bearer {server.key('client')}"}
        reply = await server.ask("GET", f"/sdk/v1/event-leaderboards/{BOARD_ID}?{asked}", headers=headers)
        assert reply.status == 200, reply
        return reply.json["data"]

    async def names(self, server: Server) -> list[str]:
        """The first 200 players, over a socket; their ranks must be 1, 2, 3 …"""
        page = await self.page(server, limit=200)
        assert [entry["rank"] for entry in page["entries"]] == list(range(1, len(page["entries"]) + 1))
        assert page["leaderboard"]["entryCount"] >= len(page["entries"])
        return [entry["externalPlayerId"] for entry in page["entries"]]

    def loaded(self, server: Server) -> bool:
        """Whether the process has the ranking in memory; it is loaded otherwise."""
        return server.service.rankings.find(self.scope, BOARD_ID, live_boards(AREAS)) is not None

    @asynccontextmanager
    async def follow(self, server: Server, last: str | None = None) -> AsyncIterator[Reader]:
        """A reader of the stream who has had the head of the answer."""
        headers = {"Authorization": f"Bearer {server.key('client')}"}
        if last is not None:
            headers["Last-Event-ID"] = last
        async with server.connect() as connection:
            path = f"/sdk/v1/event-leaderboards/{BOARD_ID}/stream"
            await connection.send(http("GET", path, headers=headers))
            reader = Reader(connection)
            await reader.begin()
            yield reader


def _put(unit: Unit, name: str, score: int, reached_at: int) -> str:
    player, board = find(unit, name), unit.tx.get(BOARDS, BOARD_ID)
    assert player is not None
    assert board is not None
    write_entry(unit, board, player, score, reached_at=reached_at)
    return player.player_id


def _write(unit: Unit, name: str, score: int, reached_at: int) -> int:
    participant = _put(unit, name, score, reached_at)
    entry = entry_of(unit, BOARD_ID, participant)
    place = None if entry is None else place_of(entry)
    assert place is not None
    return standings(unit, BOARD_ID).rank(place)
