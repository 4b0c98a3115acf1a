"""Writes as statements, few of them: of the rows of one table, those with the same fate share one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import StoreWrite, Write
from livecore.kernel.storage.tables import Table
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.batch_sql import deletes_sql, inserts_sql, kinds_of, updates_sql
from livecore_server.storage.postgres.sql.rewrites import rewrite_statement
from livecore_server.storage.postgres.sql.statements import plan_of
from livecore_server.storage.postgres.sql.text import array, encoded, parameter
from livecore_server.storage.sql import changed_columns
from livecore_server.storage.write_order import TableWrites, Update, in_order

WriteStatements: TypeAlias = "list[tuple[Table[Any] | None, Statement]]"
"""Statements, and the table that each of them changes, if it is a declared one."""

_BUMP = (
    b"INSERT INTO livecore_versions (scope, name, version) VALUES ($1, $2, 1) "
    b"ON CONFLICT (scope, name) DO UPDATE SET version = livecore_versions.version + 1"
)


def statements_of(scope: Scope, writes: Sequence[StoreWrite]) -> WriteStatements:
    """The statements that carry writes out."""
    id_ = encoded(scope.id)
    statements = _statements(id_, writes)
    return statements + _version_statements(id_, writes) if scope == DIRECTORY else statements


def _statements(scope: bytes, writes: Sequence[StoreWrite]) -> WriteStatements:
    rewrites, tables = in_order(writes, _changes_of)
    found: WriteStatements = [(rewrite.table, rewrite_statement(scope, rewrite)) for rewrite in rewrites]
    for of_table in tables:
        found += [(of_table.table, statement) for statement in _of_table(scope, of_table)]
    return found


def _changes_of(write: Write) -> tuple[int, list[Any]]:
    return plan_of(write.table).codec.changes(write.before, write.after)


def _of_table(scope: bytes, of_table: TableWrites) -> Iterable[Statement]:
    table = of_table.table
    if of_table.deleted:
        yield _deletes(scope, table, of_table.deleted)
    for update in of_table.moved:
        yield _updates(scope, table, [update])
    if of_table.inserted:
        yield _inserts(scope, table, of_table.inserted)
    changed: dict[int, list[Update]] = {}
    for update in of_table.changed:
        changed.setdefault(update[0], []).append(update)
    for updates in changed.values():
        yield _updates(scope, table, updates)


def _deletes(scope: bytes, table: Table[Any], writes: list[Write]) -> Statement:
    if len(writes) == 1:
        return Statement(plan_of(table).delete, (scope, *map(parameter, writes[0].key)))
    return Statement(deletes_sql(table), (scope, *_keys(table, writes)))


def _inserts(scope: bytes, table: Table[Any], writes: list[Write]) -> Statement:
    plan = plan_of(table)
    if len(writes) == 1:
        return Statement(plan.insert, plan.codec.encode(scope, writes[0].after))
    names = [column.name for column in table.columns]
    return Statement(inserts_sql(table), (scope, *_columns(table, names, writes)))


def _updates(scope: bytes, table: Table[Any], updates: list[Update]) -> Statement:
    """Updates of the same columns."""
    mask, values, first = updates[0]
    if len(updates) == 1:
        return Statement(plan_of(table).update(mask), (*values, scope, *map(parameter, first.key)))
    names, writes = changed_columns(table, mask), [write for _, _, write in updates]
    return Statement(updates_sql(table, mask), (scope, *_keys(table, writes), *_columns(table, names, writes)))


def _keys(table: Table[Any], writes: list[Write]) -> list[bytes]:
    kinds, keys = kinds_of(table), zip(*(write.key for write in writes), strict=True)
    return [array(kinds[name], values) for name, values in zip(table.key, keys, strict=True)]


def _columns(table: Table[Any], names: Sequence[str], writes: list[Write]) -> list[bytes]:
    kinds, rows = kinds_of(table), [write.after for write in writes]
    return [array(kinds[name], list(map(attrgetter(name), rows))) for name in names]


def _version_statements(scope: bytes, writes: Sequence[StoreWrite]) -> WriteStatements:
    """Count up the version of each table that changes, for those who remember its rows."""
    names = sorted({write.table.name for write in writes})
    return [(None, Statement(_BUMP, (scope, encoded(name)))) for name in names]
