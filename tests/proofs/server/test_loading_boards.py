"""A leaderboard with many entries is loaded into memory beside the requests, on both stores."""

from __future__ import annotations

from pathlib import Path

from livecore.api.areas import AREAS
from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.ranking_source import live_boards
from tests.server import test_live_boards
from tests.server.live_board import BOARD_ID, LiveBoard
from tests.server.serving import Server
from tests.server.test_live_boards import play

database = test_live_boards.database


def test_a_large_board_is_loaded_beside_the_requests(database: str, tmp_path: Path) -> None:
    """Reads are answered from the rows until then, and writes meanwhile are in it."""
    size = 10_000

    async def scenario(servers: list[Server], board: LiveBoard) -> None:
        server = servers[0]
        await board.fill(server, {f"p{number}": number % 97 for number in range(size)})
        assert not board.loaded(server)
        turns = 0
        while not board.loaded(server):
            assert await board.names(server) == board.order()[:200]
            await board.write(server, f"p{turns * 7 % size}", 500 - turns)
            turns += 1
        order = board.order()
        assert await board.names(server) == order[:200]
        middle = order[size // 2]
        page = await board.page(server, around=middle, limit=11)
        assert [entry["externalPlayerId"] for entry in page["entries"]] == order[size // 2 - 5 : size // 2 + 6]
        assert page["leaderboard"]["entryCount"] == size
        live = server.service.rankings.find(board.scope, BOARD_ID, live_boards(AREAS))
        assert live is not None
        assert live.live.ranking.rank(Place(1, 0, "x")) == size + 1

    play(database, tmp_path, scenario, processes=1, players=size)
