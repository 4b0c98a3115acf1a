"""Reading ahead: the rows as they will be once the previous batch is committed, without using its connection.

While a batch is being committed its connection belongs to the committer, so its rows cannot be selected. But they are
known: they are in its overlay over the committed state. Units of the next batch read through both overlays. A scan under a
prefix with changed rows cannot be answered that way and has to wait (`NeedsCommit`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, TypeVar

from livecore.kernel.storage.reads import Count, Scan, Sums
from livecore.kernel.storage.tables import Index, Key, Table, Unique, Value
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.sqlite.reader import Caches, CommittedReader, Uncommitted

R = TypeVar("R")


class NeedsCommit(BaseException):
    """A unit needs rows that can only be read after the current commit; it has to run again then.

    Not an `Exception`, so that no rule handles it as a refusal.
    """


class AheadReader(CommittedReader):
    """The rows of one scope as they will be: this batch's, over those of the batch before, over the committed ones."""

    __slots__ = ("_before", "_own")

    def __init__(
        self, scope: str, connection: sqlite3.Connection, caches: Caches, own: Uncommitted, before: Uncommitted
    ) -> None:
        super().__init__(scope, connection, caches)
        self._own = own
        self._before = before

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        cache_key = (self._scope, table, key)
        row: R | None = self._own.rows.get(cache_key, MISSING)
        if row is MISSING:
            row = self._before.rows.get(cache_key, MISSING)
            if row is MISSING:
                row = self._rows.young.get(cache_key, MISSING)
                return self._get(cache_key, table, key) if row is MISSING else row
        self._own.seen = True
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        cache_key = (self._scope, unique, values)
        row: R | None = self._own.rows.get(cache_key, MISSING)
        if row is MISSING:
            row = self._before.rows.get(cache_key, MISSING)
            if row is MISSING:
                row = self._rows.young.get(cache_key, MISSING)
                return self._find(cache_key, unique, values) if row is MISSING else row
        self._own.seen = True
        return row

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds. Raises `NeedsCommit` where some of them are not committed."""
        self._require_committed(scan.index, scan.prefix)
        return super().scan(scan)

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit. Raises `NeedsCommit` where some are not committed."""
        self._require_committed(count.index, count.prefix)
        return super().count(count)

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds. Raises `NeedsCommit` where some of them are not committed."""
        self._require_committed(sums.index, sums.prefix)
        return super().sums(sums)

    def uncommitted(self, table: Table[R]) -> tuple[list[R], list[R]]:
        """The rows of a ranked table that are not committed yet: of the batch before, and of earlier units of this one."""
        cache_key = (self._scope, table)
        before, own = self._before.written[cache_key], self._own.written[cache_key]
        self._own.seen = self._own.seen or bool(before) or bool(own)
        return before, own

    def _load_sums(self, reads: Sequence[Sums]) -> None:
        """Nothing: whether the rows are committed is found out when the sums are asked for."""

    def _is_at_hand(self, found_by: Table[Any] | Unique[Any], key: Key) -> bool:
        """Whether reading this row needs no statement."""
        cache_key = (self._scope, found_by, key)
        return cache_key in self._own.rows or cache_key in self._before.rows or super()._is_at_hand(found_by, key)

    def _require_committed(self, index: Index[Any], prefix: Key) -> None:
        cache_key = (self._scope, index, prefix)
        if cache_key in self._own.scans or cache_key in self._before.scans:
            raise NeedsCommit
