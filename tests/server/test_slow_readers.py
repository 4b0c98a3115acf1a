"""Readers of a stream who are slow, take nothing, or leave: what waits for them is bounded, and nobody else waits."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from livecore_server.http.stream_limits import StreamLimits
from livecore_server.http.streams import StreamAnswer
from tests.patience import let_pass
from tests.server.serving import Server
from tests.server.stream_reader import (
    READY,
    listening,
    publish,
    reading,
    run,
    stuck,
    until_open,
)


def test_a_reader_who_is_slow_is_cut_off_when_too_much_waits(tmp_path: Path) -> None:
    """And another one, who reads, misses nothing; what waits is bounded, and nothing is sent afterwards."""

    async def scenario(server: Server) -> None:
        async with reading(server) as slow:
            assert await slow.next() == READY
            await stuck(server)
            async with reading(server) as quick:
                for number in range(1001, 1021):
                    publish(server, number, f"p{number}")
                await asyncio.sleep(0)
                assert await quick.next() == READY
                got = [await quick.next() for _ in range(20)]
                assert [event.data["revision"] for event in got if event is not None] == list(range(1001, 1021))
                await until_open(server, 1)

    log = run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)
    assert log.count("ending=too_slow") == 1


def test_of_what_waits_for_a_slow_reader_the_newest_is_sent(tmp_path: Path) -> None:
    """Updates of one thing take each other's place, so a slow reader is not cut off by them, and gets the last one."""

    async def scenario(server: Server) -> None:
        async with reading(server) as slow:
            assert await slow.next() == READY
            await stuck(server)
            for number in range(1001, 1101):
                publish(server, number, "ann")
                publish(server, number, "bob")
            publish(server, 1101, "")
            revisions = []
            while (event := await slow.next()) is not None:
                revisions.append(event.data.get("revision"))
            assert revisions[-3:] == [1100, 1100, None]

    assert "ending=complete" in run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


def test_a_reader_who_takes_nothing_is_cut_off(tmp_path: Path) -> None:
    """After so many seconds, however little waits."""

    async def scenario(server: Server) -> None:
        async with reading(server) as slow:
            assert await slow.next() == READY
            await stuck(server)
            let_pass(31)
            await until_open(server, 0)

    assert "ending=too_slow" in run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


@pytest.mark.parametrize(("sizes", "waits"), [([90, 60, 60], 2), ([90, 90], 1), ([90, 60, 30, None], 2)])
def test_a_reader_who_takes_little_is_not_cut_off(sizes: list[int | None], waits: int) -> None:
    """As long as each wait finds that something was taken, though not yet enough to go on; `None`: enough."""
    taken = iter(sizes)
    waited = 0

    class Connection:
        """What is buffered for the network, and for how long the writer waits."""

        size = next(taken)
        aborted = False

        def get_write_buffer_size(self) -> int:
            """The next size, one for each wait."""
            assert self.size is not None
            return self.size

        def abort(self) -> None:
            """The connection is cut."""
            self.aborted = True

        async def drain(self) -> None:
            """Wait for the reader."""
            nonlocal waited
            self.size = next(taken)
            if self.size is not None:
                waited += 1
                let_pass(31)
                await asyncio.Event().wait()

    async def scenario() -> None:
        connection: Any = Connection()
        opened: Any = SimpleNamespace(ending="complete", response=SimpleNamespace(status=200), cut=None)
        answer = StreamAnswer(opened, (), cast("Any", SimpleNamespace(limits=StreamLimits())), lambda _: None)
        request: Any = SimpleNamespace(writer=connection)
        try:
            await answer._wait_until_taken(request, connection)
        except ConnectionResetError:
            assert opened.ending == "too_slow"
        assert connection.aborted is (sizes[-1] is not None)
        assert waited == waits

    asyncio.run(scenario())


def test_a_reader_who_leaves_is_forgotten(tmp_path: Path) -> None:
    """At once, and not when the next message or heartbeat is to be sent; one line in the log says so."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            publish(server, 1)
            await reader.next()
            assert server.service.metrics.open_streams == 1
            assert listening(server) == 1
        await until_open(server, 0)
        assert listening(server) == 0

    log = run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)
    lines = [line for line in log.splitlines() if "sdk:boards.stream" in line]
    assert len(lines) == 1
    assert re.search(r" 200 [0-9.]+ms .* messages=2 ending=closed_by_reader$", lines[0])
