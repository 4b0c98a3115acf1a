"""A counter that is counted up and said: each commit publishes the number that it has written.

`python -m tests.notices.saying URL NAME COUNT FOLDER` is a process that says so many over the executor that suits the
database, and prints what it hears of the others until the end of standard input.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Final

from livecore.api.maintenance import system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.values import keyword_value as record
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.storage.database import open_store
from livecore_server.storage.sqlite import SqliteStore

SCOPE: Final = Scope("gam_00000000000000000000000001", "test")
TOPIC: Final = "said"


@record
class Said:
    """How far somebody has counted."""

    name: str
    number: int


SAID = Table("test_said", Said, key=("name",))


def say(tx: Transaction, name: str) -> int:
    """Count up by one, and publish it."""
    unit = system_unit(tx, None, 0, b"seed")
    before = tx.get(SAID, name)
    number = 1 if before is None else before.number + 1
    tx.put(SAID, Said(name=name, number=number))
    unit.notify(TOPIC, {"name": name, "number": number})
    return number


def _print(notice: Notice) -> None:
    said = json.loads(notice.payload)
    _tell(f"{said['name']} {said['number']}")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(url: str, name: str, count: int, folder: Path) -> None:
    """Say so many, once told to begin, and hear until told to end. Over SQLite, `folder` is what the processes share."""
    from livecore_server.workers.sharing import Shared  # noqa: PLC0415 - its locks are not on Windows

    store = open_store(url)
    workers = Shared.within(folder, os.getpid()) if isinstance(store, SqliteStore) else None
    running_store = run_store(store, StoreWatch(Metrics()), workers=workers)
    executor, carrier = running_store.executor, running_store.carrier
    executor.notices.subscribe(SCOPE, TOPIC, _print, missed=lambda: _tell("missed"))
    assert carrier is not None
    running = asyncio.create_task(carrier.run())
    await carrier.listening.wait()
    _tell("ready")
    await asyncio.to_thread(sys.stdin.readline)
    for _ in range(count):
        await executor.write(SCOPE, lambda tx: say(tx, name))
    _tell("done")
    await asyncio.to_thread(sys.stdin.read)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await executor.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
