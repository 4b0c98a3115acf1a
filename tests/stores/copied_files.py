"""New database files for the suite's stores: each is a copy of one that was migrated, which costs a tenth of migrating it.

The copy is what the migration of an empty file would have made; `test_copied_files.py` compares them. A file in which that
is recorded already needs nothing, which is seen by the record as it stands. Any other file that is not empty is migrated as
ever, and so is a new one in another process, such as a server that a test has started.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from functools import cache
from threading import Lock
from typing import Any, Final, TypeAlias

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage.sqlite.migrations import applied_names, migrate

Migrate: TypeAlias = Callable[[sqlite3.Connection, Iterable[Table[Any]], Millis], list[str]]
_copying: Final = Lock()
_RECORD: Final = "SELECT id, number, name, oldest_code, layout FROM livecore_migrations ORDER BY id"


def migrate_or_copy(connection: sqlite3.Connection, tables: Iterable[Table[Any]], now: Millis) -> list[str]:
    """As `migrate` does."""
    tables = tuple(tables)
    with _copying:
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if objects:
            as_ever = _recorded(connection) != _recorded(_migrated(tables))
            return migrate(connection, tables, now) if as_ever else []
        _migrated(tables).backup(connection)
        connection.execute("UPDATE livecore_migrations SET applied_at = ?", (now,))
        return applied_names(connection)


def _recorded(connection: sqlite3.Connection) -> list[tuple[object, ...]] | None:
    """What a file says of its migrations, but for when; none where it says nothing."""
    try:
        return connection.execute(_RECORD).fetchall()
    except sqlite3.OperationalError:
        return None


@cache
def _migrated(tables: tuple[Table[Any], ...]) -> sqlite3.Connection:
    """A database in memory that has these tables, made once."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, tables, 0)
    return connection
