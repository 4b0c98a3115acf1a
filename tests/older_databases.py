"""Makes a database into what the code of an earlier release left, for tests of the step that brings it up again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg

from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.postgres.server import ready_database, started_server

Layout = dict[str, Any]
"""The recorded tables by their names, as JSON has them."""

KINDS: Final = ("sqlite", "postgres")


@contextmanager
def place_of(kind: str, folder: Path) -> Iterator[Path | str]:
    """Where a database of this kind is made: a file in a folder, or PostgreSQL by its URL."""
    if kind == "sqlite":
        yield folder / "old.db"
        return
    with started_server(), ready_database() as url:
        yield url


def store_in(place: Path | str) -> SqliteStore | PostgresStore:
    """The store there; opening it brings what is older forward."""
    return SqliteStore(place) if isinstance(place, Path) else PostgresStore(place)


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
