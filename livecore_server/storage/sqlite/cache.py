"""The caches of the committed state: rows by key and unique values, answers of whole scans, and sums.

Both caches keep two generations. New and used entries are in the young one; when that is full it becomes the old one, and
the previous old one is dropped. That is nearly least-recently-used, and a hit costs one look-up in a plain dictionary.
Entries are exact: the store replaces or drops every entry that a commit touches, and clears all when another process wrote.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Generic, TypeAlias, TypeVar

from livecore_server.storage.cache_keys import MISSING, CacheKey

__all__ = ["MISSING", "CacheKey", "RowCache", "ScanCache", "Shape"]

Shape: TypeAlias = "tuple[object, ...]"
"""The bounds, direction and limit of a scan, or the columns of sums."""
A = TypeVar("A", bound=Sized)


class RowCache:
    """Rows by cache key. Readers look in `young` themselves, and call `recall` only if that fails."""

    __slots__ = ("_limit", "_old", "young")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.young: dict[CacheKey, Any] = {}
        self._old: dict[CacheKey, Any] = {}

    def recall(self, place: CacheKey) -> Any:  # noqa: ANN401 - rows of any table, typed by the reader
        """The cached row, moved to the young generation, or `MISSING`."""
        row = self._old.get(place, MISSING)
        if row is not MISSING:
            self.put(place, row)
        return row

    def put(self, place: CacheKey, row: object) -> None:
        """Cache a committed row, or that there is none."""
        self.young[place] = row
        if len(self.young) > self._limit:
            self._old = self.young
            self.young = {}

    def put_all(self, rows: dict[CacheKey, Any]) -> None:
        """Cache the rows of a batch."""
        self.young.update(rows)
        if len(self.young) > self._limit:
            self._old = self.young
            self.young = {}

    def clear(self) -> None:
        """Forget everything."""
        self.young = {}
        self._old = {}

    def __len__(self) -> int:
        return len(self.young) + len(self._old)


class ScanCache(Generic[A]):
    """Answers by cache key and shape, such as lists of rows; the limit counts rows.

    It holds no answers of more than `most` rows, and at most eight shapes of one cache key.
    """

    __slots__ = ("_limit", "_most", "_old", "_weight", "_young")

    _MOST_SHAPES = 8

    def __init__(self, limit: int, most: int = 256) -> None:
        self._limit = limit
        self._most = most
        self._weight = 0
        self._young: dict[CacheKey, dict[Shape, A]] = {}
        self._old: dict[CacheKey, dict[Shape, A]] = {}

    def get(self, place: CacheKey, shape: Shape) -> A | None:
        """The cached answer, which the caller must not change."""
        shapes = self._young.get(place)
        if shapes is None:
            shapes = self._old.pop(place, None)
            if shapes is None:
                return None
            self._admit(place, shapes)
        return shapes.get(shape)

    def put(self, place: CacheKey, shape: Shape, rows: A) -> None:
        """Cache a complete answer."""
        if len(rows) > self._most:
            return
        shapes = self._young.pop(place, None) or {}
        self._weight -= _weight(shapes)
        if len(shapes) >= self._MOST_SHAPES:
            shapes.clear()
        shapes[shape] = rows
        self._admit(place, shapes)

    def _admit(self, place: CacheKey, shapes: dict[Shape, A]) -> None:
        self._young[place] = shapes
        self._weight += _weight(shapes)
        if self._weight > self._limit:
            self._old = self._young
            self._young = {}
            self._weight = 0

    def drop(self, place: CacheKey) -> None:
        """Drop every answer under a prefix."""
        self._old.pop(place, None)
        shapes = self._young.pop(place, None)
        if shapes is not None:
            self._weight -= _weight(shapes)

    def clear(self) -> None:
        """Forget everything."""
        self._young = {}
        self._old = {}
        self._weight = 0

    def __bool__(self) -> bool:
        """Whether it holds any answers."""
        return bool(self._young or self._old)


def _weight(shapes: dict[Shape, A]) -> int:
    return sum(map(len, shapes.values())) + len(shapes)
