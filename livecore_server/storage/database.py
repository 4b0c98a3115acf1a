"""Opens the store of a database URL; every problem is reported in one sentence.

sqlite:///livecore.db          a file in the working directory
sqlite:////srv/livecore.db     a file by its absolute path
sqlite:///C:/Games/game.db     the same on Windows; a blank in any path may be written %20
postgresql://user@host/name    a PostgreSQL database, in all the forms that libpq knows
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote

from livecore.kernel.storage.store import StoreConflict
from livecore.kernel.storage.tables import Table, all_tables
from livecore_server.problem import LASTING, Problem, WrongInput
from livecore_server.storage.contents import NoDatabase, require
from livecore_server.storage.database_urls import UrlInvalid, masked, require_encoded
from livecore_server.storage.sqlite import CodeTooOld, DatabaseInUse, DatabaseUnusable, SchemaDrift, SqliteStore
from livecore_server.storage.sqlite.cache import CACHE_BYTES
from livecore_server.storage.sqlite.connections import connect, merge_log
from livecore_server.storage.sqlite.contents import contents_of
from livecore_server.storage.sqlite.file_access import FilesUnusable, denied, no_room, refuse_unwritable
from livecore_server.storage.sqlite.log_file import CHECKPOINT_BYTES, left_in_log, log_size
from livecore_server.storage.sqlite.sole_use import refuse_open
from livecore_server.vault import KeyVault, VaultError, key_file, new_key

if TYPE_CHECKING:
    from livecore_server.storage.postgres import PostgresStore


Database: TypeAlias = "SqliteStore | PostgresStore"
"""An open store."""

_SQLITE: Final = "sqlite:///"
_OF_A_DRIVE: Final = re.compile(r"/[A-Za-z]:[/\\]")
"""The beginning of a path with a drive, when the slash of an absolute path is before it."""
_POSTGRES: Final = ("postgresql://", "postgres://")
_FORMS: Final = "give sqlite:///relative.db, sqlite:////absolute.db or postgresql://user@host/name"


class DatabaseProblem(Problem):
    """The database cannot be used, for the reason that the text says."""


class WrongDatabaseUrl(DatabaseProblem, WrongInput):
    """The database is not named, or in a form that the command does not take."""


def is_postgres(url: str) -> bool:
    """Whether a URL names a PostgreSQL database."""
    return url.startswith(_POSTGRES)


def sqlite_path(url: str) -> Path:
    """The file that a URL names. Raises `DatabaseProblem`."""
    if not url:
        raise WrongDatabaseUrl("name a database with --database or LIVECORE_DATABASE, such as sqlite:///livecore.db")
    if is_postgres(url):
        raise WrongDatabaseUrl("this command works on a database file: sqlite:///file.db")
    quoted = url.removeprefix(_SQLITE)
    path = unquote(quoted)
    if quoted == url or not path or path == ":memory:" or "?" in quoted or "\0" in path:
        raise WrongDatabaseUrl(f"the database {masked(url)!r} is of no known kind: {_FORMS}")
    if sys.platform == "win32" and _OF_A_DRIVE.match(path):
        path = path[1:]
    return Path(path)


Tables: TypeAlias = "Iterable[Table[Any]]"


def open_store(
    url: str,
    *,
    create: bool = False,
    tables: Tables | None = None,
    cache_bytes: int = CACHE_BYTES,
    checkpoint_bytes: int = CHECKPOINT_BYTES,
) -> Database:
    """Open the database and migrate it. Without `create` there must be one of Livecore.

    `tables` are those that the caller works with, by default all that there are. `cache_bytes` bounds the memory in which
    rows of a file are cached, and `checkpoint_bytes` its write-ahead log; PostgreSQL does both by itself.

    Raises `DatabaseProblem`; a foreign database is not changed.
    """
    if is_postgres(url):
        return _open_postgres(url, create=create, tables=tables)
    return _open_file(url, create=create, cache_bytes=cache_bytes, checkpoint_bytes=checkpoint_bytes, tables=tables)


def _every_table() -> Tables:
    # Imported here, because declaring every table takes long where a few will do.
    from livecore.api import areas  # noqa: F401, PLC0415 - declares the tables of the areas
    from livecore_server.storage import host_tables  # noqa: F401, PLC0415 - declares those of the server

    return all_tables()


def _open_postgres(url: str, *, create: bool = False, tables: Tables | None = None) -> PostgresStore:
    try:
        from livecore_server.storage.postgres.opening import open_postgres  # noqa: PLC0415 - an extra, only where it is asked for
    except ImportError as fault:
        raise DatabaseProblem(
            "postgresql:// needs the extra postgres: in a checkout, pip install '.[postgres]'"
        ) from fault
    try:
        require_encoded(url)
        return open_postgres(url, create=create, tables=_every_table() if tables is None else tables)
    except NoDatabase as fault:
        raise DatabaseProblem(str(fault)) from fault
    except UrlInvalid as fault:
        raise WrongDatabaseUrl(f"the database cannot be used: {fault}") from fault
    except (CodeTooOld, SchemaDrift, OSError) as fault:
        raise DatabaseProblem(f"the database cannot be used: {fault}") from fault


def _open_file(
    url: str,
    *,
    create: bool,
    cache_bytes: int = CACHE_BYTES,
    checkpoint_bytes: int = CHECKPOINT_BYTES,
    tables: Tables | None = None,
) -> SqliteStore:
    path = database_file(url, create=create)
    with explained(path):
        return SqliteStore(
            path,
            tables=_every_table() if tables is None else tables,
            cache_bytes=cache_bytes,
            checkpoint_bytes=checkpoint_bytes,
        )


def database_file(url: str, *, create: bool = False) -> Path:
    """The file of a database of Livecore, without opening it; with `create` it need not exist. Raises `DatabaseProblem`."""
    path, init = sqlite_path(url), f"livecore init --database {url}"
    with explained(path):
        if not create and not path.exists():
            raise DatabaseProblem(f"there is no database {path}; `{init}` makes one")
        if not path.parent.is_dir():
            raise DatabaseProblem(f"there is no folder {path.parent} to keep the database in")
        require(contents_of(path), str(path), create=create, init=init)
    return path


def refuse_open_file(url: str) -> None:
    """Refuse a database file that another process has open, before anything is changed. Raises `DatabaseProblem`."""
    if not is_postgres(url):
        path = database_file(url)
        with explained(path):
            refuse_open(path)


@contextmanager
def store_at(url: str, *, create: bool = False, tables: Tables | None = None) -> Iterator[Database]:
    """The open store of a command, closed at its end."""
    if not is_postgres(url):
        with file_at(url, create=create, tables=tables) as file:
            yield file
        return
    store = _open_postgres(url, create=create, tables=tables)
    try:
        yield store
    except OSError as fault:
        raise DatabaseProblem(f"the database cannot be used: {fault}") from fault
    finally:
        store.close()


@contextmanager
def file_at(
    url: str, *, create: bool = False, cache_bytes: int = CACHE_BYTES, tables: Tables | None = None
) -> Iterator[SqliteStore]:
    """The same for commands that work on a database file."""
    store = _open_file(url, create=create, cache_bytes=cache_bytes, tables=tables)
    try:
        with explained(store.path):
            yield store
    finally:
        store.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn exceptions of a store into one sentence that names the file."""
    try:
        yield
    except (CodeTooOld, SchemaDrift) as fault:
        raise DatabaseProblem(f"{path}: {fault}") from fault
    except (DatabaseInUse, DatabaseUnusable, FileExistsError, FilesUnusable, NoDatabase) as fault:
        raise DatabaseProblem(str(fault)) from fault
    except (sqlite3.Error, OSError) as fault:
        _raise_what_is_at_fault(path, fault)
        raise DatabaseProblem(f"{path} cannot be used: {fault}") from fault


def log_bytes_of(url: str) -> int:
    """What the write-ahead log of a database file takes on the disk; 0 on PostgreSQL, which looks after its own."""
    return 0 if is_postgres(url) else log_size(sqlite_path(url))


def left_in_log_of(url: str) -> str | None:
    """After the end of a server: a sentence if its last writes are not in the database file itself."""
    return None if is_postgres(url) else left_in_log(sqlite_path(url))


def merge_log_of(url: str) -> None:
    """Copy what the ended processes of a server have left in the log of a file; `left_in_log_of` says whether it failed."""
    if is_postgres(url):
        return
    path = sqlite_path(url)
    with suppress(sqlite3.Error, OSError):
        if path.exists():
            with closing(connect(path, 0)) as connection:
                merge_log(connection)


_OF_FILES: Final = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_AUTH,
    }
)


def _raise_what_is_at_fault(path: Path, fault: sqlite3.Error | OSError) -> None:
    """Name the file that SQLite could not use, or say that the disk is full, if that is found. Raises `DatabaseProblem`."""
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        raise DatabaseProblem(
            f"{path} is locked by another process, such as a copy or a restore: try again when that has ended"
        ) from fault
    if isinstance(fault, sqlite3.Error) and code not in _OF_FILES:
        return
    try:
        refuse_unwritable(path)
        full = no_room(path)
    except FilesUnusable as found:
        raise DatabaseProblem(str(found)) from found
    except OSError:  # the folder cannot be looked at either
        return
    if full is not None:
        raise DatabaseProblem(f"{path} cannot be used: {full}") from fault


class LastingDatabaseProblem(DatabaseProblem):
    """A server cannot start on the database until a person changes something."""

    status = LASTING


@contextmanager
def opening_for_serving(url: str) -> Iterator[None]:
    """Refuse a database file that cannot be written, before anything is made beside it, and tell lasting problems apart.

    Raises `LastingDatabaseProblem` for files that this account may not use, and for a schema that this code cannot serve.
    """
    try:
        if not is_postgres(url):
            path = sqlite_path(url)
            with explained(path):
                if path.exists():
                    refuse_unwritable(path)
        with _explained_for(url):
            yield
    except DatabaseProblem as fault:
        if isinstance(fault.__cause__, (CodeTooOld, FilesUnusable, SchemaDrift)):
            raise LastingDatabaseProblem(str(fault)) from fault
        raise


def _explained_for(url: str) -> AbstractContextManager[None]:
    return postgres_explained() if is_postgres(url) else explained(sqlite_path(url))


@contextmanager
def postgres_explained() -> Iterator[None]:
    """Turn exceptions of a PostgreSQL store that is open into one sentence."""
    try:
        from livecore_server.storage.postgres.connections.pipeline import Fault, Lost  # noqa: PLC0415 - an extra
        from livecore_server.storage.postgres.units import CommitUnknown  # noqa: PLC0415 - an extra, only where it is asked for
    except ImportError:  # whoever opens the store says so
        yield
        return
    try:
        yield
    except (Fault, Lost, CommitUnknown, StoreConflict) as fault:
        raise DatabaseProblem(f"the database cannot be used: {' '.join(str(fault).split())}") from fault


def vault_file(path: Path) -> Path:
    """The path of the key file for a database file's webhook secrets."""
    return path.with_name(path.name + ".vault-key")


def vault_for(url: str, keys: str | None, *, production: bool = False) -> KeyVault:
    """The vault of the webhook secrets: of the configured keys, or else of a key file beside the database.

    On PostgreSQL the key is in the database, where every process finds it. If there is none it is made, a file readable
    only by its owner, so that webhooks work without configuration. A production deployment must configure its keys, because
    a key beside the data does not protect a copy of the disk. Raises `DatabaseProblem`.
    """
    try:
        if keys is not None:
            return KeyVault.parse(keys)
        if production:
            raise WrongDatabaseUrl("--production wants --vault-key (LIVECORE_VAULT_KEY): 32 bytes in base64")
        if is_postgres(url):
            with closing(_open_postgres(url)) as store:
                return KeyVault.parse(store.setting("vault-key", new_key()))
        return KeyVault.parse(key_file(vault_file(sqlite_path(url))))
    except VaultError as fault:
        raise DatabaseProblem(f"the vault key cannot be used: {fault}") from fault
    except OSError as fault:
        file = vault_file(sqlite_path(url))
        reason = denied(file, os.R_OK) if file.parent.is_dir() and file.exists() else None
        cause = fault if reason is None else FilesUnusable(reason)
        raise DatabaseProblem(f"the vault key file cannot be read or made: {reason or fault}") from cause
