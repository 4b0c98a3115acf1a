"""Functions of the areas for merging, erasing and exporting a player's rows where a table's declaration is not enough.

The player tools go through every table. For most rows the declared policy is enough: the rows are reassigned, deleted or
emptied. An area with further rules writes a function for its table and names it in its `Area`; the tools call it without
knowing what it does:

    def unite_holdings(unit: Unit, merging: Merging) -> None: ...
    def end_pending_gifts(unit: Unit, erasing: Erasing) -> None: ...
    def exported_gifts(unit: Unit, player_id: PlayerId, page: Slice) -> Exported: ...

    AREA = Area(
        name="economy",
        folds={HOLDINGS: unite_holdings},
        erases={GIFTS: end_pending_gifts},
        exports={"gifts": Export(ExportedGift, exported_gifts)},
    )
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.records import PlayerId, evolve
from livecore.kernel.rewriting import is_rewritable
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Index, Key, Table, Value
from livecore.kernel.unit import Unit

__all__ = [
    "Afterwards",
    "Eraser",
    "Erasing",
    "Export",
    "Exported",
    "Exporter",
    "Folder",
    "Merging",
    "Slice",
    "clear_all",
    "places_of",
    "rewrite_all",
]

FEW: Final = 200
"""Up to this many rows are changed one by one; more are changed in bulk."""

Afterwards: TypeAlias = "Callable[[], None]"
"""What is done in the same transaction, once the rows of all tables are changed."""


@attrs.frozen(kw_only=True)
class Merging:
    """A merge: the source and the target, each with both ids.

    What must see all rows as the merge leaves them, a function of an area adds to `afterwards`.
    """

    source_id: PlayerId
    target_id: PlayerId
    source_external_id: str
    target_external_id: str
    afterwards: list[Afterwards] = attrs.field(factory=list, eq=False)


@attrs.frozen(kw_only=True)
class Erasing:
    """An erasure: the player's id, and the studio's id, which rows of other players may contain.

    Players who were merged into this one are erased too, each separately. The external id of such a player is the
    placeholder. What must see all rows as the erasure leaves them, a function of an area adds to `afterwards`.
    """

    player_id: PlayerId
    external_id: str
    afterwards: list[Afterwards] = attrs.field(factory=list, eq=False)


@attrs.frozen
class Slice:
    """A part of one list of an export: at most `limit` rows after a cursor."""

    limit: int
    cursor: str | None = None


@attrs.frozen
class Exported:
    """Rows of one list of an export, as the wire shows them, and the cursor of the rest."""

    rows: tuple[Any, ...]
    next_cursor: str | None = None


Folder: TypeAlias = "Callable[[Unit, Merging], None]"
"""Combines a table's rows of two players who are merged, before the declared policy is applied."""
Eraser: TypeAlias = "Callable[[Unit, Erasing], None]"
"""Handles a table's rows before the declared policy is applied."""
Exporter: TypeAlias = "Callable[[Unit, PlayerId, Slice], Exported]"
"""Fills a list of an export."""


@attrs.frozen
class Export:
    """A list of an export: the shape of its rows, and what fills it."""

    row: type
    fill: Exporter


# -- the rows of a player -------------------------------------------------------------------------------------------------


def places_of(table: Table[Any], column: str, player_id: str) -> Iterator[tuple[Index[Any], Key]]:
    """The indexes and prefixes that find the rows that name a player in a column.

    An index is suitable if it begins with the column, and if any further prefix columns have few declared values. Raises
    `LookupError` where the table has no such index.
    """
    few = {held.name: held.values for held in table.columns if held.values and not held.nullable}
    for index in table.indexes:
        leads = index.prefix[:1] == (column,) and set(index.prefix[1:]) <= few.keys()
        if leads and set(index.nullable) <= {column}:
            for rest in product(*(few[name] for name in index.prefix[1:])):
                yield index, (player_id, *rest)
            return
    raise LookupError(f"no index of {table.name} finds the rows of one player by {column}")


def rewrite_all(tx: Transaction, index: Index[Any], prefix: Key, values: Mapping[str, Value]) -> None:
    """Write the same values into every row under a prefix: one by one if they are few, else in bulk if possible."""
    rows = _few(tx, index, prefix, bulk=is_rewritable(index, values))
    if rows is None:
        tx.rewrite(index, prefix, values)
        return
    for row in rows:
        tx.put(index.table, evolve(row, **values))


def clear_all(tx: Transaction, index: Index[Any], prefix: Key) -> None:
    """Delete every row under a prefix."""
    rows = _few(tx, index, prefix, bulk=True)
    if rows is None:
        tx.clear(index, *prefix)
        return
    for row in rows:
        tx.delete(index.table, *index.table.key_of(row))


def _few(tx: Transaction, index: Index[Any], prefix: Key, *, bulk: bool) -> list[Any] | None:
    rows = tx.scan(index, *prefix, limit=FEW + 1 if bulk else None)
    return None if bulk and len(rows) > FEW else rows
