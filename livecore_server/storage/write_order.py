"""The order in which a store carries out writes, so that rows can take over one another's unique values.

As in the store in memory: first bulk writes, then, in each table, deletions, changes of unique values, new rows, and all
other changes. Rows of different tables cannot be in one another's way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import attrs

from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Write
from livecore.kernel.storage.tables import Table
from livecore_server.storage.sql import unique_mask

Update: TypeAlias = "tuple[int, list[Any], Write]"
"""The mask of the changed columns, their new values as parameters, and the write."""
_ChangesOf: TypeAlias = "Callable[[Write], tuple[int, list[Any]]]"
"""The mask of the columns that a write changes, and their new values as parameters."""


@attrs.define(slots=True, eq=False)
class TableWrites:
    """What happens to the rows of one table, in the order of the fields."""

    table: Table[Any]
    deleted: list[Write] = attrs.Factory(list)
    moved: list[Update] = attrs.Factory(list)
    """The row whose unique values change; of several, none is left here."""
    inserted: list[Write] = attrs.Factory(list)
    changed: list[Update] = attrs.Factory(list)

    def sort_in(self, write: Write, changes_of: _ChangesOf) -> None:
        """Add a write."""
        if write.after is None:
            self.deleted.append(write)
        elif write.before is None:
            self.inserted.append(write)
        else:
            mask, values = changes_of(write)
            if mask & unique_mask(self.table):
                self.moved.append((mask, values, write))
            elif mask:
                self.changed.append((mask, values, write))

    def separate_moves(self) -> None:
        """One row can change its unique values in place. Several rows may be swapping them, so they are deleted first."""
        if len(self.moved) > 1:
            writes = [write for _, _, write in self.moved]
            self.deleted, self.moved, self.inserted = [*self.deleted, *writes], [], [*writes, *self.inserted]


def in_order(writes: Iterable[StoreWrite], changes_of: _ChangesOf) -> tuple[list[Rewrite], list[TableWrites]]:
    """The bulk writes, and then the writes of each table."""
    rewrites: list[Rewrite] = []
    tables: dict[Table[Any], TableWrites] = {}
    for write in writes:
        if isinstance(write, Rewrite):
            rewrites.append(write)
            continue
        of_table = tables.get(write.table)
        if of_table is None:
            of_table = tables[write.table] = TableWrites(write.table)
        of_table.sort_in(write, changes_of)
    for of_table in tables.values():
        of_table.separate_moves()
    return rewrites, list(tables.values())
