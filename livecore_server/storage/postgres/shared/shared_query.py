"""The shared query: one query to the database for all requests that are being prepared at the same time.

    request 1 ──ask──┐            ┌── 1 continues
    request 2 ───────┼─ waiting ──┼──ask──┐  ┌── 2 and 3 continue
    request 3 ───────┴────────────┘───────┴──┘

One round trip and one small transaction does the following for all of them. It reads the versions of the directory's
tables. It counts their hits, one row for each counter, and each hit gets its own number. It publishes the updates of this
process since the last query, and reads those of the others. Without requests a query is sent only to publish updates, and
once a minute to delete old ones.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.errors import Overloaded
from livecore.kernel.time import Millis
from livecore_server.ephemeral.shared import MOST_UPDATES, OUTDATED, Update, is_about
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement
from livecore_server.storage.postgres.shared.ephemeral_tables import (
    UPDATES_PAGE,
    VERSIONS,
    Count,
    counted_in,
    counts_statement,
    emptying,
    left_to_tidy,
    publication,
    tidying,
    updates_in,
    updates_statement,
    versions_in,
    windows_in,
    windows_statement,
)
from livecore_server.system import now_millis

Ask: TypeAlias = "Callable[[Sequence[Statement]], Awaitable[list[PGresult]]]"
"""Sends statements in one round trip and one transaction, after those that were sent before."""
Counted: TypeAlias = tuple[int, Millis]
"""The number of a hit in its window, from 1 on, and when that window ends."""
_PATIENCE_SECONDS: Final = 5.0
"""How long a request waits for a query; after that all are refused until the query has been answered or has failed."""
_LINGER_SECONDS: Final = 0.05
"""How long an update waits for a query that a request needs."""
_TIDY_AFTER: Final = 1_000
"""After how many counts and updates a process deletes ended windows and old updates."""
_CONFLICTS: Final = frozenset({"40001", "40P01"})
_TRIES: Final = 10


@attrs.define(slots=True, eq=False)
class _Hit:
    window: Millis
    now: Millis
    published: bool
    answer: asyncio.Future[Counted]


@attrs.define(slots=True, eq=False)
class _Round:
    """The waiters of a query that has not been sent."""

    answered: asyncio.Future[None]
    hits: dict[str, list[_Hit]] = attrs.Factory(dict)

    def counts(self) -> list[Count]:
        return [
            (name, max(hit.now for hit in hits), hits[0].window, len(hits), any(hit.published for hit in hits))
            for name, hits in self.hits.items()
        ]

    def answer_counts(self, result: PGresult) -> None:
        """Give each hit its number in its window, in the order of arrival."""
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
                future.exception()  # the waiter may be gone


class Listener(Protocol):
    """Receives the updates that queries read."""

    def receive(self, update: Update) -> None:
        """Apply an update of another process."""

    def missed(self, windows: Mapping[str, tuple[Millis, int]]) -> None:
        """Updates were lost. `windows` are the published windows, with their ends and counts."""


class SharedQueries:
    """Sends one query after the other, on the running loop."""

    def __init__(
        self,
        ask: Ask,
        listener: Listener,
        *,
        clock: Callable[[], Millis] = now_millis,
        most_updates: int = MOST_UPDATES,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self.versions: dict[str, int] = {}
        """The versions of the directory's tables, as of the latest answer."""
        self._ask = ask
        self._listener = listener
        self._clock = clock
        self._most_updates = most_updates
        self._patience_seconds = patience_seconds
        self._stuck = False
        """Whether the current query takes too long."""
        self._source = secrets.token_hex(8).encode()
        self._last: int | None = None
        """The number of the latest update that this process has received."""
        self._unpublished: dict[tuple[str, str, str], Update] = {}
        self._unemptied: set[str] = set()
        """The ids about which the tables are to hold nothing, once a query has been answered."""
        self._waiting: _Round | None = None
        self._asking: asyncio.Task[None] | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._untidied = 0

    def next(self) -> asyncio.Future[None]:
        """Done when a query that is sent after this call has been answered. Raises `Overloaded`, like `count`."""
        return asyncio.shield(self._round().answered)

    def count(self, name: str, window: Millis, now: Millis, *, published: bool) -> asyncio.Future[Counted]:
        """Count one request in the window `name`, with the next query."""
        hit = _Hit(window, now, published, asyncio.get_running_loop().create_future())
        self._round().hits.setdefault(name, []).append(hit)
        return hit.answer

    def publish(self, update: Update) -> None:
        """Publish an update soon, with a query that a request needs or else with its own."""
        self._unpublished[update.kind, update.scope, update.ref] = update
        if self._lingering is None:
            self._lingering = asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._linger)

    def empty(self, ref: str) -> None:
        """Remove all about an id from the tables with the next query, which the caller has to cause; publish none of it."""
        self._unpublished = {place: update for place, update in self._unpublished.items() if not is_about(update, ref)}
        self._unemptied.add(ref)

    def tidy(self) -> None:
        """Delete ended windows and old updates with a query that nobody waits for."""
        self._untidied = _TIDY_AFTER
        if not self._stuck:
            self.next().add_done_callback(_retrieved)

    async def close(self) -> None:
        """Publish the remaining updates, and send no further query."""
        if self._lingering is not None:
            self._lingering.cancel()
        if self._unpublished and not self._stuck:
            self.next().add_done_callback(_retrieved)
        if self._asking is not None:
            await asyncio.wait({self._asking})

    def _linger(self) -> None:
        self._lingering = None
        if self._unpublished and not self._stuck:
            self.next().add_done_callback(_retrieved)

    def _round(self) -> _Round:
        """The next query. The current one may have been sent before a change that the caller must see."""
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
            unemptied, self._unemptied = self._unemptied, set()
            patience = asyncio.get_running_loop().call_later(self._patience_seconds, self._time_out, going)
            try:
                await self._put(going, list(unpublished.values()), unemptied)
            except BaseException as error:  # noqa: BLE001 - it is for those who wait
                # Updates that were added meanwhile are newer.
                self._unpublished = unpublished | self._unpublished
                self._unemptied |= unemptied
                going.fail(Overloaded() if isinstance(error, asyncio.CancelledError) else error)
            else:
                if not going.answered.done():
                    going.answered.set_result(None)
            patience.cancel()
            self._stuck = False
        self._asking = None

    def _time_out(self, going: _Round) -> None:
        """The database does not answer: fail all waiters."""
        self._stuck = True
        waiting, self._waiting = self._waiting, None
        for each in (going, waiting):
            if each is not None:
                each.fail(_overloaded())

    async def _put(self, going: _Round, unpublished: list[Update], unemptied: Collection[str]) -> None:
        counts = going.counts()
        statements = [VERSIONS]
        if counts:
            statements.append(counts_statement(counts))
        if unpublished:
            statements.append(publication(self._source, unpublished, self._clock()))
        if unemptied:
            # After the publication, which waits for the publications of others: so these are seen.
            statements += emptying(unemptied)
        untidy = len(statements)
        self._untidied += len(counts) + len(unpublished)
        if self._untidied >= _TIDY_AFTER:
            self._untidied = 0
            statements += tidying(self._last or 0, self._most_updates, self._clock())
        results = await self._asked([*statements, updates_statement(self._source, self._last or 0)])
        if left_to_tidy(results[untidy:-1]):
            self.tidy()
        self.versions = versions_in(results[0])
        await self._receive(results[-1])
        if counts:
            going.answer_counts(results[1])

    async def _receive(self, result: PGresult) -> None:
        while True:
            updates = updates_in(result)
            if self._last is None or _is_incomplete(updates, self._last):
                self._last = self._last or 0
                (windows,) = await self._asked([windows_statement(self._clock())])
                self._listener.missed(windows_in(windows))
            for self._last, one in updates:
                if one is not None:
                    self._listener.receive(one)
            if len(updates) < UPDATES_PAGE:
                return
            (result,) = await self._asked([updates_statement(self._source, self._last)])

    async def _asked(self, statements: Sequence[Statement]) -> list[PGresult]:
        for _ in range(_TRIES - 1):
            try:
                return await self._ask(statements)
            except Fault as fault:
                # PostgreSQL does not raise these here; an engine that serialises every transaction may do so.
                if fault.code not in _CONFLICTS:
                    raise
        return await self._ask(statements)


def _is_incomplete(updates: Sequence[tuple[int, Update | None]], last: int) -> bool:
    """Whether updates after the number `last` were deleted before they were read."""
    gap = bool(updates) and updates[0][0] != last + 1
    return gap or any(one is not None and one.kind == OUTDATED for _, one in updates)


def _overloaded() -> Overloaded:
    overloaded = Overloaded()
    overloaded.__cause__ = Lost("the database does not answer")
    return overloaded


def _retrieved(answer: asyncio.Future[None]) -> None:
    """No caller waits for this query. If it failed, its updates wait for the next one."""
    if not answer.cancelled():
        answer.exception()
