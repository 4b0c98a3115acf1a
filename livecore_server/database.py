"""From a database URL to an open store, with one clear sentence for whatever stands in the way.

sqlite:///livecore.db          a file in the working directory
sqlite:////srv/livecore.db     a file by its absolute path
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from livecore.api import upkeep  # noqa: F401 - declares every table, which a store must know when it opens
from livecore_server.sqlite import CodeTooOld, DatabaseInUse, DatabaseUnusable, SchemaDrift, SqliteStore
from livecore_server.vault import KeyVault, VaultError, key_file

__all__ = ["DatabaseProblem", "explained", "open_store", "sqlite_path", "store_at", "vault_for"]

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = ("postgresql://", "postgres://")


class DatabaseProblem(Exception):
    """The database cannot be used, for the reason that the text says."""


def sqlite_path(url: str) -> Path:
    """The file that a URL names. Raises `DatabaseProblem`."""
    if not url:
        raise DatabaseProblem("name a database with --database or LIVECORE_DATABASE, such as sqlite:///livecore.db")
    if url.startswith(_POSTGRES):
        raise DatabaseProblem("postgresql:// arrives with the PostgreSQL store; use sqlite:///file.db until then")
    path = url.removeprefix(_SQLITE)
    if path == url or not path or path == ":memory:" or "?" in path:
        raise DatabaseProblem(f"--database {url!r} is not of the form sqlite:///relative.db or sqlite:////absolute.db")
    return Path(path)


def open_store(url: str, *, create: bool = False) -> SqliteStore:
    """Open the database, bringing it up to this code. Raises `DatabaseProblem`; without `create` the file must exist."""
    path = sqlite_path(url)
    if not create and not path.exists():
        raise DatabaseProblem(f"there is no database {path}; `livecore init --database {url}` makes one")
    if not path.parent.is_dir():
        raise DatabaseProblem(f"there is no folder {path.parent} to keep the database in")
    with explained(path):
        return SqliteStore(path)


@contextmanager
def store_at(url: str, *, create: bool = False) -> Iterator[SqliteStore]:
    """The open store of a command, closed at its end."""
    store = open_store(url, create=create)
    try:
        with explained(store.path):
            yield store
    finally:
        store.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what a store raises into one sentence that names the file."""
    try:
        yield
    except (CodeTooOld, SchemaDrift) as fault:
        raise DatabaseProblem(f"{path}: {fault}") from fault
    except (DatabaseInUse, DatabaseUnusable, FileExistsError) as fault:
        raise DatabaseProblem(str(fault)) from fault
    except (sqlite3.Error, OSError) as fault:
        raise DatabaseProblem(f"{path} cannot be used: {fault}") from fault


def vault_for(url: str, keys: str | None, *, production: bool = False) -> KeyVault:
    """The vault of the webhook secrets: of the configured keys, or else of a key file beside the database.

    The file is made when there is none, readable by its owner alone, so that webhooks work without further ado; a deployment
    that is marked production must give its keys, because a key that lies beside the data protects no copy of the disk.
    Raises `DatabaseProblem`.
    """
    try:
        if keys is not None:
            return KeyVault.parse(keys)
        if production:
            raise DatabaseProblem("--production wants --vault-key (LIVECORE_VAULT_KEY): 32 bytes in base64")
        path = sqlite_path(url)
        return KeyVault.parse(key_file(path.with_name(path.name + ".vault-key")))
    except VaultError as fault:
        raise DatabaseProblem(f"the vault key cannot be used: {fault}") from fault
    except OSError as fault:
        raise DatabaseProblem(f"the vault key file cannot be read or made: {fault}") from fault
