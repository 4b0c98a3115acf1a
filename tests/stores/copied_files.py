"""New database files for the suite's stores: each is a copy of one that was migrated, which costs a tenth of migrating it.

The copy is what the migration of an empty file would have made; `test_copied_files.py` compares them. A file that is not
empty is migrated as ever, and so is a new one in another process, such as a server that a test has started.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from functools import cache
from threading import Lock
from typing import Any, Final, TypeAlias

from livecore.kernel.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage.sqlite.migrations import applied_names, migrate

__all__ = ["Migrate", "migrate_or_copy"]

Migrate: TypeAlias = Callable[[sqlite3.Connection, Iterable[Table[Any]], Millis], list[str]]
_copying: Final = Lock()


def migrate_or_copy(connection: sqlite3.Connection, tables: Iterable[Table[Any]], now: Millis) -> list[str]:
    """As `migrate` does."""
    tables = tuple(tables)
    with _copying:
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if objects:
            return migrate(connection, tables, now)
        _migrated(tables).backup(connection)
        connection.execute("UPDATE livecore_migrations SET applied_at = ?", (now,))
        return applied_names(connection)


@cache
def _migrated(tables: tuple[Table[Any], ...]) -> sqlite3.Connection:
    """A database in memory that has these tables, made once."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, tables, 0)
    return connection
