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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import attrs

from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.rewriting import is_rewritable
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index, Key, Table, Value
from livecore.kernel.units.unit import Unit

R = TypeVar("R")
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
_Exporter: TypeAlias = "Callable[[Unit, PlayerId, Slice], Exported]"
"""Fills a list of an export."""


@attrs.frozen
class Export:
    """A list of an export: the shape of its rows, and what fills it."""

    row: type
    fill: _Exporter


# -- the rows of a player -------------------------------------------------------------------------------------------------


def references_of(table: Table[Any], column: str, player_id: str) -> Iterator[tuple[Index[Any], Key]]:
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


class EveryRow(NamedTuple):
    """What becomes of every row under a prefix of an index: it gets these values; without values it is deleted."""

    index: Index[Any]  # type: ignore[assignment] # instead of the search of a tuple
    prefix: Key
    values: Mapping[str, Value] | None

    @property
    def read(self) -> Scan[Any]:
        """The rows that are changed one by one, or one more than that where all are changed in bulk."""
        return Scan(self.index, self.prefix, limit=FEW + 1 if self._in_bulk else None)

    @property
    def _in_bulk(self) -> bool:
        return self.values is None or is_rewritable(self.index, self.values)

    def apply(self, tx: Transaction, rows: Sequence[Any], *, changed: bool) -> None:
        """Change the rows that the read has given; `changed` says that these rows may have been written since."""
        if self._in_bulk and len(rows) > FEW:
            if self.values is None:
                tx.clear(self.index, *self.prefix)
            else:
                tx.rewrite(self.index, self.prefix, self.values)
            return
        for row in self._still_there(tx, rows) if changed else rows:
            _change_row(tx, self.index.table, row, self.values)

    def _still_there(self, tx: Transaction, rows: Sequence[Any]) -> Iterator[Any]:
        index = self.index
        for row in rows:
            now = tx.get(index.table, *index.table.key_of(row))
            if now is not None and index.holds(now) and index.prefix_of(now) == self.prefix:
                yield now


class OneRow(NamedTuple):
    """What becomes of the row with this key, if there is one: as of `EveryRow`."""

    table: Table[Any]
    key: Key
    values: Mapping[str, Value] | None

    @property
    def read(self) -> Get[Any]:
        """The row."""
        return Get(self.table, self.key)

    def apply(self, tx: Transaction, row: Any, *, changed: bool) -> None:  # noqa: ANN401 - rows have no common type
        """Change the row that the read has given."""
        now = tx.get(self.table, *self.key) if changed else row
        if now is not None:
            _change_row(tx, self.table, now, self.values)


def _change_row(tx: Transaction, table: Table[R], row: R, values: Mapping[str, Value] | None) -> None:
    if values is None:
        tx.delete(table, *table.key_of(row))
    else:
        tx.put(table, evolve(row, **values))


def change_all(tx: Transaction, changes: Iterable[EveryRow | OneRow]) -> list[bool]:
    """Make changes in their order, after one call for the rows of all of them; says of each whether there were any rows.

    Few rows are changed one by one, more in bulk if possible.
    """
    changes = list(changes)
    found: list[Any] = tx.read_all(change.read for change in changes)
    written: dict[Table[Any], set[object]] = {}
    for change, rows in zip(changes, found, strict=True):
        table, way = (
            (change.index.table, change.index) if isinstance(change, EveryRow) else (change.table, change.table)
        )
        # What was found by one index under two prefixes is not the same.
        change.apply(tx, rows, changed=not written.setdefault(table, set()) <= {way})
        written[table].add(way)
    return [bool(rows) for rows in found]


def rewrite_all(tx: Transaction, index: Index[Any], prefix: Key, values: Mapping[str, Value]) -> None:
    """Write the same values into every row under a prefix: one by one if they are few, else in bulk if possible."""
    change_all(tx, [EveryRow(index, prefix, values)])
