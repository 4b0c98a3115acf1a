"""What tests of copies share: an interruption at some row, empty databases of either kind, and what a copy serves so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from livecore.access.directory import ALL_GAMES
from livecore.kernel.scope import DIRECTORY
from livecore_server.storage.database import Database
from tests.postgres.server import ready_database


class Interrupted(Exception):
    """Somebody pulled the plug."""


@attrs.define
class Fuse:
    """Counts rows, and does something when there have been enough."""

    rows: int
    act: Callable[[], None]
    burnt: bool = False

    def __call__(self, rows: int) -> None:
        """Count on."""
        self.rows -= rows
        if self.rows < 0 and not self.burnt:
            self.burnt = True
            self.act()


def interrupt() -> None:
    """Pull the plug."""
    raise Interrupted


@contextmanager
def empty(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database of this kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'empty.db'}"
    else:
        with ready_database() as url:
            yield url


def games_in(store: Database) -> int:
    """How many games there are, by which the store would serve anybody."""
    return len(store.read(DIRECTORY, lambda tx: tx.scan(ALL_GAMES)))
