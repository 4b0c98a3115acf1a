"""Rankings in memory as a running server has them: those of all leaderboards that there were before a request."""

from __future__ import annotations

import attrs

from livecore.api.application import Application
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.leaderboards.boards import BOARDS
from livecore.leaderboards.ranking.live_board import LiveBoard, RankingSource
from livecore.leaderboards.ranking.rankings import Rankings


class WarmRankings(Rankings):
    """A server loads a ranking in the background when a unit first asks for it; here that has happened before.

    The ranking of a leaderboard that the unit itself makes cannot have been loaded: its ranks are counted in rows.
    """

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store.notices, clock=self._moment, patient=False)
        self._store = store
        self._asked = 0

    def _moment(self) -> Millis:
        """Nothing is ever idle here, so no clock is needed: each call is a little later."""
        self._asked += 1
        return self._asked

    def find(self, scope: Scope, board_id: str, source: RankingSource, *, for_stream: bool = False) -> LiveBoard | None:
        """The ranking of a board, unless there was no such board when the unit began."""
        if for_stream:
            return super().find(scope, board_id, source, for_stream=True)
        if self._store.reader(scope).get(BOARDS, (board_id,)) is None:
            return None
        found = super().find(scope, board_id, source)
        if found is not None:
            return found
        while (step := self.next_read()) is not None:
            step.take(step.read(Transaction(step.scope, self._store.reader(step.scope))))
        return self.loaded_board(scope, board_id)


def keep_rankings(application: Application, rankings: Rankings) -> None:
    """Have an application keep these rankings in memory."""
    application.deployment = attrs.evolve(application.deployment, kept={Rankings: rankings})
