"""Going through everything that a scope holds, page by page, and saying what is wrong with it.

A *rule* is about the rows of one table: what it needs to read besides the row, and what it then finds wrong. The tables are
walked in the order of their keys, a page at a time; before a page is judged, all that its rules need is announced at once. A
`View` gives a fresh reader of one and the same state for each page, so that no reader has to remember more than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs

from livecore.kernel.store import Reader, Wanted
from livecore.kernel.tables import Index, Key, Table, Value

__all__ = [
    "PAGE_ROWS",
    "Finding",
    "Noted",
    "Rule",
    "Sums",
    "Tally",
    "View",
    "all_under",
    "examine",
    "in_key_order",
    "pages",
    "walk",
]

R = TypeVar("R")
PAGE_ROWS: Final = 500
View: TypeAlias = "Callable[[], Reader]"
"""Gives a reader of a scope; every one that it gives shows the same state."""
Noted: TypeAlias = "Callable[[int], None]"
"""Is told how many further rows have been looked at."""
Tally: TypeAlias = "Counter[str]"
"""What is added up on the way and reported, by name: `holdings`, `held`."""

_ORDERS: dict[Table[Any], Index[Any]] = {}


@attrs.frozen
class Finding:
    """Something that must not be: in which table, under which key, and what is wrong there."""

    table: str
    key: Key
    problem: str


@attrs.frozen(kw_only=True, eq=False)
class Rule(Generic[R]):
    """What must hold for each row of a table."""

    table: Table[R]
    needs: Callable[[R], Iterable[Wanted]]
    """The reads that judging this row takes."""
    judge: Callable[[Reader, R], Iterator[str]]
    """Each thing that is wrong with the row, as a sentence without its subject."""


@attrs.frozen(kw_only=True, eq=False)
class Sums:
    """Tables whose rows must add up to one another, and how that is looked at."""

    tables: tuple[Table[Any], ...]
    """What is read for it, each from one end to the other."""
    check: Callable[[View, Noted, Tally], Iterator[Finding]]
    """What does not add up; it may count what it sees."""


def all_under(reader: Reader, index: Index[R], *prefix: Value) -> list[R]:
    """Every row under a prefix, as a rule asks for them."""
    return reader.scan(index, prefix, start=None, after=None, stop=None, reverse=False, limit=None)


def in_key_order(table: Table[R]) -> Index[R]:
    """The order of the table's own key, over the whole scope.

    Databases keep it anyway; the store in memory does not. It is no declared index, so a store that remembers scans does
    not notice when one in this order has become untrue: only a `View` may use it.
    """
    order = _ORDERS.get(table)
    if order is None:
        order = _ORDERS[table] = Index(table, "in_key_order", (), table.key)
    return order


def pages(
    view: View, index: Index[R], *, after: Key | None = None, page_rows: int = PAGE_ROWS
) -> Iterator[tuple[Reader, list[R]]]:
    """All rows in the order of an index without a prefix, beyond `after`: page by page, each with its reader."""
    while True:
        reader = view()
        rows = reader.scan(index, (), start=None, after=after, stop=None, reverse=False, limit=page_rows)
        if rows:
            yield reader, rows
            after = index.place_of(rows[-1])
        if len(rows) < page_rows:
            return


def walk(view: View, index: Index[R], noted: Noted) -> Iterator[R]:
    """The same, row by row."""
    for _, rows in pages(view, index):
        yield from rows
        noted(len(rows))


def examine(view: View, rules: Iterable[Rule[Any]], noted: Noted) -> Iterator[Finding]:
    """What the rules find, table by table in the order in which the rules name them."""
    by_table: dict[Table[Any], list[Rule[Any]]] = {}
    for rule in rules:
        by_table.setdefault(rule.table, []).append(rule)
    for table, held in by_table.items():
        for reader, rows in pages(view, in_key_order(table)):
            reader.prefetch([wanted for row in rows for rule in held for wanted in rule.needs(row)])
            yield from _judged(reader, table, held, rows)
            noted(len(rows))


def _judged(reader: Reader, table: Table[Any], rules: list[Rule[Any]], rows: list[Any]) -> Iterator[Finding]:
    for row in rows:
        for rule in rules:
            for problem in rule.judge(reader, row):
                yield Finding(table.name, table.key_of(row), problem)
