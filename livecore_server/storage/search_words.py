"""What migration 2 has in common on both stores: whom search may find, by the columns that players had at that time."""

from __future__ import annotations

from typing import Final

from livecore_server.storage.layout import Layout

__all__ = ["found_by_search"]

_HIDING: Final = ("merged_into", "erased_at")
"""Columns that are not null where search must not find a player. A database may be older than either of them."""


def found_by_search(layout: Layout) -> str:
    """The SQL condition for players whom search may find.

    A migration meets tables as an earlier version left them, so it uses only columns that the recorded layout has.
    """
    conditions = [f"{column} IS NULL" for column in _HIDING if column in layout["players"].columns]
    return " AND ".join(conditions) or "TRUE"
