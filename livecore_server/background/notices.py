"""What carries notices from one server process to the others that serve the same database."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Protocol

from livecore_server.memory import SCRATCH
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.workers.notices import WorkerNotices

__all__ = ["Carrier", "carrier_for"]


class Carrier(Protocol):
    """Carries the notices of one process."""

    listening: asyncio.Event
    """Set while it hears the others."""

    async def run(self) -> None:
        """Carry notices until cancelled, or come back where that cannot be."""


def carrier_for(executor: Executor) -> Carrier | None:
    """What suits the executor's store and the other processes; `None`: on a file there is no other."""
    if isinstance(executor, SqliteExecutor):
        scratch = os.environ.get(SCRATCH)
        return None if scratch is None else WorkerNotices(Path(scratch).parent, executor.notices)
    from livecore_server.storage.postgres.executor import PostgresExecutor  # noqa: PLC0415 - an extra

    return executor.between_processes() if isinstance(executor, PostgresExecutor) else None
