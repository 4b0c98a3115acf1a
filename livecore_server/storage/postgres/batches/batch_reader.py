"""The reads of a batch's units: from one shared snapshot, overlaid with the writes of earlier units.

A unit that needs rows suspends and waits for `ROWS`, until the batch has read them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, Final, TypeVar

from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.tables import Key, Table, Unique, Value
from livecore_server.storage.cache_keys import MISSING, CacheKey
from livecore_server.storage.postgres.batches.overlay import Overlay
from livecore_server.storage.postgres.connections.suspension import wait_for
from livecore_server.storage.postgres.reads.read_set import ReadSet
from livecore_server.storage.postgres.reads.reader import LoadingReader

R = TypeVar("R")
_FEWEST_ROWS: Final = 64


class _Rows:
    """Stands for the rows that a unit waits for; the batch recognises it."""

    def __await__(self) -> Generator[Any, None, None]:
        raise RuntimeError("rows come to the units of a batch only")


ROWS: Final = _Rows()


class SharedReader(LoadingReader):
    """The snapshot of a batch."""

    __slots__ = ()

    def send(self) -> None:
        """Suspend until the batch has read the wanted rows."""
        wait_for(ROWS)


class GenerousReader(SharedReader):
    """The snapshot beneath the overlay.

    The more rows the overlay holds, the more rows it needs from a limited scan. The limit is rounded up, so that successive
    units do not each request one more row.
    """

    __slots__ = ()

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        limit = scan.limit
        if limit is None:
            return super().scan(scan)
        return super().scan(scan._replace(limit=_generous(limit)))[:limit]


def _generous(limit: int) -> int:
    return max(_FEWEST_ROWS, 1 << limit.bit_length())


class UnitReader(SharedReader):
    """The snapshot with the overlay; notes what the unit has read, and how many units had finished then."""

    __slots__ = ("_overlay", "cache_keys", "saw_uncommitted")

    def __init__(self, read_set: ReadSet, overlay: Overlay) -> None:
        super().__init__(read_set)
        self._overlay = overlay
        self.cache_keys: dict[CacheKey, int] = {}
        self.saw_uncommitted = False

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        cache_key = (self._scope, table, key)
        row: R | None = self._overlay.rows.get(cache_key, MISSING)
        return self._laid_over(cache_key, super().get(table, key) if row is MISSING else row)

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        cache_key = (self._scope, unique, values)
        row: R | None = self._overlay.rows.get(cache_key, MISSING)
        return self._laid_over(cache_key, super().find(unique, values) if row is MISSING else row)

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Read these in one round, without the rows that earlier units have written, and of touched prefixes more."""
        wanted: list[AnyRead] = []
        for read in reads:
            if isinstance(read, Get | Find):
                if (self._scope, read[0], read[1]) not in self._overlay.rows:
                    wanted.append(read)
            elif isinstance(read, Scan) and read.limit is not None and self._is_touched(read):
                wanted.append(read._replace(limit=_generous(read.limit)))
            else:
                wanted.append(read)
        super().load(wanted)

    def _is_touched(self, scan: Scan[Any]) -> bool:
        return (self._scope, scan.index, scan.prefix) in self._overlay.scans

    def _laid_over(self, cache_key: CacheKey, row: R | None) -> R | None:
        """The current row: other units may have finished during the wait."""
        over: R | None = self._overlay.rows.get(cache_key, MISSING)
        self.cache_keys.setdefault(cache_key, self._overlay.finished)
        if over is MISSING:
            return row
        self.saw_uncommitted = True
        return over

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        cache_key = (self._scope, scan.index, scan.prefix)
        if cache_key not in self._overlay.scans:
            rows = super().scan(scan)
            if self._untouched(cache_key):
                return rows
        self._note_touched(cache_key)
        return self._overlay.sum.scanned(scan)

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        cache_key = (self._scope, count.index, count.prefix)
        if cache_key not in self._overlay.scans:
            total = super().count(count)
            if self._untouched(cache_key):
                return total
        self._note_touched(cache_key)
        return self._overlay.sum.counted(count)

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds."""
        cache_key = (self._scope, sums.index, sums.prefix)
        if cache_key not in self._overlay.scans:
            found = super().sums(sums)
            if self._untouched(cache_key):
                return found
        self._note_touched(cache_key)
        return self._overlay.sum.summed(sums)

    def uncommitted(self, table: Table[R]) -> tuple[Sequence[R]]:
        """The rows of a ranked table that earlier units of the batch have written."""
        rows = self._overlay.sum.written(table)
        self.saw_uncommitted = self.saw_uncommitted or bool(rows)
        return (rows,)

    def _untouched(self, cache_key: CacheKey) -> bool:
        """Whether a prefix is unchanged since the snapshot, checked after the wait."""
        if cache_key in self._overlay.scans:
            return False
        self.cache_keys.setdefault(cache_key, self._overlay.finished)
        return True

    def _note_touched(self, cache_key: CacheKey) -> None:
        """Note the read before the rows are combined, because other units may finish during a wait."""
        self.cache_keys.setdefault(cache_key, self._overlay.finished)
        self.saw_uncommitted = True
