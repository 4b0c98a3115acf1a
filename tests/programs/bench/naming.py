"""How stores are called where people read."""

from __future__ import annotations

from typing import Final

from tests.programs.bench.databases import StoreName

STORE_TITLES: Final[dict[StoreName, str]] = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def series_title(store: StoreName, workers: int) -> str:
    """A store with so many server processes."""
    return f"{STORE_TITLES[store]}, {workers} {'worker' if workers == 1 else 'workers'}"
