"""Checks all rows of a scope against rules, page by page.

A *rule* belongs to one table: it says what it needs to read besides the row, and what is wrong with the row. The tables are
read in the order of their keys, a page at a time. Before a page is checked, all that its rules need is read in one call. A
`View` gives a fresh reader of the same state for each page, so that no reader caches more than one page needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs

from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Scan
from livecore.kernel.storage.tables import Index, Key, Table, Value

R = TypeVar("R")
PAGE_ROWS: Final = 500
View: TypeAlias = "Callable[[], Reader]"
"""Gives a reader of a scope; all its readers show the same state."""
Noted: TypeAlias = "Callable[[int], None]"
"""Called with the number of further rows that have been checked."""
Tally: TypeAlias = "Counter[str]"
"""Counts that the check adds up and reports, by name: `holdings`, `held`."""

_ORDERS: dict[Table[Any], Index[Any]] = {}


@attrs.frozen
class Finding:
    """A broken rule: the table, the key, and what is wrong there."""

    table: str
    key: Key
    problem: str


@attrs.frozen(kw_only=True, eq=False)
class Rule(Generic[R]):
    """What must hold for each row of a table."""

    table: Table[R]
    needs: Callable[[R], Iterable[AnyRead]]
    """The reads that judging this row takes."""
    judge: Callable[[Reader, R], Iterator[str]]
    """Each fault of the row, as a sentence without its subject."""


@attrs.frozen(kw_only=True, eq=False)
class Sums:
    """Tables whose rows must add up, and how that is checked."""

    tables: tuple[Table[Any], ...]
    """The indexes that are read for it, each completely."""
    check: Callable[[View, Noted, Tally], Iterator[Finding]]
    """Finds what does not add up; it may also add to the counts."""


def all_under(reader: Reader, index: Index[R], *prefix: Value) -> list[R]:
    """Every row under a prefix, for a rule."""
    return reader.scan(Scan(index, prefix))


def in_key_order(table: Table[R]) -> Index[R]:
    """The order of the table's own key, over the whole scope.

    Databases have it anyway; the store in memory does not. It is not a declared index, so a store that caches scans does
    not invalidate a scan in this order. Therefore only a `View` may use it.
    """
    order = _ORDERS.get(table)
    if order is None:
        order = _ORDERS[table] = Index(table, "in_key_order", (), table.key)
    return order


def pages(
    view: View, index: Index[R], *, after: Key | None = None, page_rows: int = PAGE_ROWS
) -> Iterator[tuple[Reader, list[R]]]:
    """All rows in the order of an index without a prefix, after the place `after`: page by page, each with its reader."""
    while True:
        reader = view()
        rows = reader.scan(Scan(index, (), after=after, limit=page_rows))
        if rows:
            yield reader, rows
            after = index.position_of(rows[-1])
        if len(rows) < page_rows:
            return


def walk(view: View, index: Index[R], noted: Noted) -> Iterator[R]:
    """The same, row by row."""
    for _, rows in pages(view, index):
        yield from rows
        noted(len(rows))


def examine(view: View, rules: Iterable[Rule[Any]], noted: Noted) -> Iterator[Finding]:
    """What the rules find, table by table, in the order in which the tables first appear in the rules."""
    by_table: dict[Table[Any], list[Rule[Any]]] = {}
    for rule in rules:
        by_table.setdefault(rule.table, []).append(rule)
    for table, held in by_table.items():
        for reader, rows in pages(view, in_key_order(table)):
            reader.load([wanted for row in rows for rule in held for wanted in rule.needs(row)])
            yield from _judged(reader, table, held, rows)
            noted(len(rows))


def _judged(reader: Reader, table: Table[Any], rules: list[Rule[Any]], rows: list[Any]) -> Iterator[Finding]:
    for row in rows:
        for rule in rules:
            for problem in rule.judge(reader, row):
                yield Finding(table.name, table.key_of(row), problem)
