"""For a loop: the scopes where something is due, and their games, at a cost that depends only on those."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from livecore.access.directory import Game, games_of
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.tables import TimeIndex
from livecore.kernel.time import Millis
from livecore_server.readiness import Pulse
from livecore_server.storage.due_scopes import START, ScopePosition
from livecore_server.storage.ports import Executor

_FULL_SEARCH_EVERY: Final = 12


class DueScopes:
    """Searches an index for one loop, whose `pulse` beats with each page.

    The rows of a deleted game stay until they are purged, and are due for ever. The search skips the pages that hold
    nothing else. Every twelfth search begins at the start again, in case anything was scheduled there since.
    """

    def __init__(self, executor: Executor, index: TimeIndex, pulse: Pulse) -> None:
        self._executor = executor
        self._index = index
        self._pulse = pulse
        self._deleted: set[Scope] = set()
        self._from: ScopePosition = START
        self._searches = 0

    async def search(self, until: Millis) -> dict[Scope, Millis]:
        """Every scope with rows whose time comes by `until`, with the earliest, without those of games known as deleted.

        It also gives what lies up to a minute later. Raises `Overloaded`.
        """
        if self._searches % _FULL_SEARCH_EVERY == 0:
            self._from = START
        self._searches += 1
        found: dict[Scope, Millis] = {}
        after: ScopePosition | None = self._from
        skips = True
        while after is not None:
            page = await self._executor.due_scopes(self._index, until, after)
            after = page.after
            alive = page.scopes.keys() - self._deleted
            skips = skips and not alive
            if skips and after is not None:
                self._from = after
            for scope in alive:
                found[scope] = min(page.scopes[scope], found.get(scope, page.scopes[scope]))
            self._pulse.beat()
            await asyncio.sleep(0)  # a page of a file is read at once; requests come in between
        return found

    async def games(self, scopes: Iterable[Scope]) -> dict[Scope, Game]:
        """The games of these scopes, without those that are deleted or unknown. Raises `Overloaded`."""
        wanted = [scope for scope in scopes if scope != DIRECTORY and scope not in self._deleted]
        if not wanted:
            return {}
        games = await self._executor.read(DIRECTORY, lambda tx: games_of(tx, wanted))
        self._deleted |= {scope for scope, game in games.items() if game.deleted_at is not None}
        return {scope: game for scope, game in games.items() if game.deleted_at is None}
