"""Opens a PostgreSQL store for the rest of the server, which does not handle psycopg's exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from livecore.kernel.storage.tables import Table
from livecore_server.storage.contents import require
from livecore_server.storage.database_urls import UrlInvalid, without_password
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Wire
from livecore_server.storage.postgres.contents import contents_of
from livecore_server.storage.postgres.store import PostgresStore


def open_postgres(url: str, *, create: bool = False, tables: Iterable[Table[Any]] | None = None) -> PostgresStore:
    """The migrated store of a URL, for these tables; without `create` it must exist.

    Raises `UrlInvalid`, `NoDatabase`, `CodeTooOld`, `SchemaDrift`, and `OSError` for everything else.
    """
    error: Exception
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError as fault:
        error = UrlInvalid(_told(fault, url))
    else:
        try:
            return PostgresStore(url, tables=tables, admit=partial(_admit, create=create))
        except (psycopg.Error, Fault, Lost) as fault:
            error = OSError(_told(fault, url))
    # Raised outside the handler, so that no traceback shows the original error, which may quote the password.
    raise error


def _told(fault: Exception, url: str) -> str:
    return " ".join(without_password(str(fault), url).split())


def _admit(wire: Wire, *, create: bool) -> None:
    require(contents_of(wire), "the database", create=create, init="livecore init")
