"""What the units of a batch that have finished have written: what the next ones read, and what will be committed.

    unit 1   reads the snapshot              finishes, its writes are laid over the snapshot
    unit 2     reads the snapshot ...             reads what unit 1 wrote, finishes

Units take turns while they wait for rows, so one may have read what another then changes and finishes with. `stale` finds
that out, and the unit runs again, on top of the other. So the units of a batch are as good as run one after the other, in
the order in which they finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from livecore.kernel.scope import Scope
from livecore.kernel.store import Reader, StoreConflict, Transaction, UniqueViolation, Write
from livecore_server.storage.cache_keys import MISSING, CacheKey
from livecore_server.storage.postgres.snapshot import Snapshot
from livecore_server.storage.postgres.statements import plan_of

__all__ = ["Overlay"]


class Overlay:
    """The effects of finished units over a snapshot."""

    def __init__(self, scope: Scope, snapshot: Snapshot, base: Reader) -> None:
        self.sum = Transaction(scope, base)
        """One transaction that has done what all of them did."""
        self.rows: dict[CacheKey, Any] = {}
        """Rows by key and by unique values, where they have been touched; `None`: there is none any more."""
        self.scans: set[CacheKey] = set()
        """The prefixes under which a row has been touched."""
        self.finished = 0
        """How many units with writes have finished."""
        self._snapshot = snapshot
        self._unseen: set[CacheKey] = set()
        """Keys and unique values that units have taken without anybody's having read whether they are free."""
        self._touched: dict[CacheKey, int] = {}

    def stale(self, places: Mapping[CacheKey, int]) -> bool:
        """Whether any of these places, read when so many units had finished, has been touched since by another one."""
        touched, finished = self._touched, self.finished
        return any(since < finished and touched.get(place, 0) > since for place, since in places.items())

    def add(self, writes: list[Write]) -> None:
        """Lay a unit's writes over everything before. Raises `UniqueViolation` for a taken key or value, changing nothing.

        That is found only where somebody has read the row in question: the database has the last word. So what a unit before
        has taken unseen must come to the database, and a unit that would give it up again raises `StoreConflict`.
        """
        scope = self._snapshot.scope
        rows: dict[CacheKey, Any] = {}
        scans: set[CacheKey] = set()
        unseen: set[CacheKey] = set()
        for write in writes:
            if write.before is not None:
                plan_of(write.table).places.leave(scope, write.before, rows, scans)
        for write in writes:
            if write.after is not None:
                self._refuse_taken(write, rows, unseen)
                plan_of(write.table).places.enter(scope, write.after, rows, scans)
            rows[scope, write.table, write.key] = write.after
        if any(rows[place] is None for place in self._unseen & rows.keys()):
            raise StoreConflict("a unit of the same batch has taken a key or a unique value unseen")
        for write in writes:
            _apply(self.sum, write)
        self.finished += 1
        self.rows.update(rows)
        self.scans |= scans
        self._unseen |= unseen
        self._touched.update(dict.fromkeys(rows, self.finished))
        self._touched.update(dict.fromkeys(scans, self.finished))

    def _refuse_taken(self, write: Write, moving: dict[CacheKey, Any], unseen: set[CacheKey]) -> None:
        """Raise `UniqueViolation` where a key or a unique value has a holder; note in `unseen` where nobody knows."""
        scope, table = self._snapshot.scope, write.table
        if write.before is None:
            place: CacheKey = (scope, table, write.key)
            if self._holder(place, moving, unseen) is not None:
                raise UniqueViolation(table.name, table.key)
        for unique in table.uniques:
            values = unique.values(write.after)
            if None in values:
                continue
            holder = self._holder((scope, unique, values), moving, unseen)
            if holder is not None and table.key_of(holder) != write.key:
                raise UniqueViolation(table.name, unique.columns)

    def _holder(self, place: CacheKey, moving: dict[CacheKey, Any], unseen: set[CacheKey]) -> Any:  # noqa: ANN401 - a row of any table
        for rows in (moving, self.rows, self._snapshot.rows):
            row = rows.get(place, MISSING)
            if row is not MISSING:
                return row
        unseen.add(place)
        return None


def _apply(sum_: Transaction, write: Write) -> None:
    if write.after is None:
        sum_.delete(write.table, *write.key)
    elif write.before is None:
        sum_.insert(write.table, write.after)
    else:
        sum_.put(write.table, write.after)
