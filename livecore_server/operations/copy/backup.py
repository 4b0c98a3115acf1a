"""Backups of a PostgreSQL database, in the same portable file format as a backup of an embedded database.

    save       every scope as one transaction sees it, page by page into a new file; then every row is compared
    put_back   copies such a file into an empty database, or into one that is emptied first

The file is an ordinary SQLite database of Livecore. It gets its name only when it is complete. Only one page is in memory
at any time; the disk needs room for the file, and for a copy of it during a restore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from livecore.kernel.units.unit import SYSTEM, Actor
from livecore_server.operations.copy.copier import Advance, Copied, copy, copy_of_one_moment
from livecore_server.operations.copy.erasing_again import Applied, Moment, erase_again
from livecore_server.operations.copy.known_erasures import SELECTS, games_in_file, known_erasures
from livecore_server.operations.copy.preconditions import (
    mark_of,
    recorded_layout,
    refuse_half,
    refuse_other_connections,
)
from livecore_server.operations.copy.put_file_back import NOTHING_BEFORE, OTHER_DEPLOYMENT
from livecore_server.scratch_folders import scratch_folder
from livecore_server.storage.database import DatabaseProblem, explained
from livecore_server.storage.layout import quoted
from livecore_server.storage.sqlite import DatabaseUnusable, SqliteStore, file_copies

if TYPE_CHECKING:
    from livecore_server.storage.postgres import PostgresStore


_FORGET: Final = b"UPDATE livecore_versions SET version = version + 1"


def save(
    source: PostgresStore,
    file: Path,
    *,
    expect: Callable[[int], None] = lambda _: None,
    advance: Advance = lambda _: None,
) -> list[Copied]:
    """Write the current contents of the database into a new file, also while servers run.

    Raises `DatabaseProblem` if the file exists, or if the source is not a complete database; then leaves no file.
    """
    with file_copies.new_file(file) as partial, closing(SqliteStore(partial, cache_bytes=0)) as target:
        return copy_of_one_moment(source, target, expect=expect, advance=advance)


def put_back(
    file: Path,
    target: PostgresStore,
    *,
    overwrite: bool = False,
    expect: Callable[[int], None] = lambda _: None,
    advance: Advance = lambda _: None,
    actor: Actor = SYSTEM,
    applied: Callable[[Applied], None] = lambda _: None,
) -> list[Copied]:
    """Copy a backup into a database that no server uses; with `overwrite` its contents are deleted first.

    Who was erased in that database since is first erased again in a copy of the backup, as `actor`; `applied` is told of it.

    Raises `DatabaseProblem`, and then changes nothing. After an interruption the database cannot be served. The same call
    continues; with `overwrite` it starts again.
    """
    found = file_copies.problems(file)
    if found:
        raise DatabaseProblem(str(DatabaseUnusable(file, found[0])))
    refuse_other_connections(target, "the database")
    if not overwrite and mark_of(target) is None and target.scopes():
        raise DatabaseProblem("the database holds data already: name an empty one, or give --overwrite to replace it")
    with _opened(file) as (source, identity):
        refuse_half(source)
        again = _erase_again(file, source, target, begins=overwrite or mark_of(target) is None, actor=actor)
        if overwrite:
            _empty(target)
        copied = copy(source, target, expect=expect, advance=advance, identity=identity)
    _forget_pending(target)
    applied(again)
    return copied


def _erase_again(file: Path, source: SqliteStore, target: PostgresStore, *, begins: bool, actor: Actor) -> Applied:
    """Erase in the source who was erased in the target since; a restore that goes on does it in the same way as before."""
    from livecore_server.storage.postgres import pending_erasures as pending  # noqa: PLC0415 - an extra

    games = pending.games_of(target) if begins else set[str]()
    if games & games_in_file(file):
        fresh = Moment()
        pending.start(target, fresh.now, fresh.seed)
        pending.collect(target, SELECTS)
    found = pending.moment(target)
    if found is None:
        return Applied(missing=OTHER_DEPLOYMENT if games else NOTHING_BEFORE)
    with known_erasures() as known:
        known.add(pending.pending(target))
        return Applied(erase_again(source, known, Moment(*found, actor=actor)) if known else 0)


def _forget_pending(target: PostgresStore) -> None:
    from livecore_server.storage.postgres import pending_erasures  # noqa: PLC0415 - an extra

    pending_erasures.drop(target)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[SqliteStore, str]]:
    """The store of a copy of the file, and what identifies its contents.

    Opening a store migrates it, and the backup itself must not change. A file that a server has open counts with its
    write-ahead log, so the copy is SQLite's own.
    """
    with scratch_folder("restore") as folder, explained(file):
        own = folder / "backup.db"
        file_copies.backup(file, own)
        with own.open("rb") as content:
            identity = file_digest(content, "blake2b").hexdigest()[:32]
        with closing(SqliteStore(own, cache_bytes=0)) as store:
            yield store, identity


def _empty(target: PostgresStore) -> None:
    """Delete every row of every scope in one step, and invalidate all caches."""
    from livecore_server.storage.postgres.connections.pipeline import Statement  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.shared.ephemeral_tables import EPHEMERAL_NAMES  # noqa: PLC0415 - an extra

    tables = ", ".join(quoted(name) for name in (*recorded_layout(target), *EPHEMERAL_NAMES))
    with target.wire() as wire:
        wire.ask([Statement(text) for text in (b"BEGIN", f"TRUNCATE {tables}".encode(), _FORGET, b"COMMIT")])
