"""The background loop of the rankings in memory: loads them page by page, and reads what streams need.

Each is a short read of its own. Pages of rows are read beside the event loop where the store can do that, and taken in
pieces. While a request waits for a ranking, the next page is read meanwhile. After a page the loop rests as long as the page
took, so that loading a large leaderboard takes at most half of the process; it does not rest while a request waits for a
ranking. Messages of streams do not wait for that.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from livecore.kernel.errors import Overloaded
from livecore.leaderboards.ranking.live_board import BoardRows
from livecore.leaderboards.ranking.rankings import PIECE_ROWS, RankingRead, Rankings
from livecore_server.background.rankings_in_use import RankingsInUse
from livecore_server.readiness import Pulse
from livecore_server.storage.ports import Executor
from livecore_server.waiting import wait_for_event

_log = logging.getLogger("livecore.rankings")
_TURN_SECONDS: Final = 2.0
_SWEEP_SECONDS: Final = 30.0
_AFTER_TROUBLE_SECONDS: Final = 0.5
_MOST_REST_SECONDS: Final = 0.05
_MOST_AHEAD: Final = 4
"""How many pages are kept that were read ahead."""
_STALLED_AFTER_SECONDS: Final = 30.0


class RankingLoop:
    """Runs the reads of the rankings."""

    def __init__(
        self,
        executor: Executor,
        rankings: Rankings,
        in_use: RankingsInUse,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._executor = executor
        self._rankings = rankings
        self._in_use = in_use
        self._clock = clock
        self._ahead: dict[object, asyncio.Task[BoardRows]] = {}
        """Pages that are read ahead, by their places."""
        self._wake = asyncio.Event()
        self._loaded = asyncio.Event()
        self._swept_at = clock()
        self.pulse = Pulse("rankingLoop", _STALLED_AFTER_SECONDS)
        rankings.wake = self._wake.set

    async def wait(self, seconds: float) -> None:
        """Wait until another ranking is loaded, at most this long."""
        await wait_for_event(self._loaded, seconds)

    async def run(self) -> None:
        """Run until cancelled."""
        try:
            await self._run_for_ever()
        finally:
            for reading in self._ahead.values():
                reading.cancel()

    async def _run_for_ever(self) -> None:
        while True:
            self.pulse.beat()
            self._wake.clear()
            finished = self._rankings.finished
            await self._run_reads()
            if self._rankings.finished != finished:
                await self._in_use.note()
            if self._clock() >= self._swept_at + _SWEEP_SECONDS:
                self._swept_at = self._clock()
                self._rankings.sweep()
                await self._in_use.note()
            await wait_for_event(self._wake, _TURN_SECONDS)

    async def _run_reads(self) -> None:
        while (read := self._rankings.next_read()) is not None:
            self.pulse.beat()
            started, finished = self._clock(), self._rankings.finished
            await self._run(read)
            if self._rankings.finished != finished:
                self._loaded.set()
                self._loaded = asyncio.Event()
            if read.kind == "page" and not self._rankings.is_awaited:
                self._wake.clear()
                await wait_for_event(self._wake, min(self._clock() - started, _MOST_REST_SECONDS))

    async def _run(self, read: RankingRead) -> None:
        while True:
            try:
                await self._run_once(read)
            except Overloaded:
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
                self.pulse.beat()
            except Exception:  # noqa: BLE001 - it is logged, and the loop goes on
                _log.exception("a ranking could not be read and is dropped")
                read.fail()
                return
            else:
                return

    async def _page(self, read: RankingRead) -> BoardRows:
        """The page of a read, which may be under way already."""
        reading = self._ahead.pop(read.place, None)
        return await (self._read_page(read) if reading is None else reading)

    def _read_ahead(self, read: RankingRead) -> None:
        self._ahead[read.place] = asyncio.ensure_future(self._read_page(read))
        if len(self._ahead) > _MOST_AHEAD:
            # Its ranking was dropped, or it is that of nobody who still waits.
            self._ahead.pop(next(iter(self._ahead))).cancel()

    async def _read_page(self, read: RankingRead) -> BoardRows:
        page: BoardRows = await self._executor.read_aside(read.scope, read.read)
        return page

    async def _run_once(self, read: RankingRead) -> None:
        if read.kind != "page":
            read.take(await self._executor.read(read.scope, read.read))
            return
        page = await self._page(read)
        following = read.ahead(page)
        if following is not None:
            self._read_ahead(following)
        for piece in page.pieces(PIECE_ROWS):
            read.take(piece)
            await asyncio.sleep(0)
