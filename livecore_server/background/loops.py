"""The two background loops: due work, and flushing the ephemeral state to the store.

Due work is durable rows; the loop only has to run them in time. Every few seconds it searches for the scopes whose work is
due by the next search, also because another process may have written; scopes without such work cost nothing. In between it
reads the next due time of a scope after each write to the scope. If several processes see the same work, one runs it, by a
lease; if two run a piece nevertheless, only one transaction takes effect. An exception postpones the work (`due.postpone`)
and never stops the loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from livecore.access.directory import Game, all_scopes
from livecore.api import clock_rollback
from livecore.api.application import Application
from livecore.api.maintenance import give_back, run_due, system_unit, take, write_taken
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DueWork
from livecore_server.background.due_scopes import DueScopes
from livecore_server.metrics import Metrics
from livecore_server.readiness import Pulse
from livecore_server.storage.ports import Executor
from livecore_server.waiting import wait_for_event

_log = logging.getLogger("livecore.loops")
_LOOK_AROUND_SECONDS: Final = 5.0
_HORIZON: Final[Millis] = 10_000
"""How far ahead a search looks: longer than until the next one."""
_CLOCKS_AT_ONCE: Final = 100
"""In how many scopes a turn looks for times from a clock that was ahead."""
_GATHER_HINTS_SECONDS: Final = 0.05
_AFTER_TROUBLE_SECONDS: Final = 1.0
"""The wait before a scope is tried again, when the store was too busy or another process works on the scope."""
_AT_ONCE: Final = 100
_STALLED_AFTER_SECONDS: Final = 30.0
_CLOCK_TOLERANCE_MS: Final = 1_000
"""A clock that is set back by less does less harm than reading everything."""
_VALUES_AT_ONCE: Final = 250
_TIDY_AFTER: Final = MINUTE


class DueLoop:
    """Runs due work in every scope."""

    def __init__(
        self,
        executor: Executor,
        application: Application,
        metrics: Metrics,
        emitted: Callable[[Scope], None] = lambda _: None,
    ) -> None:
        self._executor = executor
        self._application = application
        self._metrics = metrics
        self._emitted = emitted
        self._next: dict[Scope, Millis] = {}
        """The scopes whose next work is due soon."""
        self._hinted: set[Scope] = set()
        self._wake = asyncio.Event()
        self._looked_at: Millis | None = None
        self._turned_at: Millis | None = None
        self._unexamined: list[Scope] = []
        """Scopes which may have times from a clock that was ahead before this process started."""
        self._set_back: set[Scope] = set()
        """Scopes with times from a clock that was ahead."""
        self.pulse = Pulse("dueLoop", _STALLED_AFTER_SECONDS)
        self._due_scopes = DueScopes(executor, due.DUE_IN_ANY_SCOPE, self.pulse)

    def hint(self, scope: Scope) -> None:
        """There was a write to this scope, so it may have earlier due work."""
        if scope == DIRECTORY:
            # A game may have been made, whose scopes have work: search on the next turn.
            self._looked_at = None
        self._hinted.add(scope)
        self._wake.set()

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            self.pulse.beat()
            try:
                wait_seconds = await self.turn()
            except Overloaded:
                # The store has logged the failure. Hints may have been lost, so search again.
                self._looked_at = None
                wait_seconds = _AFTER_TROUBLE_SECONDS
            except Exception:  # noqa: BLE001 - it is logged, and the loop goes on
                _log.exception("the due loop failed and goes on")
                wait_seconds = _AFTER_TROUBLE_SECONDS
            await self._wait(wait_seconds)

    async def _wait(self, seconds: float) -> None:
        if not await wait_for_event(self._wake, seconds):
            return
        # Under load there are hints all the time; one read covers many of them.
        await asyncio.sleep(min(seconds, _GATHER_HINTS_SECONDS))
        self._wake.clear()

    async def turn(self) -> float:
        """Run what is due now; returns the seconds until the next turn."""
        now = self._application.clock()
        looked_at = self._looked_at
        if looked_at is None or not 0 <= now - looked_at < _LOOK_AROUND_SECONDS * 1000:
            self._next = await self._due_scopes.search(now + _HORIZON)
            self._looked_at = looked_at = now
        await self._look_at_clock(now)
        hinted, self._hinted = self._hinted, set()
        for scope in hinted:
            await self._look(scope)
        due_now = sorted((at, scope.id, scope) for scope, at in self._next.items() if at <= now)
        self._metrics.due_lag_seconds = (now - due_now[0][0]) / 1000 if due_now else 0.0
        games = await self._due_scopes.games(scope for *_, scope in due_now)
        for *_, scope in due_now:
            await self._run_scope(scope, games.get(scope), now)
            self.pulse.beat()
        if self._unexamined:
            return 0.0
        until = min((looked_at + _LOOK_AROUND_SECONDS * 1000, *self._next.values())) - self._application.clock()
        return min(max(until / 1000, 0.0), _LOOK_AROUND_SECONDS)

    async def _look(self, scope: Scope) -> None:
        """Read when the next work of a scope is due. What lies behind the next search, that search finds."""
        at = await self._executor.read(scope, due.earliest)
        if at is not None and at <= self._application.clock() + _HORIZON:
            self._next[scope] = at
        else:
            self._next.pop(scope, None)

    async def _look_at_clock(self, now: Millis) -> None:
        """Bring forward work that was scheduled too far ahead, if the clock was set back since the last turn or run."""
        if self._turned_at is None:
            self._unexamined = await self._scopes()
        elif now < self._turned_at - _CLOCK_TOLERANCE_MS:
            _log.warning("the clock was set back by %.3f s", (self._turned_at - now) / 1000)
            self._set_back.update(await self._scopes())
        self._turned_at = now
        await self._examine(now)
        if not self._set_back:
            return
        games = await self._due_scopes.games(self._set_back)
        for scope in list(self._set_back):
            with suppress(Overloaded):  # then on the next turn
                if scope == DIRECTORY or scope in games:
                    await self._bring_forward(scope, games.get(scope))
                self._set_back.discard(scope)

    async def _scopes(self) -> list[Scope]:
        return [DIRECTORY, *(scope for scope, _ in await self._executor.read(DIRECTORY, all_scopes))]

    async def _examine(self, now: Millis) -> None:
        """Look at some of the scopes that this process has not examined, so that due work runs in between."""
        some = self._unexamined[:_CLOCKS_AT_ONCE]
        noticed = partial(clock_rollback.noticed, now=now, areas=self._application.areas)
        found = await asyncio.gather(*(self._executor.read(scope, noticed) for scope in some))
        self._set_back |= {scope for scope, is_late in zip(some, found, strict=True) if is_late}
        del self._unexamined[: len(some)]

    async def _bring_forward(self, scope: Scope, game: Game | None) -> None:
        seed, application, after = self._application.seeds(), self._application, None

        def unit_of_work(tx: Transaction) -> Key | None:
            unit = system_unit(tx, game, application.clock(), seed, application.deployment)
            return clock_rollback.bring_forward(unit, after)

        while (after := await self._executor.write(scope, unit_of_work)) is not None:
            self.pulse.beat()
        await self._look(scope)
        self._emitted(scope)

    async def _run_scope(self, scope: Scope, game: Game | None, now: Millis) -> None:
        if game is None and scope != DIRECTORY:
            self._next.pop(scope, None)  # of a deleted game, or of one that is still being written
            return
        later = now + round(_AFTER_TROUBLE_SECONDS * 1000)
        async with self._executor.lease(scope, "due") as ours:
            if not ours:
                self._next[scope] = later
                return
            found = await self._executor.read(scope, partial(due.due, now=now, limit=_AT_ONCE))
            ended = await asyncio.gather(*(self._run_one(scope, game, work) for work in found))
        if all(ended):
            await self._look(scope)
        else:
            self._next[scope] = later

    async def _run_one(self, scope: Scope, game: Game | None, work: DueWork) -> bool:
        """Run one piece in its own unit; `False` means that the store was too busy, so try again later."""
        seed, application = self._application.seeds(), self._application

        def unit_of_work(tx: Transaction) -> tuple[bool, bool]:
            unit = system_unit(tx, game, application.clock(), seed, application.deployment)
            return run_due(unit, work), bool(unit.events)

        try:
            ran, emitted = await self._executor.write(scope, unit_of_work)
        except Overloaded:
            return False
        except Exception:  # noqa: BLE001 - it is logged, and the loop goes on
            _log.exception("due work %s failed and is put off", work.kind)
            self._metrics.due_ran(work.kind, "failed")
            return await self._put_off(scope, work)
        self._metrics.due_ran(work.kind, "ran" if ran else "stale")
        if emitted:
            self._emitted(scope)
        return True

    async def _put_off(self, scope: Scope, work: DueWork) -> bool:
        def unit_of_work(tx: Transaction) -> None:
            if tx.get(due.DUE, work.kind, work.ref) == work:
                due.postpone(tx, work, self._application.clock())

        try:
            await self._executor.write(scope, unit_of_work)
        except Overloaded:
            return False
        return True


class FlushLoop:
    """Flushes the ephemeral state to the store every few seconds and when the server stops, and tidies it every minute."""

    def __init__(
        self, executor: Executor, application: Application, metrics: Metrics, interval_seconds: float = 2.0
    ) -> None:
        self._executor = executor
        self._ephemeral = application.ephemeral
        self._areas = application.areas
        self._metrics = metrics
        self._interval_seconds = interval_seconds
        self._clock = application.clock
        self._tidied_at: Millis | None = None
        self.pulse = Pulse("flushLoop", interval_seconds + _STALLED_AFTER_SECONDS)

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            await asyncio.sleep(self._interval_seconds)
            self.pulse.beat()
            try:
                self._tidy()
                await self.flush()
            except Overloaded:
                continue  # the store has logged the failure, and no taken values are lost
            except Exception:  # noqa: BLE001 - it is logged, and the loop goes on
                _log.exception("the flush loop failed and goes on")

    def _tidy(self) -> None:
        now = self._clock()
        if self._tidied_at is None or not 0 <= now - self._tidied_at < _TIDY_AFTER:
            self._tidied_at = now
            self._ephemeral.tidy(now)

    async def flush(self) -> None:
        """Write all changed values; those that could not be written stay for the next time."""
        while taken := take(self._ephemeral, _VALUES_AT_ONCE, self._areas):
            for place, part in enumerate(taken):
                try:
                    gone = await self._executor.write(part.scope, partial(write_taken, taken=part))
                except BaseException:
                    for left in taken[place:]:
                        give_back(self._ephemeral, left)
                    raise
                self._metrics.flushed(len(part))
                for ref in gone:
                    self._ephemeral.forget(part.scope, ref)
