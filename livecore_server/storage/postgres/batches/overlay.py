"""The writes of a batch's finished units: later units read them, and the batch commits them.

    unit 1   reads the snapshot              finishes, its writes go into the overlay
    unit 2     reads the snapshot ...             reads what unit 1 wrote, finishes

Units alternate while they wait for rows, so one may have read rows that another then changes before it. `stale` detects
that, and the unit runs again, after the other one. So the result is the same as if the units had run one after the other,
in the order in which they finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from livecore.kernel.scope import Scope
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.store import StoreConflict, Transaction, UniqueViolation, Write
from livecore_server.storage.cache_keys import MISSING, CacheKey
from livecore_server.storage.changed_rows import ChangedRows
from livecore_server.storage.postgres.reads.read_set import ReadSet


class Overlay(ChangedRows):
    """The effects of finished units over a snapshot."""

    def __init__(self, scope: Scope, read_set: ReadSet, base: Reader) -> None:
        super().__init__()
        self.sum = Transaction(scope, base)
        """One transaction with the changes of all of them."""
        self.finished = 0
        """How many units with writes have finished."""
        self._read_set = read_set
        self._unseen: set[CacheKey] = set()
        """Keys and unique values that units have taken although no unit has read whether they are free."""
        self._touched: dict[CacheKey, int] = {}

    def stale(self, cache_keys: Mapping[CacheKey, int]) -> bool:
        """Whether another unit has changed any of these cache keys since they were read."""
        touched, finished = self._touched, self.finished
        return any(since < finished and touched.get(cache_key, 0) > since for cache_key, since in cache_keys.items())

    def add(self, writes: list[Write]) -> None:
        """Add a unit's writes. Raises `UniqueViolation` for a taken key or value, and then changes nothing.

        That is detected only if a unit has read the row in question; otherwise the database decides. So a value that an
        earlier unit has taken without such a read must reach the database, and a unit that would release it again raises
        `StoreConflict`.
        """
        scope = self._read_set.scope
        changed = ChangedRows()
        unseen: set[CacheKey] = set()
        changed.leave(scope, writes)
        for write in writes:
            if write.after is not None:
                self._refuse_taken(write, changed.rows, unseen)
            changed.enter(scope, write)
        if any(changed.rows[cache_key] is None for cache_key in self._unseen & changed.rows.keys()):
            raise StoreConflict("a unit of the same batch has taken a key or a unique value unseen")
        for write in writes:
            _apply(self.sum, write)
        self.finished += 1
        self.rows.update(changed.rows)
        self.scans |= changed.scans
        self._unseen |= unseen
        self._touched.update(dict.fromkeys((*changed.rows, *changed.scans), self.finished))

    def _refuse_taken(self, write: Write, moving: dict[CacheKey, Any], unseen: set[CacheKey]) -> None:
        """Raise `UniqueViolation` where a key or a unique value has a holder; note in `unseen` where nobody knows."""
        scope, table = self._read_set.scope, write.table
        if write.before is None:
            cache_key: CacheKey = (scope, table, write.key)
            if self._holder(cache_key, moving, unseen) is not None:
                raise UniqueViolation(table.name, table.key)
        for unique in table.uniques:
            values = unique.values(write.after)
            if None in values:
                continue
            holder = self._holder((scope, unique, values), moving, unseen)
            if holder is not None and table.key_of(holder) != write.key:
                raise UniqueViolation(table.name, unique.columns)

    def _holder(self, cache_key: CacheKey, moving: dict[CacheKey, Any], unseen: set[CacheKey]) -> Any:  # noqa: ANN401 - a row of any table
        for rows in (moving, self.rows, self._read_set.rows):
            row = rows.get(cache_key, MISSING)
            if row is not MISSING:
                return row
        unseen.add(cache_key)
        return None


def _apply(sum_: Transaction, write: Write) -> None:
    if write.after is None:
        sum_.delete(write.table, *write.key)
    elif write.before is None:
        sum_.insert(write.table, write.after)
    else:
        sum_.put(write.table, write.after)
