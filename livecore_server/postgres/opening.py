"""Opening a PostgreSQL store for the rest of the server, which knows nothing of psycopg and its exceptions."""

from __future__ import annotations

import psycopg

from livecore_server.database_urls import without_password
from livecore_server.postgres.store import PostgresStore
from livecore_server.postgres.wire import Fault, Lost

__all__ = ["open_postgres"]


def open_postgres(url: str) -> PostgresStore:
    """The store of a URL, brought up to this code. Raises `CodeTooOld`, `SchemaDrift`, and `OSError` for everything else."""
    try:
        return PostgresStore(url)
    except (psycopg.Error, Fault, Lost) as fault:
        told = OSError(" ".join(without_password(str(fault), url).split()))
    # Outside of the handler, so that no traceback shows the error that may quote the password.
    raise told
