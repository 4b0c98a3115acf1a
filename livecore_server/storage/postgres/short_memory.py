"""The short memory of any number of processes, on any number of machines, that serve one PostgreSQL database.

Counters and news live in unlogged tables (`livecore_server.storage.postgres.short_memory_tables`), which are reached
through the question that requests share anyway (`livecore_server.storage.postgres.shared_query`). Whoever counts waits
for its answer on the event loop, and so does whoever must be sure that others know of a fact; reading facts, and
peeking, never waits. A hit that others peek at counts in its own process from the moment at which it is sent, so of
many guesses at once no more are compared than are allowed.
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
from livecore.kernel.volatile import Allowance, FactKind
from livecore_server.memory.shared import News, SharedMemory, allowance
from livecore_server.storage.postgres.shared_query import Ask, Counted, SharedQueries
from livecore_server.storage.suspension import SuspendableUnit, wait_for

__all__ = ["ENTRANCE", "Entrance", "PostgresMemory"]


class Entrance(Protocol):
    """The entrance of a request: it must hear from the database once, and need not ask twice."""

    @property
    def heard(self) -> bool:
        """Whether it has heard an answer to a question that was sent after the request had come in."""

    @property
    def counted(self) -> dict[str, Counted]:
        """What it has counted: where it has to begin again, that is not counted again."""

    def hear(self, answer: Awaitable[None]) -> None:
        """Wait for the answer. Raises where the entrance has to begin again."""

    def hit(self, name: str, answer: Awaitable[Counted]) -> Counted:
        """Wait for the answer to a hit, and keep it. Raises likewise."""


ENTRANCE: Final[ContextVar[Entrance | None]] = ContextVar("entrance", default=None)
"""The entrance that is being run, where it is one."""


class PostgresMemory(SharedMemory):
    """One process's part of the memory. Whoever has it wait is run by `run_waiting` or an executor."""

    def __init__(self, ask: Ask, *, kinds: Iterable[FactKind[Any]] = AREAS.facts.keys()) -> None:
        super().__init__(kinds=kinds)
        self.shared_queries = SharedQueries(ask, self)
        self._on_the_way: dict[str, int] = {}
        """How many hits of a window that is peeked at have not been answered yet."""

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`, over all processes; waits for the answer."""
        entrance = ENTRANCE.get()
        if entrance is None:
            place, ends_at = wait_for(self.shared_queries.count(name, window, now, told=False))
        else:
            place, ends_at = self._count_at(entrance, name, window, now)
        return allowance(place, limit, ends_at, now)

    def _count_at(self, entrance: Entrance, name: str, window: Millis, now: Millis) -> Counted:
        counted = entrance.counted.get(name)
        if counted is None:
            counted = entrance.hit(name, self.shared_queries.count(name, window, now, told=False))
        return counted

    def hit_told(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows; waits for the answers, and until the others can hear of them."""
        answers = {name: self._send_out(name, window, now) for name in limits}
        found: dict[str, Allowance] = {}
        for name, limit in limits.items():
            place, ends_at = wait_for(answers[name])
            self.publish_count(name, place, ends_at)
            found[name] = allowance(place, limit, ends_at, now)
        wait_for(self.shared_queries.next())
        return found

    def _send_out(self, name: str, window: Millis, now: Millis) -> asyncio.Future[Counted]:
        """A hit on its way to the database, which `peek` sees from here on."""
        answer = self.shared_queries.count(name, window, now, told=True)
        self._on_the_way[name] = self._on_the_way.get(name, 0) + 1
        # Answers come in the order of their places, so what is known and what is on the way are together the truth.
        answer.add_done_callback(partial(self._arrived, name, now))
        return answer

    def _arrived(self, name: str, now: Millis, answer: asyncio.Future[Counted]) -> None:
        self._on_the_way[name] -= 1
        if not self._on_the_way[name]:
            del self._on_the_way[name]
        if not answer.cancelled() and answer.exception() is None:
            place, ends_at = answer.result()
            self._know(name, ends_at, place, now)

    def peek(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """How a window stands, with those hits of this process that have not been answered yet."""
        state = super().peek(name, limit, window, now)
        on_the_way = self._on_the_way.get(name)
        if on_the_way is None:
            return state
        remaining = max(0, state.remaining - on_the_way)
        return Allowance(remaining > 0, limit, remaining, state.reset_seconds)

    def hear(self) -> None:
        """Know what any process was told before; at an entrance that has counted, the answer to that has brought it."""
        entrance = ENTRANCE.get()
        if entrance is None:
            wait_for(self.shared_queries.next())
        elif not entrance.heard:
            entrance.hear(self.shared_queries.next())

    def publish(self, news: News, *, told: bool) -> None:
        """Let the other processes have it; with `told`, wait until they can, wherever one can wait."""
        self.shared_queries.tell(news)
        if told and isinstance(getcurrent(), SuspendableUnit):
            wait_for(self.shared_queries.next())
