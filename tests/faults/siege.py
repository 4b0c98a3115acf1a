"""Load that goes on while something breaks: who waits too long is a failure, and every write can be accounted for.

    async with besieged(load) as siege:
        await siege.writes(50)          # it works
        break_something()
        await siege.refusals(50)        # 503, soon, to everybody
        mend_it()
        await siege.writes(50)          # it works again, by itself

What a siege leaves behind is accounted for as after a crash (`tests.crash.load.account`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import aiohttp

from tests.crash.attempts import Attempt
from tests.crash.books import Books
from tests.crash.load import Load
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.patience import PATIENCE_SECONDS

_WRITERS: Final = 12
_PAUSE_SECONDS: Final = 0.02
_REFUSED_SECONDS: Final = 0.1
"""How long a writer who was refused waits: less than it is told to, but long enough to leave a processor free."""


async def pause(seconds: float = _PAUSE_SECONDS) -> None:
    """Let some time go by."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()


async def until(fact: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again until the fact is there; fails when it does not come."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await fact():
                await pause()
    except TimeoutError:
        raise AssertionError("what was waited for never came") from None


class Siege:
    """The writers and what they have been told so far."""

    def __init__(self, load: Load, bound_seconds: float) -> None:
        self._load = load
        self._timeout = aiohttp.ClientTimeout(total=bound_seconds)
        self._stop = asyncio.Event()
        self._told: list[Attempt] = []
        self.hung: list[Attempt] = []
        """What was not answered within the bound."""
        self.strange: list[Attempt] = []
        """What was answered with anything but the operation's own answers, or 503 with a time to come back."""

    async def writes(self, count: int) -> None:
        """Wait for so many further writes that succeed."""
        await self._further(count, lambda attempt: attempt.succeeded)

    async def refusals(self, count: int) -> None:
        """Wait for so many further writes that are answered 503."""
        await self._further(count, lambda attempt: attempt.status == 503)

    async def _further(self, count: int, wanted: Callable[[Attempt], bool]) -> None:
        start = len(self._told)

        async def there() -> bool:
            return sum(map(wanted, self._told[start:])) >= count

        try:
            await until(there)
        except AssertionError:
            seen = dict(Counter(attempt.status for attempt in self._told[start:]))
            raise AssertionError(f"only {seen} in all this time, and {len(self.hung)} hung") from None

    async def run(self) -> None:
        """Write until it is over."""
        async with aiohttp.ClientSession(timeout=self._timeout) as session:
            servers = self._load.servers
            await asyncio.gather(*(self._write(session, servers[at % len(servers)]) for at in range(_WRITERS)))

    def end(self) -> None:
        """Have the writers stop."""
        self._stop.set()

    async def _write(self, session: aiohttp.ClientSession, server: Livecore) -> None:
        while not self._stop.is_set():
            attempt = self._load.next()
            self._load.attempts.append(attempt)
            try:
                answer = await self._load.send(session, attempt, server)
            except TimeoutError:
                self.hung.append(attempt)
                continue
            self._load.note(attempt, answer)
            self._told.append(attempt)
            if answer.status >= 500:
                if answer.status != 503 or int(answer.headers.get("Retry-After", "0")) < 1:
                    self.strange.append(attempt)
                await pause(_REFUSED_SECONDS)


@asynccontextmanager
async def besieged(load: Load, *, bound_seconds: float = 12.0) -> AsyncIterator[Siege]:
    """Write from all sides; at the end nobody has waited longer than the bound, and nobody was told nonsense."""
    siege = Siege(load, bound_seconds)
    running = asyncio.create_task(siege.run())
    try:
        yield siege
    finally:
        siege.end()
        await running
    assert siege.hung == []
    assert siege.strange == []


async def ready(server: Livecore) -> tuple[int, dict[str, Any]]:
    """Readiness: its status, and its checks."""
    async with aiohttp.ClientSession() as session, session.get(f"{server.address}/admin/v1/ready") as answer:
        body = await answer.json()
    checks = body["data"]["checks"] if answer.status == 200 else body["error"]["details"]["checks"]
    return answer.status, checks


def troubles(server: Livecore) -> list[str]:
    """What the log says beyond the ordinary, without the time."""
    told = [line.partition(" ")[2].strip() for line in server.log]
    return [line for line in told if not line.startswith("info ")]


def survive(
    server: Livecore, receiver: Receiver, scenario: Callable[[Load], Awaitable[None]], *, unknown: int = 1
) -> None:
    """Start a server, have it live through something, and look at what it leaves behind: nothing lost, nothing doubled.

    So many writes at least must have been refused on the way, or have been left in doubt.
    """
    server.start()
    try:
        _survive(server, receiver, scenario, unknown)
    finally:
        server.end()


def _survive(server: Livecore, receiver: Receiver, scenario: Callable[[Load], Awaitable[None]], unknown: int) -> None:
    load, books = Load([server], seed=1), Books()
    asyncio.run(load.set_up())
    asyncio.run(load.do_each_once())

    async def through() -> None:
        await scenario(load)

    asyncio.run(through())
    books.close(load)
    assert server.stop() == 0
    books.check(server, acknowledged=80, unknown=unknown)
    books.check_events(server, receiver)
