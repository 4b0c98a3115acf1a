"""The sender: leases due deliveries from the outbox, posts them, and records the outcomes.

    wake(scope) ──┐
    next due time ├──> lease (a unit of work) ──> post ──> record (a unit of work) ──> look again
    poll ─────────┘

Everything that must survive a crash is in the store: a lease without an outcome expires after a minute, and the same
attempt is made again, by this process or another. So delivery is at least once, and any number of processes may send.

A slow receiver delays only its own deliveries. The outbox leases at most four attempts to one endpoint at a time, and each
attempt is its own task. All share only the total number of concurrent attempts. A scope may have at most as many as are
still free. That leaves room for the next scope, however many endpoints of other scopes hang (with n scopes that want
everything, each gets one part in n + 1).

The sender sleeps until the next delivery is due, or until it is woken after a commit that emitted events. It also polls
every few seconds, to find what other processes wrote: one search for the scopes whose deliveries are due by the next poll.
It knows nothing of scopes that have none, and they cost nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar

import attrs

from livecore.access.directory import Game
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Unit, Vault
from livecore.webhooks.dispatch import Attempt
from livecore.webhooks.endpoint import BREAKER_THRESHOLD
from livecore.webhooks.outbox import DUE_IN_ANY_SCOPE, Endpoint
from livecore.webhooks.outcome import Outcome
from livecore_server.background.due_scopes import DueScopes
from livecore_server.background.webhooks.paused import notice_of_pause
from livecore_server.background.webhooks.post import Poster, headers_of
from livecore_server.background.webhooks.units import Leased, first_due, lease, record
from livecore_server.readiness import Pulse
from livecore_server.storage.ports import Executor
from livecore_server.system import draw_seed
from livecore_server.waiting import wait_for_event

T = TypeVar("T")
_log = logging.getLogger("livecore.webhooks")
_MOST_AT_ONCE: Final = 16
"""How many attempts one lease takes at most, so that scopes take turns."""
_LOOKS_AT_ONCE: Final = 32
_RECORD_WAITS_SECONDS: Final = (0.1, 0.5, 2.0, 8.0)
"""The waits before further attempts to record an outcome; together well within a lease."""
_STALLED_AFTER_SECONDS: Final = 30.0
_NEXT_TRY: Final[Millis] = 20
"""How long to wait for another process that leases deliveries of the same scope now; it takes some milliseconds."""
_TROUBLE_SECONDS: Final = 1.0
"""The wait for a scope after its lease failed."""

Wait: TypeAlias = Callable[[asyncio.Event, float], Awaitable[object]]
"""Waits until the event is set, at most so many seconds."""


class SenderObserver(Protocol):
    """Observes the sender, for metrics. Called on the event loop."""

    def attempted(self, *, result: str, seconds: float) -> None:
        """An attempt ended after `seconds`; `result` is `delivered`, `status_3xx` and so on, or the fault's name."""

    def under_way(self, count: int) -> None:
        """So many attempts are under way now."""

    def tripped(self) -> None:
        """An endpoint's breaker has paused it."""

    def unsealable(self) -> None:
        """An attempt was given up because no configured vault key opens the endpoint's secret."""


@attrs.frozen(kw_only=True)
class SenderOptions:
    """How many attempts the sender makes at the same time, and its intervals."""

    under_way: int = 256
    """How many attempts this process may make at the same time."""
    poll_seconds: float = 2.0
    """The interval of polls for writes of other processes."""
    breaker_threshold: int = BREAKER_THRESHOLD
    database: str | None = None
    """The URL of the database, for the commands in messages."""


@attrs.define(eq=False)
class _Lane:
    """What the sender knows about a scope with deliveries. It only says when to read the scope; the rows decide."""

    scope: Scope
    game: Game
    under_way: int = 0
    """Current attempts, including those that a running lease may still add."""
    look_at: Millis | None = None


class Sender:
    """Sends the webhooks of every scope. The sender owns and closes `poster`.

    `tell` is given a sentence when an endpoint pauses by itself. Tests set `wait` and the clocks: `now` is the wall clock in
    milliseconds, `monotonic` measures in seconds.
    """

    def __init__(
        self,
        executor: Executor,
        vault: Vault,
        poster: Poster,
        *,
        now: Callable[[], Millis],
        seed: Callable[[], bytes] = draw_seed,
        ephemeral: EphemeralState | None = None,
        options: SenderOptions | None = None,
        observer: SenderObserver | None = None,
        tell: Callable[[str], None] = _log.warning,
        wait: Wait = wait_for_event,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._executor = executor
        self._vault = vault
        self._poster = poster
        self._now = now
        self._seed = seed
        self._deployment = new_deployment(ephemeral=ephemeral)
        self._options = options or SenderOptions()
        self._observer = observer
        self._tell = tell
        self._wait = wait
        self._monotonic = monotonic
        self._lanes: dict[Scope, _Lane] = {}
        self._woken: set[Scope] = set()
        self._starved: set[Scope] = set()
        """Scopes with due deliveries while no attempt is free."""
        self._under_way = 0
        self._attempts: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []
        self._nudge = asyncio.Event()
        self._stop = asyncio.Event()
        most_seconds = self._options.poll_seconds + _STALLED_AFTER_SECONDS
        self.pulses = [Pulse(name, most_seconds, monotonic) for name in ("webhookSender", "webhookPoll")]
        """The heartbeats of the two loops."""
        self._due_scopes = DueScopes(executor, DUE_IN_ANY_SCOPE, self.pulses[1])

    # -- for the host

    async def start(self) -> None:
        """Start sending; finds deliveries of an earlier process at once."""
        await self._poster.open()
        await self.look_around()
        self._loops = [
            asyncio.create_task(self._run(), name="webhooks-sender"),
            asyncio.create_task(self._poll(), name="webhooks-poll"),
        ]

    def wake(self, scope: Scope) -> None:
        """Read a scope now: a commit there has emitted events or changed deliveries."""
        self._woken.add(scope)
        self._nudge.set()

    async def stop(self) -> None:
        """Start no further attempts, and wait until all current ones have ended and are recorded.

        That takes no longer than one attempt, unless the store fails. If it is cancelled, the attempts end as they
        are: their leases expire, and they are made again.
        """
        self._stop.set()
        self._nudge.set()
        try:
            await asyncio.gather(*self._loops)
            while self._attempts:
                await asyncio.gather(*self._attempts)
        finally:
            for attempt in self._attempts:
                attempt.cancel()
            await self._poster.close()

    # -- the two loops

    async def _run(self) -> None:
        sending, _ = self.pulses
        while not self._stop.is_set():
            sending.beat()
            self._nudge.clear()
            ready = await self._ready()
            # A few at a time, so that a poll of many scopes does not keep requests waiting.
            for first in range(0, len(ready), _LOOKS_AT_ONCE):
                sending.beat()
                await asyncio.gather(*(self._look(lane) for lane in ready[first : first + _LOOKS_AT_ONCE]))
            await self._wait(self._nudge, self._seconds_to_sleep())

    async def _poll(self) -> None:
        _, polling = self.pulses
        while not self._stop.is_set():
            polling.beat()
            await self._wait(self._stop, self._options.poll_seconds)
            await self.look_around()

    async def look_around(self) -> None:
        """Search for the scopes whose deliveries are due by the next poll, and forget those that have none."""
        until = self._now() + round(2000 * self._options.poll_seconds)
        try:
            found = await self._due_scopes.search(until)
            known = found.keys() | self._lanes.keys()
            games = await self._due_scopes.games(known)
        except Overloaded:
            return  # the store has logged the failure
        except Exception:  # noqa: BLE001 - a store that fails now is asked again at the next poll
            _log.exception("could not read which scopes have deliveries that are due")
            return
        self._know(games)
        for scope, at in found.items():
            if scope in games:
                lane = self._lanes[scope]
                lane.look_at = at if lane.look_at is None else min(at, lane.look_at)
        for scope, lane in list(self._lanes.items()):
            deleted = scope in known and scope not in games
            if deleted or (scope not in found and not self._is_in_use(lane, until)):
                del self._lanes[scope]
        self._nudge.set()

    def _is_in_use(self, lane: _Lane, until: Millis) -> bool:
        awaited = lane.look_at is not None and lane.look_at <= until
        return awaited or lane.under_way > 0 or lane.scope in self._starved

    def _know(self, games: dict[Scope, Game]) -> None:
        for scope, game in games.items():
            self._lanes.setdefault(scope, _Lane(scope, game)).game = game

    async def _ready(self) -> list[_Lane]:
        """The scopes to read now."""
        woken, self._woken = self._woken, set()
        self._plan_looks(woken)
        unknown = woken - self._lanes.keys()
        if unknown:
            try:
                self._know(await self._due_scopes.games(unknown))
            except Exception as error:  # noqa: BLE001 - the next poll finds their deliveries
                if not isinstance(error, Overloaded):
                    _log.exception("could not read the games of scopes with new deliveries")
            self._plan_looks(unknown)
        now = self._now()
        return [lane for lane in self._lanes.values() if lane.look_at is not None and lane.look_at <= now]

    def _plan_looks(self, woken: set[Scope]) -> None:
        """Read these scopes next, as far as they are known. At once, because a poll forgets a scope that is not awaited."""
        now = self._now()
        for scope in woken & self._lanes.keys():
            self._lanes[scope].look_at = now

    def _seconds_to_sleep(self) -> float:
        """The seconds until the next delivery is due; never longer than the poll, in case the clock is changed."""
        if self._woken:
            return 0.0
        times = [lane.look_at for lane in self._lanes.values() if lane.look_at is not None]
        soonest = (min(times) - self._now()) / 1000 if times else self._options.poll_seconds
        return min(max(soonest, 0.0), self._options.poll_seconds)

    # -- leasing

    async def _look(self, lane: _Lane) -> None:
        """Lease due deliveries of a scope, as many as are allowed, and start their attempts."""
        lane.look_at = None
        room = min(self._room(lane), _MOST_AT_ONCE)
        if room <= 0:
            self._starved.add(lane.scope)
            return
        self._count(lane, room)
        taken = 0
        try:
            leased = await self._lease(lane, room)
            lane.look_at = leased.next_due
            taken = len(leased.attempts)
            for attempt in leased.attempts:
                self._set_off(lane, attempt)
        except Exception as error:  # noqa: BLE001 - one scope's trouble must not stop the others
            if not isinstance(error, Overloaded):
                _log.exception("could not lease deliveries of %s", lane.scope.id)
            lane.look_at = self._now() + round(_TROUBLE_SECONDS * 1000)
        finally:
            self._count(lane, taken - room)
        if taken == room:
            self.wake(lane.scope)
        else:
            self._feed_starved()

    def _room(self, lane: _Lane) -> int:
        """How many more attempts a scope may start, so that afterwards at least as many are free as it has."""
        free = self._options.under_way - self._under_way
        return (free - lane.under_way + 1) // 2

    async def _lease(self, lane: _Lane, room: int) -> Leased:
        now = self._now()
        # Most reads find nothing due, so they come first, without a write lock.
        seen = await self._executor.read(lane.scope, first_due)
        if seen is None or seen > now:
            return Leased([], seen)
        async with self._executor.lease(lane.scope, "webhooks") as ours:
            if not ours:
                return Leased([], now + _NEXT_TRY)
            return await self._write(lane, partial(lease, most=room), now)

    async def _write(self, lane: _Lane, work: Callable[[Unit], T], now: Millis) -> T:
        seed = self._seed()
        game, deployment = lane.game, self._deployment
        return await self._executor.write(lane.scope, lambda tx: work(system_unit(tx, game, now, seed, deployment)))

    def _count(self, lane: _Lane, change: int) -> None:
        lane.under_way += change
        self._under_way += change

    def _feed_starved(self) -> None:
        """Attempts are free again: scopes that found none may be read again."""
        if self._starved:
            self._woken |= self._starved
            self._starved.clear()
            self._nudge.set()

    # -- one attempt

    def _set_off(self, lane: _Lane, attempt: Attempt) -> None:
        task = asyncio.create_task(self._attempt(lane, attempt))
        self._attempts.add(task)
        task.add_done_callback(lambda done: self._ended(lane, done))
        self._report_under_way()

    def _ended(self, lane: _Lane, task: asyncio.Task[None]) -> None:
        self._attempts.discard(task)
        self._count(lane, -1)
        self._report_under_way()
        self._feed_starved()
        # The endpoint may get further attempts, and its breaker may have emitted an event to others.
        self.wake(lane.scope)

    def _report_under_way(self) -> None:
        if self._observer is not None:
            self._observer.under_way(len(self._attempts))

    async def _attempt(self, lane: _Lane, attempt: Attempt) -> None:
        """Make an attempt and record it. If that fails in this process, the lease expires and the attempt is made again."""
        try:
            headers = self._signed(attempt)
            if headers is None:
                return
            started = self._monotonic()
            outcome = await self._poster.post(lane.scope.environment, attempt.url, headers, attempt.body)
            self._report(outcome, self._monotonic() - started)
            await self._record(lane, attempt, outcome)
        except Overloaded:
            # The store has logged the failure; the lease expires, and the attempt is made again.
            _log.debug("delivery %s could not be recorded", attempt.delivery_id)
        except Exception:  # noqa: BLE001 - whatever it was, the lease lapses and nothing is lost
            _log.exception("attempt %d of delivery %s went wrong", attempt.number, attempt.delivery_id)

    def _signed(self, attempt: Attempt) -> dict[str, str] | None:
        """The headers, or `None` if the newest secret cannot be unsealed, which is not the endpoint's failure."""
        newest, *earlier = attempt.sealed_secrets
        try:
            secrets = [self._vault.unseal(newest)]
        except Exception as error:  # noqa: BLE001 - whatever a vault raises, the delivery waits
            _log.error("cannot sign deliveries to endpoint %s: %s", attempt.endpoint_id, error)
            if self._observer is not None:
                self._observer.unsealable()
            return None
        # Whoever has lost a vault key makes new secrets: the earlier ones must not keep deliveries waiting for a day.
        for sealed in earlier:
            with suppress(Exception):
                secrets.append(self._vault.unseal(sealed))
        return headers_of(attempt, secrets, self._now())

    async def _record(self, lane: _Lane, attempt: Attempt, outcome: Outcome) -> None:
        work = partial(record, attempt=attempt, outcome=outcome, threshold=self._options.breaker_threshold)
        for seconds in _RECORD_WAITS_SECONDS:
            try:
                paused = await self._write(lane, work, self._now())
            except Overloaded:
                await self._wait(asyncio.Event(), seconds)
            else:
                break
        else:
            paused = await self._write(lane, work, self._now())
        if paused is not None:
            self._say_paused(lane.scope, paused, outcome)

    def _say_paused(self, scope: Scope, endpoint: Endpoint, outcome: Outcome) -> None:
        self._tell(notice_of_pause(scope, endpoint, outcome, database=self._options.database))
        if endpoint.pause_reason == "consecutive_failures" and self._observer is not None:
            self._observer.tripped()

    def _report(self, outcome: Outcome, seconds: float) -> None:
        if self._observer is not None:
            self._observer.attempted(result=_label(outcome), seconds=seconds)


def _label(outcome: Outcome) -> str:
    """An outcome as a label with few values."""
    if outcome.delivered:
        return "delivered"
    return (outcome.error or "failed") if outcome.status is None else f"status_{outcome.status // 100}xx"
