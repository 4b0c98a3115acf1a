"""A disk that fails under load: 503 to everybody and soon, readiness and log say so, and it is over when the disk is mended.

The disk is real, and `failing_disk.c` stands between it and the server. That a limit of the operating system's own is met
in the same way shows the last test, which takes no library.
"""

from __future__ import annotations

import mmap
import os
import resource
from functools import partial
from pathlib import Path

import pytest

from tests.crash.game import CONFIG
from tests.crash.load import Load
from tests.crash.preloaded import compiled
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.faults.siege import besieged, ready, survive, troubles, until

FAULTS = {
    "the disk is full": "F",
    "the file system is read-only": "R",
    "fsync fails": "S",
    "fsync does not return": "H",
}
"""Each fault, and the byte that `failing_disk.c` knows it by."""


class Disk:
    """What the server's disk does, as long as it is told so."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_bytes(b"-")
        with file.open("r+b") as opened:
            self._byte = mmap.mmap(opened.fileno(), 1)

    def does(self, fault: str) -> None:
        """Have a fault from now on; `-` is none."""
        self._byte[:1] = fault.encode()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled disk."""
    return compiled(Path(__file__).with_name("failing_disk.c"), tmp_path_factory.mktemp("library"))


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    """A disk that works so far."""
    return Disk(tmp_path / "fault")


@pytest.fixture
def server(tmp_path: Path, library: Path, disk: Disk, receiver: Receiver) -> Livecore:
    """A server on that disk, with an endpoint for everything."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "LIVECORE_FAULT_FILE": str(disk.file)}
    server = Livecore(tmp_path, CONFIG, environment=environment)
    receiver.secret = server.add_endpoint(receiver.url)
    return server


async def _reports_its_disk(server: Livecore) -> bool:
    """Whether readiness says that the disk fails; while a small write still fits on a full one, it says ok for a moment."""
    status, checks = await ready(server)
    return (status, checks["store"]) == (503, "not writable")


@pytest.mark.parametrize(("fault", "times"), [(name, 1 if name == "fsync does not return" else 2) for name in FAULTS])
def test_a_failing_disk_is_told_of_and_survived(
    server: Livecore, disk: Disk, receiver: Receiver, fault: str, times: int
) -> None:
    """Nothing acknowledged is lost, nothing is doubled, and nobody has to restart anything; the log has two lines of it."""

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            for _ in range(times):
                await siege.writes(40)
                disk.does(FAULTS[fault])
                await siege.refusals(40)
                await until(partial(_reports_its_disk, server))
                disk.does("-")
                await siege.writes(40)
                assert (await ready(server))[0] == 200

    survive(server, receiver, scenario)
    check_log(server)


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path, receiver: Receiver) -> None:
    """The system itself refuses to let a file grow, as a quota does, until the limit is lifted from the running process."""
    server = Livecore(tmp_path, CONFIG)
    receiver.secret = server.add_endpoint(receiver.url)
    log = server.path.with_name(server.path.name + "-wal")

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            await siege.writes(40)
            _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, most))
            await siege.refusals(40)
            await until(partial(_reports_its_disk, server))
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))
            await siege.writes(40)
            assert (await ready(server))[0] == 200

    survive(server, receiver, scenario)
    check_log(server)


def check_log(server: Livecore) -> None:
    """That the store fails is told when it begins and when it is over, and hundreds of refusals are not told one by one."""
    told = troubles(server)
    assert sum("the store fails, and requests are answered 503 until it works again" in line for line in told) == 1
    assert sum("the store works again after" in line for line in told) == 1
    # A merge of the write-ahead log may have met the fault as well.
    assert len([line for line in told if line.startswith(("error", "warning"))]) <= 3, told
