"""Writes as statements: few of them, in an order in which rows may take over one another's unique values.

Like the store in memory: what is rewritten at once goes first, then what goes away, what moves, and what comes. Within that
order the rows of one table are deleted, inserted or updated together, in one statement of each sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

import attrs

from livecore.kernel.rewriting import Rewrite
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.store import Step, Write
from livecore.kernel.tables import Table
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.batch_sql import deletes_sql, inserts_sql, kinds_of, updates_sql
from livecore_server.storage.postgres.sql.rewrites import rewrite_statement
from livecore_server.storage.postgres.sql.statements import plan_of
from livecore_server.storage.postgres.sql.text import array, encoded, parameter
from livecore_server.storage.sql import changed_columns

__all__ = ["Steps", "steps_of"]

Steps: TypeAlias = "list[tuple[Table[Any] | None, Statement]]"
"""Statements, and the table that each of them changes, if it is a declared one."""

_BUMP = (
    b"INSERT INTO livecore_versions (scope, name, version) VALUES ($1, $2, 1) "
    b"ON CONFLICT (scope, name) DO UPDATE SET version = livecore_versions.version + 1"
)


@attrs.define(slots=True, eq=False)
class _Changes:
    """What happens to the rows of one table."""

    gone: list[Write] = attrs.Factory(list)
    moved: list[tuple[int, Write]] = attrs.Factory(list)
    """Rows whose unique values change, with the mask of their columns."""
    new: list[Write] = attrs.Factory(list)
    changed: dict[int, list[Write]] = attrs.Factory(dict)
    """Rows that stay where they are, by the mask of their columns."""


def steps_of(scope: Scope, writes: Sequence[Step]) -> Steps:
    """The statements that carry writes out."""
    id_ = encoded(scope.id)
    steps = _steps(id_, writes)
    return steps + _version_steps(id_, writes) if scope == DIRECTORY else steps


def _steps(scope: bytes, writes: Sequence[Step]) -> Steps:
    rewrites: Steps = []
    tables: dict[Table[Any], _Changes] = {}
    for write in writes:
        if isinstance(write, Rewrite):
            rewrites.append((write.table, rewrite_statement(scope, write)))
        else:
            changes = tables.get(write.table)
            if changes is None:
                changes = tables[write.table] = _Changes()
            _sort_in(changes, write)
    return rewrites + [
        (table, statement) for table, changes in tables.items() for statement in _of_table(scope, table, changes)
    ]


def _sort_in(changes: _Changes, write: Write) -> None:
    if write.after is None:
        changes.gone.append(write)
        return
    if write.before is None:
        changes.new.append(write)
        return
    plan = plan_of(write.table)
    mask, _ = plan.codec.changes(write.before, write.after)
    if mask & plan.unique_mask:
        changes.moved.append((mask, write))
    elif mask:
        changes.changed.setdefault(mask, []).append(write)


def _of_table(scope: bytes, table: Table[Any], changes: _Changes) -> Iterable[Statement]:
    gone, new, moved = changes.gone, changes.new, changes.moved
    if len(moved) > 1:
        # They may be swapping their unique values: all of them are taken out first.
        gone, new, moved = gone + [write for _, write in moved], [write for _, write in moved] + new, []
    if gone:
        yield _deletes(scope, table, gone)
    for mask, write in moved:
        yield _updates(scope, table, mask, [write])
    if new:
        yield _inserts(scope, table, new)
    for mask, writes in changes.changed.items():
        yield _updates(scope, table, mask, writes)


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


def _updates(scope: bytes, table: Table[Any], mask: int, writes: list[Write]) -> Statement:
    plan = plan_of(table)
    if len(writes) == 1:
        (write,) = writes
        _, values = plan.codec.changes(write.before, write.after)
        return Statement(plan.update(mask), (*values, scope, *map(parameter, write.key)))
    names = changed_columns(table, mask)
    return Statement(updates_sql(table, mask), (scope, *_keys(table, writes), *_columns(table, names, writes)))


def _keys(table: Table[Any], writes: list[Write]) -> list[bytes]:
    kinds, keys = kinds_of(table), zip(*(write.key for write in writes), strict=True)
    return [array(kinds[name], values) for name, values in zip(table.key, keys, strict=True)]


def _columns(table: Table[Any], names: Sequence[str], writes: list[Write]) -> list[bytes]:
    kinds, rows = kinds_of(table), [write.after for write in writes]
    return [array(kinds[name], list(map(attrgetter(name), rows))) for name in names]


def _version_steps(scope: bytes, writes: Sequence[Step]) -> Steps:
    """Count up the version of each table that changes, for those who remember its rows."""
    names = sorted({write.table.name for write in writes})
    return [(None, Statement(_BUMP, (scope, encoded(name)))) for name in names]
