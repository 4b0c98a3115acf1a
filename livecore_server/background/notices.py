"""Transports notices between the server processes of one database."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Protocol

from livecore_server.memory import SCRATCH
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite.executor import SqliteExecutor

__all__ = ["Carrier", "carrier_for"]


class Carrier(Protocol):
    """Transports the notices of one process."""

    listening: asyncio.Event
    """Set while it receives the notices of the others."""

    async def run(self) -> None:
        """Transport notices until cancelled; returns if that is not possible."""


def carrier_for(executor: Executor) -> Carrier | None:
    """The carrier for the executor's store; `None` if a database file has only one process."""
    if isinstance(executor, SqliteExecutor):
        scratch = os.environ.get(SCRATCH)
        if scratch is None:
            return None
        from livecore_server.workers.notices import WorkerNotices  # noqa: PLC0415 - its sockets are not on Windows

        return WorkerNotices(Path(scratch).parent, executor.notices)
    from livecore_server.storage.postgres.executor import PostgresExecutor  # noqa: PLC0415 - an extra

    return executor.between_processes() if isinstance(executor, PostgresExecutor) else None
