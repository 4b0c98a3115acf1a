"""The rows that units of work have changed and a store has not yet committed: the overlay through which later units read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from livecore.kernel.storage.store import Write
from livecore_server.storage.cache_keys import CacheKey, cache_keys_of


class ChangedRows:
    """Changes by cache key. A unit's writes first `leave` and then `enter`, because rows may have swapped values."""

    __slots__ = ("rows", "scans")

    def __init__(self) -> None:
        self.rows: dict[CacheKey, Any] = {}
        """Rows by key and by unique values as they will be; `None` means that there will be none."""
        self.scans: set[CacheKey] = set()
        """The prefixes of indexes under which rows changed."""

    def leave(self, scope: str, writes: Iterable[Write]) -> None:
        """Take the old rows from their unique values and prefixes."""
        for write in writes:
            if write.before is not None:
                cache_keys_of(write.table).leave(scope, write.before, self.rows, self.scans)

    def enter(self, scope: str, write: Write) -> None:
        """Add the new row, or that there is none, under its key, unique values and prefixes."""
        self.rows[scope, write.table, write.key] = write.after
        if write.after is not None:
            cache_keys_of(write.table).enter(scope, write.after, self.rows, self.scans)
