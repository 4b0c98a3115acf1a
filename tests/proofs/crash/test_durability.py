"""An answer leaves only when what it says is on the disk.

Killing a process does not test the disk, because what the operating system has taken it will write. So the server runs with
`tracing.c` preloaded, which writes down the order of writes, syncs and sends, and the order is what is asserted: for each
write that was answered, its bytes went to the log, then a sync of that file began and ended, and only then the answer left.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from livecore_server.storage.database import open_store
from livecore_server.storage.sqlite import SqliteStore
from tests.crash.game import CONFIG
from tests.crash.preloaded import compiled
from tests.crash.served import Livecore

_MARKS: Final = tuple(f"mark-{number:04}" for number in range(200))
_AT_ONCE: Final = 16


@pytest.fixture
def tracer(tmp_path: Path) -> Path:
    """The compiled tracer."""
    return compiled(Path(__file__).with_name("tracing.c"), tmp_path)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Where the tracer writes."""
    return tmp_path / "trace"


@pytest.fixture
def server(tmp_path: Path, tracer: Path, trace: Path) -> Iterator[Livecore]:
    """A server under the tracer."""
    environment = {**os.environ, "LD_PRELOAD": str(tracer), "LIVECORE_TRACE_FILE": str(trace)}
    server = Livecore(tmp_path, CONFIG, environment=environment)
    server.start()
    yield server
    server.end()


def test_an_answer_leaves_only_after_its_sync(server: Livecore, trace: Path) -> None:
    """Two hundred concurrent writes, which share commits; each waits for the sync of its own."""
    asyncio.run(_write_all(server))
    assert server.stop() == 0
    lines = trace.read_text("ascii").splitlines()
    for mark in _MARKS:
        check_order(lines, mark)
    # Commits are shared: that is what the waiting is for.
    assert sum(line.startswith("F ") for line in lines) < 2 * len(_MARKS)


async def _write_all(server: Livecore) -> None:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def write(session: aiohttp.ClientSession, mark: str) -> None:
        headers = {
            "Authorization": f"Bearer {server.keys['server']}",
            "X-Request-Id": mark,
        }
        entries = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
        body = {"entries": entries, "sourceRefId": mark, "idempotencyKey": mark}
        async with gate, session.post("/server/v1/players/ann/grants", json=body, headers=headers) as answer:
            assert answer.status == 201
            assert answer.headers["X-Request-Id"] == mark

    async with aiohttp.ClientSession(server.address) as session:
        await asyncio.gather(*(write(session, mark) for mark in _MARKS))


def check_order(lines: Iterable[str], mark: str) -> None:
    """Written, then synced from beginning to end, then sent. Raises `AssertionError` for any other order."""
    state: dict[str, str] = {}
    sent = False
    for line in lines:
        what, fd, *rest = line.split()
        if what == "W" and rest == [mark] and not sent:
            state[fd] = "written"
        elif what == "B" and state.get(fd) == "written":
            state[fd] = "syncing"
        elif what == "F" and state.get(fd) == "syncing":
            state[fd] = "synced"
        elif what == "S" and rest == [mark]:
            assert state, f"{mark} was answered before it was written"
            assert set(state.values()) == {"synced"}, f"{mark} was answered before it was on the disk"
            sent = True
    assert sent, f"{mark} was not answered"


@pytest.mark.parametrize(
    "lines",
    [
        ["S 9 mark-0001"],
        ["W 5 mark-0001", "S 9 mark-0001", "B 5", "F 5"],
        ["W 5 mark-0001", "B 5", "S 9 mark-0001", "F 5"],
        ["B 5", "W 5 mark-0001", "F 5", "S 9 mark-0001"],
        ["W 5 mark-0001", "B 6", "F 6", "S 9 mark-0001"],
        ["W 5 mark-0001", "B 5", "F 5"],
    ],
)
def test_every_other_order_is_noticed(lines: list[str]) -> None:
    """The check itself can fail."""
    with pytest.raises(AssertionError):
        check_order(lines, "mark-0001")


def test_the_writing_connection_is_fully_synchronous(tmp_path: Path) -> None:
    """As the server opens it: `synchronous` is FULL (2), and the log is a write-ahead log."""
    server = Livecore(tmp_path, CONFIG)
    with closing(open_store(server.url)) as store:
        assert isinstance(store, SqliteStore)
        assert store.connections.writing.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store.connections.writing.execute("PRAGMA journal_mode").fetchone() == ("wal",)
