"""The ephemeral state of any number of processes, on any number of machines, that serve one PostgreSQL database.

Counters and updates are in unlogged tables (`ephemeral_tables`). The query that requests share anyway reads and writes
them (`shared_query`). Counting waits for its answer on the event loop, and so does publishing at once; reading values and
peeking never wait. In its own process a published hit counts from the moment at which it is sent, so concurrent guesses are
never compared more often than allowed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, Protocol

from greenlet import getcurrent

from livecore.api.areas import AREAS
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import Allowance, EphemeralKind
from livecore_server.ephemeral.shared import SharedEphemeralState, Update, allowance
from livecore_server.storage.postgres.connections.suspension import SuspendableUnit, wait_for
from livecore_server.storage.postgres.shared.shared_query import Ask, Counted, SharedQueries


class Preparation(Protocol):
    """One run of `Application.prepare`: it needs one answer of the database, and not a second one."""

    @property
    def answered(self) -> bool:
        """Whether a query that was sent after the request arrived has been answered."""

    @property
    def counted(self) -> dict[str, Counted]:
        """Its counts so far; if it begins again, they are not counted again."""

    def wait(self, answer: Awaitable[None]) -> None:
        """Wait for the answer. Raises if the preparation has to begin again."""

    def hits(self, answers: Mapping[str, Awaitable[Counted]]) -> None:
        """Wait for the answers to hits that one query counts, and keep all of them. Raises like `wait`."""


PREPARATION: Final[ContextVar[Preparation | None]] = ContextVar("preparation", default=None)
"""The current preparation, if there is one."""


class PostgresEphemeralState(SharedEphemeralState):
    """One process's part of it. Calls that wait must run inside `run_waiting` or an executor."""

    def __init__(self, ask: Ask, *, kinds: Iterable[EphemeralKind[Any]] = AREAS.ephemeral.keys()) -> None:
        super().__init__(kinds=kinds)
        self.shared_queries = SharedQueries(ask, self)
        self._unanswered: dict[str, int] = {}
        """How many published hits of each window have not been answered yet."""

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`, over all processes; waits for the answer."""
        return self.hit_several({name: limit}, window, now)[name]

    def hit_several(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows, over all processes; one query counts in all of them."""
        preparation = PREPARATION.get()
        before = {} if preparation is None else preparation.counted
        hidden = {self.hidden(name): limit for name, limit in limits.items()}
        # All of them are sent before anything waits, so they are in the same query.
        answers = {
            name: self.shared_queries.count(name, window, now, published=False) for name in hidden if name not in before
        }
        if preparation is None:
            counted = {name: wait_for(answer) for name, answer in answers.items()}
        else:
            if answers:
                preparation.hits(answers)
            counted = preparation.counted
        found = (allowance(counted[name][0], limit, counted[name][1], now) for name, limit in hidden.items())
        return dict(zip(limits, found, strict=True))

    def hit_published(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows; waits for the answers, and until the counts are published."""
        hidden = {name: self.hidden(name) for name in limits}
        answers = {name: self._send_out(hidden[name], window, now) for name in limits}
        found: dict[str, Allowance] = {}
        for name, limit in limits.items():
            place, ends_at = wait_for(answers[name])
            self.publish_count(hidden[name], place, ends_at)
            found[name] = allowance(place, limit, ends_at, now)
        wait_for(self.shared_queries.next())
        return found

    def _send_out(self, name: str, window: Millis, now: Millis) -> asyncio.Future[Counted]:
        """Send a hit to the database; `peek` sees it from now on."""
        answer = self.shared_queries.count(name, window, now, published=True)
        self._unanswered[name] = self._unanswered.get(name, 0) + 1
        # Answers arrive in the order of their numbers, so known and unanswered hits together are all hits of this process.
        answer.add_done_callback(partial(self._arrived, name, now))
        return answer

    def _arrived(self, name: str, now: Millis, answer: asyncio.Future[Counted]) -> None:
        self._unanswered[name] -= 1
        if not self._unanswered[name]:
            del self._unanswered[name]
        if not answer.cancelled() and answer.exception() is None:
            place, ends_at = answer.result()
            self._learn(name, ends_at, place, now)

    def peek(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """The state of a window, including hits of this process that have not been answered yet."""
        state = super().peek(name, limit, window, now)
        unanswered = self._unanswered.get(self.hidden(name))
        if unanswered is None:
            return state
        remaining = max(0, state.remaining - unanswered)
        return Allowance(remaining > 0, limit, remaining, state.reset_seconds)

    def refresh(self) -> None:
        """Receive all published updates. In a preparation that has counted, the count's answer has brought them."""
        preparation = PREPARATION.get()
        if preparation is None:
            wait_for(self.shared_queries.next())
        elif not preparation.answered:
            preparation.wait(self.shared_queries.next())

    def publish(self, update: Update, *, at_once: bool) -> None:
        """Publish an update; with `at_once`, wait until it is published, if the caller can wait."""
        self.shared_queries.publish(update)
        if at_once and isinstance(getcurrent(), SuspendableUnit):
            wait_for(self.shared_queries.next())

    def empty(self, ref: str) -> None:
        """Remove all about an id from the tables, with the next query."""
        self.shared_queries.empty(ref)

    def tidy(self, now: Millis) -> None:
        """Delete windows that have ended and old updates, here and, with a query that nobody waits for, in the tables."""
        super().tidy(now)
        self.shared_queries.tidy()
