"""Makes a database into what the code of an earlier release left, for tests of the step that brings it up again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

__all__ = ["Layout", "make_older"]

Layout = dict[str, Any]
"""The recorded tables by their names, as JSON has them."""


def make_older(place: Path | str, statements: Sequence[str], forget: Callable[[Layout], None]) -> None:
    """Run statements in a file, or in PostgreSQL by its URL, and take from the recorded layouts what `forget` takes."""
    with closing(_connected(place)) as connection, connection:
        for text in statements:
            connection.execute(text)
        mark = "?" if isinstance(place, Path) else "%s"
        for number, text in connection.execute("SELECT id, layout FROM livecore_migrations").fetchall():
            layout = json.loads(text)
            forget(layout)
            update = f"UPDATE livecore_migrations SET layout = {mark} WHERE id = {mark}"  # noqa: S608 - a mark
            connection.execute(update, (json.dumps(layout), number))


def _connected(place: Path | str) -> Any:  # noqa: ANN401 - two libraries' connections, alike where they are used here
    return sqlite3.connect(place) if isinstance(place, Path) else psycopg.connect(place)
