"""What a log and the metrics say of requests that were refused because the database could not be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from tests.server.serving import Reply, Server, serving

T = TypeVar("T")
FAULTS: Final = {
    "overloaded": (Overloaded(), 503),
    "unexpected": (RuntimeError("the reason, for operators"), 500),
}


def fail_directory(server: Server, error: Exception, *, first: bool) -> None:
    """Have reads of the directory fail: before the unit runs, or once it has run, as when its rows cannot be confirmed."""
    read = server.service.executor.read

    async def failing(scope: Scope, work: Callable[[Transaction], T]) -> T:
        if scope != DIRECTORY:
            return await read(scope, work)
        if not first:
            await read(scope, work)
        raise error

    server.service.executor.read = failing  # type: ignore[method-assign] # the seam of these tests


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_who_is_refused_keeps_operation_and_key(tmp_path: Path, fault: str, *, first: bool) -> None:
    """An operator sees which calls are refused. The key is known where it was read before; a path that is none has none."""
    error, status = FAULTS[fault]

    async def scenario() -> tuple[Server, list[Reply]]:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            fail_directory(server, error, first=first)
            replies = [
                await server.sdk("GET", "/ann/profile", secret=secret),
                await server.studio("POST", "/players/ann/wallet/gold/credit", {"amount": 1}),
                await server.ask("GET", "/nowhere"),
            ]
            return server, replies

    server, replies = asyncio.run(scenario())
    assert [reply.status for reply in replies] == [status] * 3
    told = [
        line.partition(" request ")[2].split() for line in server.log.getvalue().splitlines() if " request " in line
    ]
    refused = [words for words in told if words[1] == str(status)]
    assert [words[0] for words in refused] == ["sdk:players.getProfile", "server:wallet.credit", "none"]
    prefixes = ["-", "-", "-"] if first else [_prefix(server, "client"), _prefix(server, "server"), "-"]
    assert [words[3] for words in refused] == [f"key={prefix}" for prefix in prefixes]


def _prefix(server: Server, permission: str) -> str:
    return server.game.keys["test", permission].key.prefix


def test_a_stop_without_its_disk_says_what_is_lost_in_one_line(tmp_path: Path) -> None:
    """An operator needs the reason, and not where in the code it was met."""

    async def scenario() -> str:
        async with serving(tmp_path, flush_seconds=60.0) as server:
            secret = await server.register("ann")
            assert (await server.sdk("POST", "/ann/presence", {}, secret=secret)).status == 200
            fail_writes(server)
            await server.service.stop()
        return server.log.getvalue()

    lines = asyncio.run(scenario()).splitlines()
    (told,) = [line for line in lines if "last-seen values" in line]
    assert told.endswith("could not be written and are lost: database or disk is full")
    assert not [line for line in lines if "Traceback" in line]


def fail_writes(server: Server) -> None:
    """Have every write refused, as by a full disk."""

    async def refusing(*_: object) -> object:
        raise Overloaded from OSError("database or disk is full")

    server.service.executor.write = refusing  # type: ignore[method-assign, assignment] # the seam of these tests
