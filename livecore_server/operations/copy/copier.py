"""Copies every scope of one database into another, in a way that can be interrupted and is verified.

    begin        nobody else has either open; the target is empty, or holds an unfinished copy of this source
    each scope   rows in the order of their keys, a few hundred in one transaction; then every row is compared
    directory    the same, last: until then the target has no game and no key, and cannot be served
    end          still nobody else has the source open; the mark of the unfinished copy is removed

The copy itself records its progress: rows are copied in order and in transactions, so the next run continues after the last
key of a table in the target. Only one batch is in memory at any time.

A rehearsal does the same with the state of one moment, also while servers go on. It cannot be continued, and leaves out the
vault key, so that a server that tries its result cannot send the webhooks that the original sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

import attrs

from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.scope import Scope
from livecore.kernel.storage.examination import PAGE_ROWS, View, in_key_order, pages
from livecore.kernel.storage.reads import Count, Scan
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.storage.tables import Key, Table
from livecore_server.operations.copy.differences import Difference, VerificationFailed, compare
from livecore_server.operations.copy.preconditions import (
    begin,
    copied_tables,
    end,
    ordered_scopes,
    out_of_use,
    refuse_half,
    refuse_use,
    rehearsal,
    still,
)
from livecore_server.operations.copy.vault_key import bring_key
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import Views, views_of

Advance: TypeAlias = "Callable[[int], None]"
"""Called with the number of further rows that have been copied or compared."""


@attrs.define
class Copied:
    """A completely copied scope: its rows, and the sums of its ledgers."""

    scope: Scope
    rows: int = 0
    held: int = 0
    posted: int = 0


def copy(
    source: Database,
    target: Database,
    *,
    expect: Callable[[int], None] = lambda _: None,
    advance: Advance = lambda _: None,
    page_rows: int = PAGE_ROWS,
    identity: str | None = None,
) -> list[Copied]:
    """Copy everything and compare it; `expect` is called once with the number of rows that `advance` will report.

    It continues an unfinished copy only of the same source: by default a source with the same first game, or, if that is
    not enough, with this `identity`. Raises `DatabaseProblem` if it cannot begin, and `VerificationFailed`; the target then
    cannot be served.
    """
    for store, name in ((source, "the source"), (target, "the target")):
        refuse_use(store, name)
    begin(source, target, identity)
    bring_key(source, target)
    with still(source):
        scopes, tables = ordered_scopes([*source.scopes(), *target.scopes()]), copied_tables(source)
        with views_of(source) as views:
            expect(2 * count_rows(views, scopes, tables))
        copied = [_copy_scope(source, target, scope, advance, page_rows) for scope in scopes]
    with out_of_use(source):
        end(target)
    return copied


def rehearse(
    source: Database,
    target: Database,
    *,
    expect: Callable[[int], None] = lambda _: None,
    advance: Advance = lambda _: None,
) -> list[Copied]:
    """Copy the state of this moment into an empty database, also while servers use the source, and compare it.

    Raises `DatabaseProblem` if it cannot begin, and `VerificationFailed`; the target then cannot be served.
    """
    refuse_use(target, "the target")
    begin(source, target, rehearsal())
    copied = copy_of_one_moment(source, target, expect=expect, advance=advance)
    end(target)
    return copied


def copy_of_one_moment(
    source: Database, target: Database, *, expect: Callable[[int], None], advance: Advance
) -> list[Copied]:
    """Copy what the source holds now, scope by scope, and compare it with that.

    Raises `DatabaseProblem` if the source is not a complete database, and `VerificationFailed`.
    """
    refuse_half(source)
    tables, copied = copied_tables(source), []
    with views_of(source) as views:
        scopes = ordered_scopes(views.scopes())
        expect(2 * count_rows(views, scopes, tables))
        for scope in scopes:
            for table in tables:
                copy_table(views, target, scope, table, advance)
            with views_of(target) as found:
                copied.append(_verified(scope, tables, views(scope), found(scope), advance))
    return copied


def count_rows(views: Views, scopes: Iterable[Scope], tables: Iterable[Table[Any]]) -> int:
    """How many rows these tables of these scopes have."""
    return sum(views(scope)().count(Count(in_key_order(table), ())) for scope in scopes for table in tables)


def _copy_scope(source: Database, target: Database, scope: Scope, advance: Advance, page_rows: int) -> Copied:
    tables = copied_tables(source)
    with views_of(source) as views:
        for table in tables:
            last, there = _reached(target, scope, table)
            advance(there)
            copy_table(views, target, scope, table, advance, after=last, page_rows=page_rows)
    with views_of(source) as wanted, views_of(target) as found:
        return _verified(scope, tables, wanted(scope), found(scope), advance)


def copy_table(
    views: Views,
    target: Store,
    scope: Scope,
    table: Table[Any],
    advance: Advance,
    *,
    after: Key | None = None,
    page_rows: int = PAGE_ROWS,
) -> None:
    """Copy the rows of a table of a scope `after` this key, a page in each transaction."""
    for _, rows in pages(views(scope), in_key_order(table), after=after, page_rows=page_rows):
        target.write(scope, partial(_insert, table=table, rows=rows))
        advance(len(rows))


def _reached(target: Database, scope: Scope, table: Table[Any]) -> tuple[Key | None, int]:
    """The last key that an earlier run has copied, and the number of rows up to it."""
    order = in_key_order(table)
    with views_of(target) as views:
        reader = views(scope)()
        last = reader.scan(Scan(order, (), reverse=True, limit=1))
        return (table.key_of(last[0]), reader.count(Count(order, ()))) if last else (None, 0)


def _insert(tx: Transaction, table: Table[Any], rows: list[Any]) -> None:
    for row in rows:
        tx.insert(table, row)


def _verified(scope: Scope, tables: Iterable[Table[Any]], wanted: View, found: View, advance: Advance) -> Copied:
    """Compare a scope with its source. Raises `VerificationFailed`."""
    copied, differences = Copied(scope), list[Difference]()
    for table, held, difference in compare(scope, tables, wanted, found, advance):
        copied.rows += held.rows
        if table is HOLDINGS:
            copied.held = held.total
        elif table is ENTRIES:
            copied.posted = held.total
        if difference is not None:
            differences.append(difference)
    if differences:
        raise VerificationFailed(differences)
    return copied
