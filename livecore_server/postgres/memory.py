"""The short memory of any number of processes, on any number of machines, that serve one PostgreSQL database.

Counters and news live in unlogged tables (`livecore_server.postgres.memory_tables`), which are reached through the question
that requests share anyway (`livecore_server.postgres.questions`). Whoever counts waits for its answer on the event loop, and
so does whoever must be sure that others know of a fact; reading facts, and peeking, never waits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from contextvars import ContextVar
from typing import Any, Final, Protocol

from greenlet import getcurrent

from livecore.api.upkeep import FACT_KINDS
from livecore.kernel.time import Millis
from livecore.kernel.volatile import Allowance, FactKind
from livecore_server.memory.shared import News, SharedMemory, allowance
from livecore_server.postgres.questions import Ask, Counted, Questions
from livecore_server.waiting import Errand, wait_for

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

    def __init__(self, ask: Ask, *, kinds: Sequence[FactKind[Any]] = FACT_KINDS) -> None:
        super().__init__(kinds=kinds)
        self.questions = Questions(ask, self)

    def hit(self, name: str, limit: int, window: Millis, now: Millis, *, told: bool = False) -> Allowance:
        """Count one request in the fixed window `name`, over all processes; waits for the answer."""
        entrance = ENTRANCE.get()
        if entrance is None:
            place, ends_at = wait_for(self.questions.count(name, window, now, told=told))
        else:
            place, ends_at = self._count_at(entrance, name, window, now, told=told)
        if told:
            self.tell_count(name, ends_at, place, now)
        return allowance(place, limit, ends_at, now)

    def _count_at(self, entrance: Entrance, name: str, window: Millis, now: Millis, *, told: bool) -> Counted:
        counted = entrance.counted.get(name)
        if counted is None:
            counted = entrance.hit(name, self.questions.count(name, window, now, told=told))
        return counted

    def hear(self) -> None:
        """Know what any process was told before; at an entrance that has counted, the answer to that has brought it."""
        entrance = ENTRANCE.get()
        if entrance is None:
            wait_for(self.questions.next())
        elif not entrance.heard:
            entrance.hear(self.questions.next())

    def publish(self, news: News, *, told: bool) -> None:
        """Let the other processes have it; with `told`, wait until they can, wherever one can wait."""
        self.questions.tell(news)
        if told and isinstance(getcurrent(), Errand):
            wait_for(self.questions.next())
