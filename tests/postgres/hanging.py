"""A process that takes on due work and never comes to the end of it: `python -m tests.postgres.hanging URL NOW`."""

from __future__ import annotations

import asyncio
import sys

from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.kernel.declarations.area import Area
from livecore.kernel.units.unit import Unit
from livecore_server.background.loops import DueLoop
from livecore_server.metrics import Metrics
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.executor import PostgresExecutor

KIND = "test.count"
"""The kind of work at which it hangs."""


def hang(_: Unit, ref: str) -> None:
    """Say what has been begun, and stay there until the end of standard input."""
    sys.stdout.write(f"{ref}\n")
    sys.stdout.flush()
    sys.stdin.read()


async def main(url: str, now: int) -> None:
    """Run what is due."""
    areas = AREAS.plus(Area(name="test", due={KIND: hang}))
    store = PostgresStore(url)
    application = Application(store, clock=lambda: now, seeds=lambda: b"seed", deployment=new_deployment(areas=areas))
    await DueLoop(PostgresExecutor(store), application, Metrics()).turn()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
