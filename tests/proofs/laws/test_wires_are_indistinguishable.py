"""The law: over real HTTP, through the in-process transport and by a direct call, the same requests get the same answers.

Status, body and every header that the service sets are compared. Over HTTP the whole server is between: aiohttp, the host,
the executor with its grouped commits, SQLite on a real file.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import httpx

from livecore_client import LocalTransport
from tests.laws.arena import Arena
from tests.laws.lawful import seeds
from tests.laws.playing import Play, play
from tests.laws.sequences import seeded
from tests.laws.wires import Wire, served, shared_store

_SCENES = 50


def compare(one: Play, other: Play) -> None:
    """Every answer of one play is the other's, but for headers that a wire adds."""
    for (asked, expected), (_, found) in zip(one.journal, other.journal, strict=True):
        assert (found.status, found.response.body) == (expected.status, expected.response.body), asked
        for name, value in expected.response.headers:
            assert found.response.header(name) == value, (asked, name)


@seeds
def test_the_transport_in_the_process_answers_like_a_direct_call(seed: int) -> None:
    """`LocalTransport` hands requests and answers on as they are."""
    steps = seeded(3_000 + seed, _SCENES)
    arena = Arena()
    with httpx.Client(transport=LocalTransport(arena.application), base_url="http://game.local") as client:
        compare(play(steps), play(steps, arena=arena, through=Wire(client)))


@seeds
def test_http_answers_like_a_direct_call(seed: int, tmp_path: Path) -> None:
    """So does the server, over a socket, and leaves the same rows."""
    steps = seeded(3_000 + seed, _SCENES)
    with closing(shared_store(tmp_path / "laws.db")) as store:
        arena = Arena(store)
        with served(arena, store) as address, httpx.Client(base_url=address) as client:
            expected, found = play(steps), play(steps, arena=arena, through=Wire(client))
            compare(expected, found)
            assert store.dump() == expected.arena.store.dump()
