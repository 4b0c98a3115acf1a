"""The caches of the committed state: rows by key and unique values, answers of whole scans, and sums.

Each cache keeps two generations. New and used entries are in the young one; when that is full it becomes the old one, and
the previous old one is dropped. That is nearly least-recently-used, and a hit costs one look-up in a plain dictionary.
Entries are exact: the store replaces or drops every entry that a commit touches, and clears all when another process wrote.

The caches are bounded by bytes, as `livecore_server.storage.sqlite.weights` estimates them. A row with long texts is not
kept: few of them would push out all others, and reading one takes the file some microseconds. The rows of the directory are
kept whatever their length, because a game's whole configuration is in one of them, and every request reads it.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Final, Generic, TypeAlias, TypeVar

from livecore.kernel.scope import DIRECTORY
from livecore_server.storage.cache_keys import MISSING, CacheKey
from livecore_server.storage.sqlite.weights import ENTRY_BYTES, NEVER_KEPT, weigh

CACHE_BYTES: Final = 64 * 1024 * 1024
"""How much memory all caches of a store may take, unless it is told otherwise."""
_MOST_ROW_BYTES: Final = 8 * 1024
"""A row that takes more is not kept, unless it is one of the directory."""
Shape: TypeAlias = "tuple[object, ...]"
"""The bounds, direction and limit of a scan, or the columns of sums."""
A = TypeVar("A", bound=Sized)


class RowCache:
    """Rows by cache key. Readers look in `young` themselves, and call `recall` only if that fails.

    `limit_bytes` is for both generations together.
    """

    __slots__ = ("_bytes", "_limit_bytes", "_old", "young")

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes // 2
        self._bytes = 0
        """What the young generation takes."""
        self.young: dict[CacheKey, Any] = {}
        self._old: dict[CacheKey, Any] = {}

    def recall(self, cache_key: CacheKey) -> Any:  # noqa: ANN401 - rows of any table, typed by the reader
        """The cached row, moved to the young generation, or `MISSING`."""
        row = self._old.get(cache_key, MISSING)
        if row is not MISSING:
            self.put(cache_key, row)
        return row

    def put(self, cache_key: CacheKey, row: object) -> None:
        """Cache a committed row, or that there is none."""
        self.put_all({cache_key: row})

    def put_all(self, rows: dict[CacheKey, Any]) -> None:
        """Cache the rows of a batch; those that are not kept are forgotten as they were before it."""
        young, total = self.young, self._bytes
        for cache_key, row in rows.items():
            weight = 0 if row is None else weigh(row)
            before = young.get(cache_key, MISSING)
            if before is not MISSING:
                total -= ENTRY_BYTES + (0 if before is None else weigh(before))
            if weight > _MOST_ROW_BYTES and (cache_key[0] != DIRECTORY.id or weight >= NEVER_KEPT):
                young.pop(cache_key, None)
                self._old.pop(cache_key, None)
            else:
                young[cache_key] = row
                total += ENTRY_BYTES + weight
        self._bytes = total
        if total > self._limit_bytes:
            self._old, self.young, self._bytes = young, {}, 0

    def clear(self) -> None:
        """Forget everything."""
        self.young = {}
        self._old = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self.young) + len(self._old)


class _Answers(Generic[A]):
    """The answers under one cache key, by their shapes."""

    __slots__ = ("by_shape", "weight")

    def __init__(self) -> None:
        self.by_shape: dict[Shape, A] = {}
        self.weight = ENTRY_BYTES


class ScanCache(Generic[A]):
    """Answers by cache key and shape, such as lists of rows; `limit_bytes` is for both generations together.

    It holds no answers of more than `most` members or of more than `share` of a generation, and at most eight shapes of one
    cache key.
    """

    __slots__ = ("_limit_bytes", "_most", "_most_bytes", "_old", "_weight", "_young")

    _MOST_SHAPES = 8

    def __init__(self, limit_bytes: int, *, most: int = 256, share: float = 1 / 16) -> None:
        self._limit_bytes = limit_bytes // 2
        self._most_bytes = int(self._limit_bytes * share)
        self._most = most
        self._weight = 0
        """What the young generation takes."""
        self._young: dict[CacheKey, _Answers[A]] = {}
        self._old: dict[CacheKey, _Answers[A]] = {}

    def takes(self, rows: A) -> bool:
        """Whether an answer is short enough to be weighed at all."""
        return len(rows) <= self._most

    def get(self, cache_key: CacheKey, shape: Shape) -> A | None:
        """The cached answer, which the caller must not change."""
        answers = self._young.get(cache_key)
        if answers is None:
            answers = self._old.pop(cache_key, None)
            if answers is None:
                return None
            self._admit(cache_key, answers)
        return answers.by_shape.get(shape)

    def put(self, cache_key: CacheKey, shape: Shape, rows: A, weight: int) -> None:
        """Cache a complete answer, whose contents take `weight` bytes."""
        weight += ENTRY_BYTES
        if not self.takes(rows) or weight > self._most_bytes:
            return
        answers = self._young.pop(cache_key, None)
        if answers is not None:
            self._weight -= answers.weight
        if answers is None or len(answers.by_shape) >= self._MOST_SHAPES:
            answers = _Answers()
        answers.by_shape[shape] = rows
        answers.weight += weight
        self._admit(cache_key, answers)

    def _admit(self, cache_key: CacheKey, answers: _Answers[A]) -> None:
        self._young[cache_key] = answers
        self._weight += answers.weight
        if self._weight > self._limit_bytes:
            self._old, self._young, self._weight = self._young, {}, 0

    def drop(self, cache_key: CacheKey) -> None:
        """Drop every answer under a prefix."""
        self._old.pop(cache_key, None)
        answers = self._young.pop(cache_key, None)
        if answers is not None:
            self._weight -= answers.weight

    def clear(self) -> None:
        """Forget everything."""
        self._young = {}
        self._old = {}
        self._weight = 0

    def __bool__(self) -> bool:
        """Whether it holds any answers."""
        return bool(self._young or self._old)
