"""A large board on a real server: rank, page, around and a new score agree with a sort, wherever one looks.

`LIVECORE_BOARD_ENTRIES` says how large it is: a few thousand entries in the suite, a million in `nox -s boards`.
"""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left, insort
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.patience import PATIENCE_SECONDS
from tests.server.live_board import LiveBoard
from tests.server.serving import make_game, serving

_ENTRIES: Final = int(os.environ.get("LIVECORE_BOARD_ENTRIES", "3000"))
_SAMPLES: Final = 40


@pytest.mark.timeout(PATIENCE_SECONDS if _ENTRIES <= 10_000 else 7_200)
def test_samples_of_a_large_board_agree_with_a_sort(tmp_path: Path) -> None:
    """Ranks by the ranking in memory, before and after entries have changed, and pages by ranks and by cursors."""

    async def scenario() -> None:
        database = f"sqlite:///{tmp_path / 'game.db'}"
        game = await asyncio.to_thread(make_game, database)
        async with serving(tmp_path, game=game, database=database) as server:
            board, chance = LiveBoard(server), Random(3)  # noqa: S311 - an order to try, and no secret
            await board.make(server, _ENTRIES)
            await board.fill(server, {f"p{number}": chance.randrange(_ENTRIES // 3) for number in range(_ENTRIES)})
            while not board.loaded(server):  # noqa: ASYNC110 - the ranking is loaded in the background
                await asyncio.sleep(0)
            ordered = sorted((-score, reached, name) for name, (score, reached) in board.scores.items())
            for _ in range(_SAMPLES):
                name = f"p{chance.randrange(_ENTRIES)}"
                score, reached = board.scores[name]
                ordered.pop(bisect_left(ordered, (-score, reached, name)))
                rank = await board.write(server, name, chance.randrange(_ENTRIES // 3))
                score, reached = board.scores[name]
                insort(ordered, (-score, reached, name))
                assert rank == bisect_left(ordered, (-score, reached, name)) + 1
                around = await board.page(server, around=name, limit=10)
                first = max(1, min(rank - 5, _ENTRIES - 9))
                assert [row["rank"] for row in around["entries"]] == list(range(first, first + 10))
                assert [row["externalPlayerId"] for row in around["entries"]] == [
                    name for *_, name in ordered[first - 1 : first + 9]
                ]
                if around["nextCursor"] is not None:
                    following = await board.page(server, cursor=around["nextCursor"], limit=3)
                    assert [row["externalPlayerId"] for row in following["entries"]] == [
                        name for *_, name in ordered[first + 9 : first + 12]
                    ]
            assert await board.names(server) == [name for *_, name in ordered[:200]]
            assert (await board.page(server, limit=1))["leaderboard"]["entryCount"] == _ENTRIES

    asyncio.run(scenario())
