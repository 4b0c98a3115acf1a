"""Migration 7 on SQLite: guilds that ended before it lose their metadata thirty days after their end as well.

The new column says when, and is empty in rows that were written without it.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from livecore_server.storage.layout import ColumnLayout, Layout, with_column
from livecore_server.storage.sqlite.schema import grow

__all__ = ["date_disbanded_metadata"]

_DATE: Final = """
UPDATE guilds SET metadata_until = disbanded_at + 2592000000 WHERE disbanded_at IS NOT NULL AND metadata IS NOT NULL
"""


def date_disbanded_metadata(connection: sqlite3.Connection, layout: Layout) -> Layout:
    """Add the column, and fill it for guilds that have ended."""
    after = with_column(layout, "guilds", "metadata_until", ColumnLayout("integer", nullable=True))
    grow(connection, layout, after)
    if after != layout:
        connection.execute(_DATE)
    return after
