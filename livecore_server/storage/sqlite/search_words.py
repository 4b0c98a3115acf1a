"""Migration 2 on SQLite: search uses the words of `livecore.kernel.words`, so its entries are made again."""

from __future__ import annotations

import sqlite3
from typing import Final

from livecore.kernel.words import beginnings
from livecore_server.storage.layout import Layout
from livecore_server.storage.search_words import found_by_search

__all__ = ["renew_search_words"]

_PLAYERS: Final = "SELECT scope, player_id, coalesce(name, pool_name) FROM players"


def renew_search_words(connection: sqlite3.Connection, layout: Layout) -> Layout:
    """Replace every player's search entries by those of the name that others see; the layout stays."""
    if "search_entries" in layout:
        connection.execute("DELETE FROM search_entries")
        entries = (
            (scope, player_id, text)
            for scope, player_id, name in connection.execute(f"{_PLAYERS} WHERE {found_by_search(layout)}")
            for text in beginnings(name)
        )
        connection.executemany("INSERT INTO search_entries (scope, player_id, text) VALUES (?, ?, ?)", entries)
    return layout
