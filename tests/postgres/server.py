"""A PostgreSQL server for the tests, and a fresh database for whoever asks.

In this order: the server that `LIVECORE_TEST_POSTGRES` names (a URL whose user may create databases), one that runs on this
machine already, one that is started from installed programs for the length of the run. Without any of these the tests of
PostgreSQL are skipped, and say why; where `CI` is set they fail instead, because there somebody has promised a server.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

__all__ = ["fresh_database", "require_server", "started_server"]

_LOCAL: Final = (
    "postgresql:///postgres",
    "postgresql:///postgres?host=/var/run/postgresql&user=postgres",
    "postgresql://postgres@127.0.0.1:5432/postgres",
)
_numbers = itertools.count(1)
_started: list[tuple[TemporaryDirectory[str], Path, list[str]]] = []


@cache
def _server_or_reason() -> tuple[str | None, str]:
    given = os.environ.get("LIVECORE_TEST_POSTGRES")
    if given:
        return given, ""
    for url in _LOCAL:
        if _may_create(url):
            return url, ""
    try:
        return _start(), ""
    except (OSError, RuntimeError, subprocess.SubprocessError) as fault:
        return None, f"no PostgreSQL: LIVECORE_TEST_POSTGRES is not set, none runs here, none can be started ({fault})"


def require_server() -> str:
    """The URL of a server. Skips the test where there is none, and fails it where `CI` is set."""
    url, reason = _server_or_reason()
    if url is None:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return url


@contextmanager
def fresh_database() -> Iterator[str]:
    """The URL of a new, empty database, which is gone afterwards."""
    server = require_server()
    name = f"livecore_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name))
        )
    try:
        yield _with_database(server, name)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _with_database(server: str, name: str) -> str:
    parts = conninfo_to_dict(server)
    host = str(parts.get("host", ""))
    query = "&".join(f"{key}={parts[key]}" for key in ("host", "user", "password", "port") if parts.get(key))
    return f"postgresql:///{name}?{query}" if host or query else f"postgresql:///{name}"


def _may_create(url: str) -> bool:
    with suppress(psycopg.Error), psycopg.connect(url, connect_timeout=2, autocommit=True) as connection:
        row = connection.execute(
            "SELECT rolcreatedb OR rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user"
        ).fetchone()
        return bool(row and row[0])
    return False


# -- a server of our own


def _programs() -> Path:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    raise RuntimeError("initdb is not installed")


def _as_somebody(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as the user that its package has made."""
    if os.geteuid() != 0:
        return command
    runuser = shutil.which("runuser")
    if runuser is None:
        raise RuntimeError("PostgreSQL does not run as root, and there is no runuser")
    return [runuser, "-u", "postgres", "--", *command]


def _start() -> str:
    programs = _programs()
    folder = TemporaryDirectory(prefix="livecore-postgres-", ignore_cleanup_errors=True)
    data = Path(folder.name) / "data"
    data.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(folder.name, "postgres")
        shutil.chown(data, "postgres")
    _call(_as_somebody([str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]))
    options = f"-k {folder.name} -c listen_addresses= -c fsync=on"
    stop = _as_somebody([str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"])
    _call(_as_somebody([str(programs / "pg_ctl"), "-D", str(data), "-w", "-o", options, "-l", f"{data}/log", "start"]))
    _started.append((folder, data, stop))
    return f"postgresql:///postgres?host={folder.name}&user=postgres"


def _call(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=60, cwd="/")


@contextmanager
def started_server() -> Iterator[None]:
    """Stops, at the end of the run, the server that was started for it."""
    try:
        yield
    finally:
        for folder, _, stop in _started:
            with suppress(subprocess.SubprocessError):
                _call(stop)
            folder.cleanup()
        _started.clear()
