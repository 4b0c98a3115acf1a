"""The question that a process asks its database at the entrance: one for all the requests that wait when it is sent.

    request 1 ──ask──┐            ┌── 1 goes on
    request 2 ───────┼─ waiting ──┼──ask──┐  ┌── 2 and 3 go on
    request 3 ───────┴────────────┘───────┴──┘

One round trip, and one small transaction, carries for all of them: which versions the directory's tables have; their hits,
one line for each counter, of which each is told its own place; the facts that were put here since the last question; and
brings what others have published. At rest nobody asks, but for what was put and nobody has fetched yet.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.errors import Overloaded
from livecore.kernel.time import Millis
from livecore_server.memory.shared import MOST_NEWS, News
from livecore_server.storage.postgres.pipeline import Fault, Lost, Statement
from livecore_server.storage.postgres.short_memory_tables import (
    NEWS_PAGE,
    VERSIONS,
    Count,
    counted_in,
    counts_statement,
    news_in,
    news_statement,
    publication,
    tidying,
    told_in,
    told_statement,
    versions_in,
)
from livecore_server.system import now_millis

__all__ = ["Ask", "Counted", "Listener", "SharedQueries"]

Ask: TypeAlias = "Callable[[Sequence[Statement]], Awaitable[list[PGresult]]]"
"""Sends statements in one round trip and one transaction, after those that were sent before."""
Counted: TypeAlias = tuple[int, Millis]
"""The place of a hit in its window, the first being 1, and when that window ends."""
_PATIENCE_SECONDS: Final = 5.0
"""How long anybody waits for a question; after that all are refused until it has been answered, or has failed."""
_LINGER_SECONDS: Final = 0.05
"""How long what was put may wait for a question that somebody needs."""
_TIDY_AFTER: Final = 1_000
"""After how many counts and news a process looks for what is to be forgotten."""
_CONFLICTS: Final = frozenset({"40001", "40P01"})
_TRIES: Final = 10


@attrs.define(slots=True, eq=False)
class _Hit:
    window: Millis
    now: Millis
    told: bool
    answer: asyncio.Future[Counted]


@attrs.define(slots=True, eq=False)
class _Round:
    """Who waits for a question that has not been sent."""

    answered: asyncio.Future[None]
    hits: dict[str, list[_Hit]] = attrs.Factory(dict)

    def counts(self) -> list[Count]:
        return [
            (name, max(hit.now for hit in hits), hits[0].window, len(hits), any(hit.told for hit in hits))
            for name, hits in self.hits.items()
        ]

    def tell_counts(self, result: PGresult) -> None:
        """Tell each hit its own place in its window: the first to come has the first."""
        for name, (ends_at, used) in counted_in(result).items():
            hits = self.hits[name]
            for place, hit in enumerate(hits, used - len(hits) + 1):
                if not hit.answer.done():
                    hit.answer.set_result((place, ends_at))

    def fail(self, error: BaseException) -> None:
        waiting: list[asyncio.Future[Any]] = [self.answered]
        waiting += [hit.answer for hits in self.hits.values() for hit in hits]
        for future in waiting:
            if not future.done():
                future.set_exception(error)
                future.exception()  # whoever waited may have gone away


class Listener(Protocol):
    """Who is told what the answers bring, besides those who wait."""

    def heard(self, news: News) -> None:
        """Another process has published this."""

    def missed(self, told: Mapping[str, tuple[Millis, int]]) -> None:
        """News were lost on the way; these are the windows of which processes tell each other: their ends and counts."""


class SharedQueries:
    """Asks, on the running loop, one question after the other."""

    def __init__(
        self,
        ask: Ask,
        listener: Listener,
        *,
        clock: Callable[[], Millis] = now_millis,
        most_news: int = MOST_NEWS,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self.versions: dict[str, int] = {}
        """The versions of the directory's tables, as of the latest answer."""
        self._ask = ask
        self._listener = listener
        self._clock = clock
        self._most_news = most_news
        self._patience_seconds = patience_seconds
        self._stuck = False
        """Whether the question under way has been so for too long."""
        self._source = secrets.token_hex(8).encode()
        self._last: int | None = None
        """The number of the latest news that this process knows of."""
        self._unpublished: dict[tuple[str, str, str], News] = {}
        self._waiting: _Round | None = None
        self._asking: asyncio.Task[None] | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._untidied = 0

    def next(self) -> asyncio.Future[None]:
        """Done when a question has been answered that is sent after this call. Raises `Overloaded`, like `count`."""
        return asyncio.shield(self._round().answered)

    def count(self, name: str, window: Millis, now: Millis, *, told: bool) -> asyncio.Future[Counted]:
        """Count one request in the window `name`, with the next question."""
        hit = _Hit(window, now, told, asyncio.get_running_loop().create_future())
        self._round().hits.setdefault(name, []).append(hit)
        return hit.answer

    def tell(self, news: News) -> None:
        """Publish this soon, with a question that somebody needs or else with one of its own."""
        self._unpublished[news.kind, news.scope, news.ref] = news
        if self._lingering is None:
            self._lingering = asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._linger)

    async def close(self) -> None:
        """Publish what is left, and ask no more."""
        if self._lingering is not None:
            self._lingering.cancel()
        if self._unpublished and not self._stuck:
            self.next().add_done_callback(_heard)
        if self._asking is not None:
            await asyncio.wait({self._asking})

    def _linger(self) -> None:
        self._lingering = None
        if self._unpublished and not self._stuck:
            self.next().add_done_callback(_heard)

    def _round(self) -> _Round:
        """The question that is sent next: one that is under way may have been asked before a change that must be seen."""
        if self._stuck:
            raise _overloaded()
        if self._waiting is None:
            loop = asyncio.get_running_loop()
            self._waiting = _Round(loop.create_future())
            if self._asking is None:
                self._asking = loop.create_task(self._go_on())
        return self._waiting

    async def _go_on(self) -> None:
        while self._waiting is not None:
            going, self._waiting = self._waiting, None
            unpublished, self._unpublished = self._unpublished, {}
            patience = asyncio.get_running_loop().call_later(self._patience_seconds, self._tire, going)
            try:
                await self._put(going, list(unpublished.values()))
            except BaseException as error:  # noqa: BLE001 - it is for those who wait
                # What was put meanwhile is newer.
                self._unpublished = unpublished | self._unpublished
                going.fail(Overloaded() if isinstance(error, asyncio.CancelledError) else error)
            else:
                if not going.answered.done():
                    going.answered.set_result(None)
            patience.cancel()
            self._stuck = False
        self._asking = None

    def _tire(self, going: _Round) -> None:
        """The database does not answer: let nobody wait for it any longer."""
        self._stuck = True
        waiting, self._waiting = self._waiting, None
        for each in (going, waiting):
            if each is not None:
                each.fail(_overloaded())

    async def _put(self, going: _Round, unpublished: list[News]) -> None:
        counts = going.counts()
        statements = [VERSIONS]
        if counts:
            statements.append(counts_statement(counts))
        if unpublished:
            statements.append(publication(self._source, unpublished, self._clock()))
        self._untidied += len(counts) + len(unpublished)
        if self._untidied >= _TIDY_AFTER:
            self._untidied = 0
            statements += tidying(self._last or 0, self._most_news, self._clock())
        results = await self._asked([*statements, news_statement(self._source, self._last or 0)])
        self.versions = versions_in(results[0])
        await self._hear(results[-1])
        if counts:
            going.tell_counts(results[1])

    async def _hear(self, result: PGresult) -> None:
        while True:
            news = news_in(result)
            if self._last is None or (news and news[0][0] != self._last + 1):
                self._last = self._last or 0
                (told,) = await self._asked([told_statement(self._clock())])
                self._listener.missed(told_in(told))
            for self._last, one in news:
                if one is not None:
                    self._listener.heard(one)
            if len(news) < NEWS_PAGE:
                return
            (result,) = await self._asked([news_statement(self._source, self._last)])

    async def _asked(self, statements: Sequence[Statement]) -> list[PGresult]:
        for _ in range(_TRIES - 1):
            try:
                return await self._ask(statements)
            except Fault as fault:
                # PostgreSQL does not raise these here; an engine that serialises every transaction may.
                if fault.code not in _CONFLICTS:
                    raise
        return await self._ask(statements)


def _overloaded() -> Overloaded:
    overloaded = Overloaded()
    overloaded.__cause__ = Lost("the database does not answer")
    return overloaded


def _heard(answer: asyncio.Future[None]) -> None:
    """Nobody waits for this one; where it failed, what was to be published waits for the next."""
    if not answer.cancelled():
        answer.exception()
