"""The databases that are measured: a fresh one of each kind, what it is set to, and the processes that serve it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias

import attrs
import psycopg
import pytest

from tests.postgres.server import fresh_database, require_server
from tests.programs.bench.resources import Usage, parent_of, usage_of_tree

StoreName: TypeAlias = Literal["sqlite", "postgres"]
STORES: Final[tuple[StoreName, ...]] = ("sqlite", "postgres")
_DURABLE: Final = ("fsync", "synchronous_commit", "full_page_writes")
_SHOWN: Final = (*_DURABLE, "wal_sync_method", "shared_buffers", "max_connections")


class CannotRun(Exception):
    """A row cannot be measured here; the text says why."""


@attrs.frozen
class Database:
    """An empty database, a folder for whatever belongs to the run, and the database server's first process."""

    store: StoreName
    url: str
    folder: Path
    server_pid: int | None = None
    """`None` on SQLite, which has no server, and where PostgreSQL's processes cannot be seen from here."""

    def usage(self) -> Usage | None:
        """What the database server has used so far, all of its processes together."""
        return None if self.server_pid is None else usage_of_tree(self.server_pid)


@contextmanager
def fresh(store: StoreName) -> Iterator[Database]:
    """A new database that is gone afterwards. Raises `CannotRun` where there is no PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="livecore-bench-") as name:
        folder = Path(name)
        if store == "sqlite":
            yield Database("sqlite", f"sqlite:///{folder / 'bench.db'}", folder)
            return
        _require_postgres()
        with fresh_database() as url:
            yield Database("postgres", url, folder, _first_process(url))


def settle(database: Database) -> None:
    """What autovacuum would have done over a year."""
    if database.store == "postgres":
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")


def postgres_settings() -> dict[str, str]:
    """PostgreSQL's version, and what decides how durable and how quick it is. Raises `CannotRun`: it must be durable."""
    with psycopg.connect(_require_postgres(), autocommit=True) as connection:
        query = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)"
        settings = {str(name): str(value) for name, value in connection.execute(query, [list(_SHOWN)])}
        version = connection.info.parameter_status("server_version") or ""
    off = [name for name in _DURABLE if settings[name] == "off"]
    if off:
        raise CannotRun(f"PostgreSQL is set to lose data ({', '.join(off)} off): its figures would say nothing")
    return {"version": version, **{name: settings[name] for name in _SHOWN}}


def _require_postgres() -> str:
    try:
        return require_server()
    except (pytest.skip.Exception, pytest.fail.Exception) as reason:
        raise CannotRun(str(reason)) from None


def _first_process(url: str) -> int | None:
    """The parent of a backend that we have, if it runs on this machine and is PostgreSQL indeed."""
    with psycopg.connect(url) as connection:
        backend = connection.info.backend_pid
        try:
            command = Path(f"/proc/{backend}/cmdline").read_text()
        except OSError:
            return None
        return parent_of(backend) if "postgres" in command else None
