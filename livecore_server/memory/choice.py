"""Chooses the short memory of a server process."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from livecore.kernel.units.volatile import Volatile
from livecore_server.memory.scratch import ScratchMemory
from livecore_server.storage.database import DatabaseProblem
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite.executor import SqliteExecutor

__all__ = ["SCRATCH", "memory_for"]

SCRATCH: Final = "LIVECORE_SCRATCH"
"""The environment variable in which a supervisor names the scratch file of its workers; people do not set it."""


def memory_for(executor: Executor) -> Volatile:
    """The memory for the executor's store and the number of processes. Raises `DatabaseProblem`."""
    if not isinstance(executor, SqliteExecutor):
        return _of_postgres(executor)
    scratch = os.environ.get(SCRATCH)
    if scratch is None:
        return Volatile()
    try:
        return ScratchMemory(Path(scratch))
    except sqlite3.Error as fault:
        raise DatabaseProblem(f"the workers' scratch file {scratch} cannot be used: {fault}") from fault


def _of_postgres(executor: Executor) -> Volatile:
    from livecore_server.storage.postgres.executor import PostgresExecutor  # noqa: PLC0415 - an extra

    return executor.memory if isinstance(executor, PostgresExecutor) else Volatile()
