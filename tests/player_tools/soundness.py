"""Whether a world is sound: everything that `livecore check` would find in it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from livecore import World
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Write
from livecore.kernel.storage.tables import all_tables
from livecore_server.operations.check import check
from livecore_server.storage.sqlite import SqliteStore

_TABLES = {table.name: table for table in all_tables()}


def faults_of(world: World) -> list[str]:
    """What is wrong in a world."""
    world.flush()
    return faults_in(world.store.dump())


def faults_in(dump: dict[str, dict[str, list[Any]]]) -> list[str]:
    """What is wrong with rows; they are copied into a file, because only databases are read in the order of keys."""
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder) / "world.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        for scope, tables in dump.items():
            writes = [
                Write(_TABLES[name], _TABLES[name].key_of(row), None, row)
                for name, rows in tables.items()
                for row in rows
            ]
            store.apply(Scope.parse(scope), list(writes))
        report = check(store, store.scopes(), lambda _: None)
        return [f"{finding.table} {finding.key}: {finding.problem}" for _, finding in report.findings]
