"""Compares a scope in two databases: the number of rows of each table, the sums of the ledgers, and every row.

Rows are read in the order of their keys and hashed into one digest for each table, so no rows are kept. The two sides are
read alternately, a page from each, because a server would end a transaction that is idle while the other side is read. The
comparison finds every missing, duplicate or changed row, also if the source was written to after its rows were copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import zip_longest
from operator import attrgetter
from typing import Any, TypeAlias

import attrs

from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.scope import Scope
from livecore.kernel.storage.examination import View, in_key_order, pages
from livecore.kernel.storage.tables import Table

Advance: TypeAlias = "Callable[[int], None]"
_SUMMED = {HOLDINGS: attrgetter("amount"), ENTRIES: attrgetter("delta")}


@attrs.frozen
class Contents:
    """The summary of a table of a scope; `total` is the sum of the amounts of a ledger."""

    rows: int = 0
    total: int = 0
    digest: bytes = b""


@attrs.frozen
class Difference:
    """A table of a scope that differs between the two sides."""

    scope: Scope
    table: str
    source: Contents
    target: Contents

    def __str__(self) -> str:
        place = f"{self.scope.id} {self.table}"
        if self.source.rows != self.target.rows:
            return f"{place}: {self.source.rows} rows in the source, {self.target.rows} in the target"
        if self.source.total != self.target.total:
            return f"{place}: sums up to {self.source.total} in the source, to {self.target.total} in the target"
        return f"{place}: the rows differ"


class VerificationFailed(Exception):
    """The copy differs from its source."""

    def __init__(self, differences: Iterable[Difference]) -> None:
        self.differences = list(differences)
        lines = [str(difference) for difference in self.differences]
        lines.append("the copy differs from its source: stop every server, empty the target and copy again")
        super().__init__("\n".join(lines))


class _Tally:
    """The summary of a table so far."""

    def __init__(self, table: Table[Any]) -> None:
        self._values_of = attrgetter(*(column.name for column in table.columns))
        self._amount_of = _SUMMED.get(table)
        self._digest = blake2b(digest_size=32)
        self._rows = self._total = 0

    def add(self, rows: list[Any]) -> None:
        """Add a page."""
        for row in rows:
            self._digest.update(repr(self._values_of(row)).encode("utf-8", "surrogatepass"))
            self._total += 0 if self._amount_of is None else self._amount_of(row)
        self._rows += len(rows)

    @property
    def contents(self) -> Contents:
        """The summary."""
        return Contents(self._rows, self._total, self._digest.digest())


def compare(
    scope: Scope, tables: Iterable[Table[Any]], source: View, target: View, advance: Advance
) -> Iterator[tuple[Table[Any], Contents, Difference | None]]:
    """Each table with its contents in the target, and the difference from the source, if there is one."""
    for table in tables:
        wanted, found = _Tally(table), _Tally(table)
        nothing: list[Any] = []
        for ours, theirs in zip_longest(_pages(source, table), _pages(target, table), fillvalue=nothing):
            wanted.add(ours)
            found.add(theirs)
            advance(len(ours))
        alike = wanted.contents == found.contents
        yield table, found.contents, None if alike else Difference(scope, table.name, wanted.contents, found.contents)


def _pages(view: View, table: Table[Any]) -> Iterator[list[Any]]:
    return (rows for _, rows in pages(view, in_key_order(table)))
