"""The populated game in a file, made once for all processes of a suite, and opened as a server would read it.

    kept = shared_game(tmp_path_factory)              # the first process makes it, the others wait
    with opened(kept, tmp_path) as service: ...       # a copy of the file, and the application over it

Its time stands still: the clock of the application says when the game was made.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.kernel.entropy import derive_seed
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.endpoints import PlainVault
from livecore.world import World
from livecore_server.portal import Portal
from livecore_server.storage.sqlite import SqliteStore
from tests.populated.game import populated

_PAGE: Final = 2_000
_PATIENCE_SECONDS: Final = 600
"""How long a process waits for the one that makes the game."""


@attrs.frozen
class Kept:
    """The file with the game's rows, and what is not among them."""

    file: Path
    now: int
    """The time of the game."""
    studio_id: str
    game_id: str
    cookies: dict[Role, str]
    """The session of the member with each role."""


@attrs.frozen
class Service:
    """The game over a store."""

    kept: Kept
    store: SqliteStore
    application: Application

    async def ask(self, request: Request) -> Response:
        """Answer a request of the portal."""
        return self.application.handle(request)

    @property
    def portal(self) -> Portal:
        """The portal of it."""
        return Portal(self.application, self.ask)


def shared_game(folders: pytest.TempPathFactory) -> Kept:
    """The game of this run of the suite."""
    folder = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    # SQLite's own lock is a lock of a file on every system.
    with closing(sqlite3.connect(folder / "populated.lock", timeout=_PATIENCE_SECONDS)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        return made(folder)


def made(folder: Path) -> Kept:
    """The game in a folder, which has it already or has it afterwards."""
    about, file = folder / "populated.json", folder / "populated.db"
    if not about.exists():
        about.write_text(json.dumps(_keep(file)), "utf-8")
    return Kept(file, **json.loads(about.read_text("utf-8")))


def _keep(file: Path) -> dict[str, Any]:
    """Make the game and copy it into a file; gives what is not among its rows."""
    play = populated()
    world = play.world
    cookies = {role: play.member(role).headers["cookie"] for role in ROLES}
    copied(world, file)
    return {
        "now": world.now,
        "studio_id": world.game.studio_id,
        "game_id": world.game.game_id,
        "cookies": cookies,
    }


def copied(world: World, file: Path) -> None:
    """Copy every row of a world into a new file."""
    with closing(SqliteStore(file, tables=AREAS.tables)) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        for scope, tables in world.store._scopes.items():
            for table, held in tables.items():
                rows = list(held.rows.values())
                for first in range(0, len(rows), _PAGE):
                    store.write(scope, partial(_insert, table=table, rows=rows[first : first + _PAGE]))
        store.checkpoint()


def _insert(tx: Transaction, table: Table[Any], rows: list[Any]) -> None:
    for row in rows:
        tx.insert(table, row)


@contextmanager
def opened(kept: Kept, folder: Path) -> Iterator[Service]:
    """The game in a copy of its file, so that whoever changes it changes it for nobody else."""
    file = folder / "game.db"
    shutil.copyfile(kept.file, file)
    drawn = iter(range(2**60))
    with closing(SqliteStore(file, tables=AREAS.tables)) as store:
        application = Application(
            store,
            clock=lambda: kept.now,
            seeds=lambda: derive_seed(b"populated", "request", next(drawn)),
            deployment=new_deployment(vault=PlainVault(), urls=NetworkRules()),
            limits=RateLimits.off(),
        )
        yield Service(kept, store, application)
