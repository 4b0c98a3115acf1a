"""The rankings of large leaderboards that are in use, noted in the database so that they are loaded again after a restart.

A process notes a ranking once it is loaded, and again while it stays in use. At a start it loads those that any process has
noted within the last hour, and is not ready before that, for a limited time. Small leaderboards are not noted, because their
rows are counted quickly.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, MINUTE, Millis
from livecore.leaderboards.ranking.live_board import RankingSource
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.leaderboards.standings import MOST_COUNTED
from livecore_server.storage.host_tables import IN_USE_BY_TIME, RANKINGS_IN_USE, RankingInUse
from livecore_server.storage.ports import Executor
from livecore_server.storage.waiting_store import write_again

_log = logging.getLogger("livecore.rankings")
IN_USE_FOR: Final[Millis] = HOUR
"""How long after it was noted a ranking is loaded at a start."""
_NOTED_AFTER: Final[Millis] = 20 * MINUTE
"""How long after it was noted a ranking that is still in use is noted again."""
_MOST: Final = 100
"""How many rankings of a scope are loaded at a start, the latest first."""


class RankingsInUse:
    """Notes them, and loads them at a start."""

    def __init__(
        self, executor: Executor, rankings: Rankings, source: RankingSource, *, clock: Callable[[], Millis]
    ) -> None:
        self._executor = executor
        self._rankings = rankings
        self._source = source
        self._clock = clock
        self._noted: dict[tuple[Scope, str], Millis] = {}

    async def note(self) -> None:
        """Note the large rankings that are loaded. A store that cannot answer is asked again the next time."""
        now = self._clock()
        self._noted = {key: at for key, at in self._noted.items() if at + IN_USE_FOR > now}
        for key in self._rankings.larger_than(MOST_COUNTED):
            if self._noted.get(key, 0) + _NOTED_AFTER > now:
                continue
            scope, board_id = key
            try:
                await write_again(self._executor, scope, partial(_note, board_id=board_id, now=now))
            except Overloaded:
                return
            except Exception:  # noqa: BLE001 - it is logged; the ranking is only loaded later after the next start
                _log.exception("a ranking in use could not be noted")
                return
            self._noted[key] = now

    async def noted(self) -> Sequence[tuple[Scope, str]]:
        """Those that were in use lately; none if the store cannot answer."""
        since = self._clock() - IN_USE_FOR
        found: list[tuple[Scope, str]] = []
        try:
            for scope in await self._executor.scopes([RANKINGS_IN_USE]):
                rows = await self._executor.read(scope, partial(_noted_since, since=since))
                found += [(scope, row.board_id) for row in rows]
                self._noted |= {(scope, row.board_id): row.noted_at for row in rows}
        except Overloaded:
            return []
        return found

    async def load(self, wanted: Sequence[tuple[Scope, str]], seconds: float) -> None:
        """Load these rankings; returns once all are loaded or could not be, at most after this long."""
        try:
            async with asyncio.timeout(seconds):
                for scope, board_id in wanted:
                    await self._load(scope, board_id)
        except TimeoutError:
            _log.warning(
                "not all rankings in use could be loaded within %g s; the others are loaded meanwhile", seconds
            )

    async def _load(self, scope: Scope, board_id: str) -> None:
        self._rankings.find(scope, board_id, self._source)
        board = self._rankings.loading(scope, board_id)
        if board is None:
            return
        settled = asyncio.Event()
        forget = board.when_settled(settled.set)
        try:
            await settled.wait()
        finally:
            forget()


def _note(tx: Transaction, board_id: str, now: Millis) -> None:
    tx.put(RANKINGS_IN_USE, RankingInUse(board_id=board_id, noted_at=now))
    for old in tx.scan(IN_USE_BY_TIME, stop=(now - IN_USE_FOR,), limit=_MOST):
        tx.delete(RANKINGS_IN_USE, old.board_id)


def _noted_since(tx: Transaction, since: Millis) -> list[RankingInUse]:
    return tx.scan(IN_USE_BY_TIME, start=(since,), reverse=True, limit=_MOST)
