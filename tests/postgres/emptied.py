"""Empties a database of the service for the next test, which costs a tenth of making another one from the template.

`Blank` is how a database with the service's tables was when it was made: what its catalog says, and the few rows that it
had. `Blank.again` brings a used database back to it, or says that it cannot: when somebody is still connected, when the
catalog has changed, or when so much was written that what is left of it would slow down its next user.
"""

from __future__ import annotations

from typing import Final

import attrs
import psycopg
from psycopg import sql

_MOST_BYTES: Final = 4_000_000
_CONNECTED: Final = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_CATALOGS: Final = ("attrdef", "attribute", "class", "constraint", "extension", "index", "proc", "trigger", "type")
# A change of the catalog writes a row of it, and a row tells which transaction has written it. Vacuuming does not.
_CHANGED: Final = "SELECT '{0}', count(*), max(xmin::text::bigint) FROM pg_catalog.pg_{0}"
_SETTINGS: Final = """
    SELECT 'settings ' || coalesce(string_agg(setrole || ' ' || setconfig::text, ' ' ORDER BY setrole), ''), count(*), 0
    FROM pg_catalog.pg_db_role_setting
    JOIN pg_catalog.pg_database d ON d.oid = setdatabase WHERE datname = current_database()
"""
_CATALOG: Final = " UNION ALL ".join([*map(_CHANGED.format, _CATALOGS), _SETTINGS])
_WRITTEN: Final = """
    SELECT relname, pg_relation_size(oid) FROM pg_catalog.pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
"""

Connection = psycopg.Connection[tuple[object, ...]]


@attrs.frozen
class Blank:
    """What a database was when it was made."""

    catalog: list[tuple[object, ...]]
    rows: dict[str, bytes]
    """The rows of each table that had any, as COPY writes them."""

    @classmethod
    def of(cls, url: str) -> Blank:
        """As this one is now."""
        with psycopg.connect(url, autocommit=True) as connection:
            return cls(_catalog(connection), {name: _copied(connection, name) for name, _ in _written(connection)})

    def again(self, url: str) -> bool:
        """Bring a database back to this; gives whether it is, and otherwise it may be used no more."""
        with psycopg.connect(url) as connection:
            written = _written(connection)
            if connection.execute(_CONNECTED).fetchone() != (0,) or _catalog(connection) != self.catalog:
                return False
            if sum(size for _, size in written) > _MOST_BYTES:
                return False
            for name, _ in written:
                before = self.rows.get(name, b"")
                if _copied(connection, name) == before:
                    continue
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
                if before:
                    with connection.cursor().copy(_statement("COPY {} FROM STDIN", name)) as copy:
                        copy.write(before)
            return True


def _catalog(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute(_CATALOG).fetchall()


def _written(connection: Connection) -> list[tuple[str, int]]:
    """The tables that hold anything or have held it, with their sizes in bytes."""
    return [(str(name), int(str(size))) for name, size in connection.execute(_WRITTEN)]


def _copied(connection: Connection, table: str) -> bytes:
    with connection.cursor().copy(_statement("COPY {} TO STDOUT", table)) as copy:
        return b"".join(bytes(part) for part in copy)


def _statement(text: str, table: str) -> sql.Composed:
    return sql.SQL(text).format(sql.Identifier(table))
