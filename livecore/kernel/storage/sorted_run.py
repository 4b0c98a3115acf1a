"""Sorted positions of the store in memory: one list while they are few, and lists of lists once they are many."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import Any

from livecore.kernel.storage.tables import Key

_CHUNK = 512


class SortedRun:
    """Sorted positions, of which adding and removing stay cheap in a run of a million.

    Most runs hold one position or a few, so these are a plain list. Above 1,024 they are in chunks of at most as many.
    """

    __slots__ = ("_chunks", "_lasts", "_plain")

    def __init__(self) -> None:
        self._plain: list[Any] = []
        self._chunks: list[list[Any]] | None = None
        """In place of the plain list, once there are many."""
        self._lasts: list[Any] | None = None
        """The last position of each chunk."""

    def add(self, position: Key) -> None:
        """Add a position."""
        if self._chunks is not None:
            self._add_to_chunk(position)
            return
        plain = self._plain
        if not plain or position > plain[-1]:  # the newest position is usually the last
            plain.append(position)
        else:
            insort(plain, position)
        if len(plain) > 2 * _CHUNK:
            self._chunks = [plain[:_CHUNK], plain[_CHUNK:]]
            self._lasts = [plain[_CHUNK - 1], plain[-1]]
            self._plain = []

    def _add_to_chunk(self, position: Key) -> None:
        chunks, lasts = self._many()
        if not chunks:
            chunks.append([position])
            lasts.append(position)
            return
        if position > lasts[-1]:
            at = len(chunks) - 1
            chunk = chunks[at]
            chunk.append(position)
        else:
            at = bisect_left(lasts, position)
            chunk = chunks[at]
            insort(chunk, position)
        if len(chunk) > 2 * _CHUNK:
            chunks[at : at + 1] = [chunk[:_CHUNK], chunk[_CHUNK:]]
            lasts[at : at + 1] = [chunk[_CHUNK - 1], chunk[-1]]
        else:
            lasts[at] = chunk[-1]

    def remove(self, position: Key) -> None:
        """Remove a position, which must exist."""
        if self._chunks is None:
            del self._plain[bisect_left(self._plain, position)]
            return
        chunks, lasts = self._many()
        at = bisect_left(lasts, position)
        chunk = chunks[at]
        del chunk[bisect_left(chunk, position)]
        if chunk:
            lasts[at] = chunk[-1]
        else:
            del chunks[at], lasts[at]

    def copy(self) -> SortedRun:
        """The same places in a run of its own."""
        run = SortedRun()
        run._plain = list(self._plain)
        if self._chunks is not None:
            run._chunks = [list(chunk) for chunk in self._chunks]
            run._lasts = list(self._many()[1])
        return run

    def between(
        self, start: Key | None, after: Key | None, stop: Key | None, *, reverse: bool, limit: int | None = None
    ) -> list[Any]:
        """The positions within the bounds, in order or reversed; at most `limit`."""
        if self._chunks is not None:
            return self._between_chunks(start, after, stop, reverse=reverse, limit=limit)
        plain = self._plain
        low = 0 if start is None else bisect_left(plain, start)
        if after is not None:
            low = max(low, bisect_right(plain, after))
        high = len(plain) if stop is None else bisect_left(plain, stop)
        return _piece(plain, low, high, reverse=reverse, limit=limit)

    def _between_chunks(
        self, start: Key | None, after: Key | None, stop: Key | None, *, reverse: bool, limit: int | None
    ) -> list[Any]:
        chunks, _ = self._many()
        low, high = self._bounds(start, after, stop)
        places = range(low[0], min(high[0] + 1, len(chunks)))
        found: list[Any] = []
        for at in reversed(places) if reverse else places:
            left = None if limit is None else limit - len(found)
            if left is not None and left <= 0:
                break
            chunk = chunks[at]
            first = low[1] if at == low[0] else 0
            last = high[1] if at == high[0] else len(chunk)
            found += _piece(chunk, first, last, reverse=reverse, limit=left)
        return found

    def __bool__(self) -> bool:
        return bool(self._plain if self._chunks is None else self._chunks)

    def count(self, start: Key | None, stop: Key | None) -> int:
        """How many positions lie within the bounds."""
        if self._chunks is None:
            low = 0 if start is None else bisect_left(self._plain, start)
            high = len(self._plain) if stop is None else bisect_left(self._plain, stop)
            return max(high - low, 0)
        first, last = self._bounds(start, None, stop)
        if first >= last:
            return 0
        return sum(len(chunk) for chunk in self._chunks[first[0] : last[0]]) - first[1] + last[1]

    # -- many

    def _many(self) -> tuple[list[list[Any]], list[Any]]:
        chunks, lasts = self._chunks, self._lasts
        assert chunks is not None and lasts is not None  # noqa: S101, PT018 - only asked for where they are many
        return chunks, lasts

    def _bounds(
        self, start: Key | None, after: Key | None, stop: Key | None
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """The chunk and the place in it of the first position within, and of the first beyond."""
        chunks, lasts = self._many()
        low = (0, 0)
        if start is not None:
            at = bisect_left(lasts, start)
            low = (at, bisect_left(chunks[at], start) if at < len(chunks) else 0)
        if after is not None:
            at = bisect_right(lasts, after)
            low = max(low, (at, bisect_right(chunks[at], after) if at < len(chunks) else 0))
        high = (len(chunks), 0)
        if stop is not None:
            at = bisect_left(lasts, stop)
            high = (at, bisect_left(chunks[at], stop) if at < len(chunks) else 0)
        return low, high


def _piece(positions: list[Any], low: int, high: int, *, reverse: bool, limit: int | None) -> list[Any]:
    """A part of a sorted list, in order or reversed; at most `limit` from where reading begins."""
    if limit is not None and high - low > limit:
        if reverse:
            low = high - limit
        else:
            high = low + limit
    piece = positions[low:high]
    if reverse:
        piece.reverse()
    return piece
