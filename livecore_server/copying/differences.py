"""Comparing a scope in two databases: how many rows each table has, what the ledgers sum up to, and every row.

Rows are read in the order of their keys on both sides and go into one digest a table, so nothing is kept. Whatever was
lost, doubled or changed shows, also when the source has been written to since its rows were copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from operator import attrgetter
from typing import Any, TypeAlias

import attrs

from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.examination import View, in_key_order, walk
from livecore.kernel.scope import Scope
from livecore.kernel.tables import Table

__all__ = ["Contents", "Difference", "VerificationFailed", "compare", "contents"]

Tell: TypeAlias = "Callable[[int], None]"
_SUMMED = {HOLDINGS: attrgetter("amount"), ENTRIES: attrgetter("delta")}


@attrs.frozen
class Contents:
    """What a table of a scope comes to; `total` sums up the amounts of a ledger."""

    rows: int = 0
    total: int = 0
    digest: bytes = b""


@attrs.frozen
class Difference:
    """A table of a scope that is not alike on both sides."""

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
    """The copy is not like its source."""

    def __init__(self, differences: Iterable[Difference]) -> None:
        self.differences = list(differences)
        lines = [str(difference) for difference in self.differences]
        lines.append("the copy is not like its source: stop every server, empty the target and copy again")
        super().__init__("\n".join(lines))


def contents(view: View, table: Table[Any], tell: Tell) -> Contents:
    """Read a table of a scope from one end to the other."""
    digest, rows, total = blake2b(digest_size=32), 0, 0
    values_of = attrgetter(*(column.name for column in table.columns))
    amount_of = _SUMMED.get(table)
    for row in walk(view, in_key_order(table), tell):
        digest.update(repr(values_of(row)).encode("utf-8", "surrogatepass"))
        rows += 1
        total += 0 if amount_of is None else amount_of(row)
    return Contents(rows, total, digest.digest())


def compare(
    scope: Scope, tables: Iterable[Table[Any]], source: View, target: View, tell: Tell
) -> Iterator[tuple[Table[Any], Contents, Difference | None]]:
    """Each table with what it holds in the target, and how that differs from the source, if it does."""
    for table in tables:
        wanted, found = contents(source, table, tell), contents(target, table, lambda _: None)
        yield table, found, None if wanted == found else Difference(scope, table.name, wanted, found)
