"""Puts a backup in the place of a database file, and first erases again in it who was erased since.

The backup itself stays as it is: the players are erased in a copy of it beside the database, which then takes its place in
one step. Where nobody was erased there is no such copy.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from livecore.kernel.units.unit import SYSTEM, Actor
from livecore_server.operations.copy.erasing_again import Applied, Moment, erase_again
from livecore_server.operations.copy.known_erasures import (
    KnownErasures,
    games_in_file,
    known_erasures,
    read_erasures,
)
from livecore_server.operations.copy.preconditions import refuse_half
from livecore_server.scratch_folders import scratch_folder
from livecore_server.storage.sqlite import DatabaseUnusable, SqliteStore, file_copies
from livecore_server.storage.sqlite.sole_use import refuse_open

NOTHING_BEFORE = "there was no database before"
OTHER_DEPLOYMENT = "the database before was of another deployment"
_UNREADABLE = "the database before cannot be read"


def put_file_back(
    file: Path,
    path: Path,
    *,
    overwrite: bool = False,
    actor: Actor = SYSTEM,
    progress: file_copies.Progress = lambda _, __: None,
) -> Applied:
    """Replace a database file by a backup; says who was erased again, or why nobody could be.

    Raises as `file_copies.restore` does, and then changes nothing.
    """
    if not overwrite or not path.exists():
        file_copies.restore(file, path, overwrite=overwrite, progress=progress)
        return Applied(missing=NOTHING_BEFORE)
    with known_erasures() as known:
        missing = _read(path, file, known)
        if not known:
            file_copies.restore(file, path, overwrite=True, progress=progress)
            return Applied(missing=missing)
        found = file_copies.problems(file)
        if found:
            raise DatabaseUnusable(file, found[0])
        with scratch_folder("restore", path.absolute().parent) as folder:
            own = folder / "backup.db"
            file_copies.backup(file, own)
            with closing(SqliteStore(own, cache_bytes=0)) as store:
                refuse_half(store)
                erased = erase_again(store, known, Moment(actor=actor))
            file_copies.restore(own, path, overwrite=True, progress=progress)
    return Applied(erased=erased, missing=missing)


def _read(path: Path, file: Path, known: KnownErasures) -> str | None:
    """Read what the database knows; returns why that is not all of it. Raises `DatabaseInUse`."""
    with suppress(sqlite3.Error):
        refuse_open(path)
    with suppress(sqlite3.Error):
        if not games_in_file(path) & games_in_file(file):
            return OTHER_DEPLOYMENT
    return None if read_erasures(path, known) else _UNREADABLE
