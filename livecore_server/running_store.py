"""What a server makes of a store: the executor of units of work, the ephemeral state, and what carries notices.

one process               executor of SQLite, state in the process, no carrier
several, over SQLite      the same executor, a shared file and sockets in the folder that the workers share
any number on PostgreSQL  executor of PostgreSQL, unlogged tables, NOTIFY
"""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Final, Protocol

import attrs

from livecore.kernel.units.ephemeral import EphemeralState
from livecore_server.ephemeral.file import EphemeralFile
from livecore_server.storage.database import Database, DatabaseProblem
from livecore_server.storage.limits import QueueLimits
from livecore_server.storage.ports import BatchObserver, Executor, WriterLock
from livecore_server.storage.sqlite import SqliteStore

_SHARED_FILE: Final = "memory.db"


class Carrier(Protocol):
    """Carries the notices of one process to the others, and theirs to it."""

    listening: asyncio.Event
    """Set while it receives the notices of the others."""

    async def run(self) -> None:
        """Carry notices until cancelled; returns if that is not possible."""


class Workers(Protocol):
    """What the workers of one server share."""

    @property
    def folder(self) -> Path:
        """The folder for data that need not last."""

    @property
    def writer_lock(self) -> WriterLock:
        """What they queue for before they write to a database file."""


@attrs.frozen(kw_only=True)
class RunningStore:
    """A store at work; closing the executor closes the store."""

    executor: Executor
    ephemeral: EphemeralState
    carrier: Carrier | None = None
    """`None` if a database file has only one process."""


def run_store(
    store: Database, observer: BatchObserver, limits: QueueLimits | None = None, workers: Workers | None = None
) -> RunningStore:
    """Make all of it for a store, which it owns; `workers` is given if there are several. Raises `DatabaseProblem`."""
    limits = limits or QueueLimits()
    if isinstance(store, SqliteStore):
        return _run_file(store, observer, limits, workers)
    from livecore_server.storage.postgres.batches.batch_scheduler import PostgresLimits  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.executor import PostgresExecutor  # noqa: PLC0415 - an extra

    executor = PostgresExecutor(store, observer=observer, limits=PostgresLimits.of(limits))
    return RunningStore(executor=executor, ephemeral=executor.ephemeral, carrier=executor.between_processes())


def _run_file(
    store: SqliteStore, observer: BatchObserver, limits: QueueLimits, workers: Workers | None
) -> RunningStore:
    from livecore_server.storage.sqlite.admission import SqliteLimits  # noqa: PLC0415 - for servers only
    from livecore_server.storage.sqlite.executor import SqliteExecutor  # noqa: PLC0415 - for servers only

    of_file = SqliteLimits.of(limits)
    if workers is None:
        executor = SqliteExecutor(store, observer=observer, limits=of_file)
        return RunningStore(executor=executor, ephemeral=EphemeralState())
    from livecore_server.workers.notice_sockets import WorkerNotices  # noqa: PLC0415 - its sockets are not on Windows

    shared = workers.folder / _SHARED_FILE
    try:
        ephemeral = EphemeralFile(shared)
    except sqlite3.Error as fault:
        store.close()
        raise DatabaseProblem(f"the workers' shared file {shared} cannot be used: {fault}") from fault
    executor = SqliteExecutor(store, observer=observer, limits=of_file, writer_lock=workers.writer_lock)
    carrier = WorkerNotices(workers.folder, executor.notices)
    return RunningStore(executor=executor, ephemeral=ephemeral, carrier=carrier)
