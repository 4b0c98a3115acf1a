"""Finds what a database holds, without a change to it."""

from __future__ import annotations

from typing import Final

from livecore_server.storage.contents import Contents
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement, Wire
from livecore_server.storage.postgres.sql.text import decoded

_OURS: Final = b"SELECT 1 FROM livecore_migrations LIMIT 1"
# Tables in the schema where Livecore's would be made, without those of extensions.
_TABLES: Final = b"""
    SELECT c.relname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT 1 FROM pg_catalog.pg_depend d
      WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
"""
_NO_SUCH_TABLE: Final = "42P01"


def contents_of(wire: Wire) -> Contents:
    """What the database of a connection holds, in the schemas of its search path. Raises `Fault`, `Lost`."""
    try:
        (found,) = wire.ask([Statement(_OURS)])
        if found.ntuples:
            return Contents.OURS
    except Fault as fault:
        if fault.code != _NO_SUCH_TABLE:
            raise
    (tables,) = wire.ask([Statement(_TABLES)])
    names = (decoded(tables.get_value(row, 0) or b"") for row in range(tables.ntuples))
    # The base tables are made one after another, so some may exist without a record of any migration.
    return Contents.NOTHING if all(name.startswith("livecore_") for name in names) else Contents.STRANGE
