"""Keyset cursors: a page ends at a row, and the next page begins after that row, whatever is added meanwhile.

A cursor is the position of the last row in its index, encoded as an opaque text. It holds times and ids, which are not
secret. A forged cursor gains nothing: a page only shows rows of the list that was requested.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from livecore.kernel.characters import CONTROL_CHARACTER
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index, Key, Value
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import MAX_AMOUNT

R = TypeVar("R")
_CHUNK = 200
_CURSOR = json.JSONEncoder(separators=(",", ":"))


@value
class PageRequest:
    """The page that a list request asks for: how many rows, and after which position."""

    limit: int | None
    beyond: Key | None

    @property
    def reach(self) -> int | None:
        """How many rows to read: one more than the limit, which shows whether there is a next page."""
        return None if self.limit is None else self.limit + 1

    def newest(self, index: Index[R], *prefix: Value) -> Scan[R]:
        """The scan that reads the page from an index in the order of time, newest first."""
        return Scan(index, prefix, stop=self.beyond, reverse=True, limit=self.reach)


class Paged(Protocol):
    """The request for a page: the arguments of a list route, or a slice of an export."""

    @property
    def limit(self) -> int | None:
        """How many rows."""

    @property
    def cursor(self) -> str | None:
        """Where the previous page ended."""


def page_by_time(asked: Paged) -> PageRequest:
    """The requested page of a list that is ordered by time and then by id. Raises `ValidationFailed`."""
    return PageRequest(asked.limit, unpack(asked.cursor, (int, str)))


def page_by_number(rows: Sequence[R], asked: Paged) -> tuple[tuple[R, ...], str | None]:
    """The requested page of a list that is short and at hand as a whole, and the cursor of the next one.

    Raises `ValidationFailed`.
    """
    position = unpack(asked.cursor, (int,))
    first = 0 if position is None else max(0, int(position[0] or 0))
    end = len(rows) if asked.limit is None else first + asked.limit
    return tuple(rows[first:end]), pack((end,)) if end < len(rows) else None


def pack(position: Key) -> str:
    """A position in an index as a cursor."""
    return base64.urlsafe_b64encode(_CURSOR.encode(position).encode()).decode().rstrip("=")


def unpack(cursor: str | None, kinds: Sequence[type]) -> Key | None:
    """The position that a cursor names, whose columns have these types. Raises `ValidationFailed` for anything else."""
    if cursor is None:
        return None
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        position = None
    if (
        not isinstance(position, list)
        or [type(value) for value in position] != list(kinds)
        or not all(map(_storable, position))
    ):
        raise ValidationFailed({"cursor": "is not a cursor of this list"})
    return tuple(position)


def _storable(column: Value) -> bool:
    """Whether every store can compare a column with this value. A cursor of the service holds only such values."""
    if isinstance(column, str):
        return CONTROL_CHARACTER.search(column) is None
    return not isinstance(column, int) or abs(column) <= MAX_AMOUNT


def page_that_fits(
    tx: Transaction, index: Index[R], prefix: Key, page: PageRequest, fits: Callable[[R], bool]
) -> tuple[list[R], str | None]:
    """The rows of a page of those that fit, newest first, and the cursor of the next one.

    It reads no more rows than it needs, a chunk at a time, but for those that do not fit: behind a chunk of these comes a
    larger one.
    """
    found: list[R] = []
    beyond, chunk = page.beyond, page.reach or _CHUNK
    while True:
        rows = tx.scan(index, *prefix, stop=beyond, reverse=True, limit=chunk)
        fitting = [*filter(fits, rows)]
        found += fitting
        if len(rows) < chunk or (page.reach is not None and len(found) >= page.reach):
            return page_of(found[: page.reach], page, index.position_of)
        beyond = index.position_of(rows[-1])
        if not fitting:
            chunk = max(chunk, min(2 * chunk, _CHUNK))


def page_of(rows: list[R], page: PageRequest, position_of: Callable[[R], Key]) -> tuple[list[R], str | None]:
    """The rows of a page and the cursor of the next one, from up to `page.reach` rows."""
    if page.limit is None or len(rows) <= page.limit:
        return rows, None
    shown = rows[: page.limit]
    return shown, pack(position_of(shown[-1]))
