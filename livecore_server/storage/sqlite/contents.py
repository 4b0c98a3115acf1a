"""Finds what a file holds, without a change to it or to the files beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from livecore_server.storage.contents import Contents

_TABLES = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"


def contents_of(path: Path) -> Contents:
    """What a file holds; a missing file holds nothing. Raises `sqlite3.Error` if it is not a database.

    Opening a file in write-ahead mode normally creates two more files. If they do not exist, no process has it open, and it
    can be read as immutable.
    """
    if not path.exists():
        return Contents.NOTHING
    log = path.with_name(path.name + "-wal")
    uri = f"{path.absolute().as_uri()}?{'mode=ro' if log.exists() else 'immutable=1'}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        names = {str(name) for (name,) in connection.execute(_TABLES)}
    if "livecore_migrations" in names:
        return Contents.OURS
    return Contents.STRANGE if names else Contents.NOTHING
