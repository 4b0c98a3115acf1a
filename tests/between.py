"""A store in which something else happens between the steps of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from tests.added_game import Rows

T = TypeVar("T")


class Died(Exception):
    """The process ended in the middle of a request."""


def die() -> None:
    """End the process."""
    raise Died


class Between:
    """A store in which something else happens once, before a write of the directory, or of a game's scope after that.

    With `at_first` it may be a scope's write before the directory's.
    """

    def __init__(
        self,
        store: Rows,
        happens: Callable[[], None],
        *,
        after: int = 0,
        in_directory: bool = True,
        at_first: bool = False,
    ) -> None:
        self._store = store
        self._happens: Callable[[], None] | None = happens
        self._left = after
        self._in_directory = in_directory
        self._begun = in_directory or at_first

    @property
    def happened(self) -> bool:
        """Whether it has happened."""
        return self._happens is None

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the store does."""
        return self._store.read(scope, work)

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """As the store does."""
        return self._store.dump()

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the store does; before the one that was chosen, once, the other thing happens."""
        if self._begun and (scope == DIRECTORY) is self._in_directory and self._happens is not None:
            if self._left == 0:
                happens, self._happens = self._happens, None
                happens()
            self._left -= 1
        self._begun = self._begun or scope == DIRECTORY
        return self._store.write(scope, work)
