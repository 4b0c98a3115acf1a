"""The mixed load of a soak: writes of every kind that can be accounted for, reads, heartbeats, and players who come anew."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import Final

import aiohttp
from aiohttp import web

from livecore.kernel.entropy import Entropy, derive_seed
from tests.crash.attempts import Attempt
from tests.crash.game import PLAYERS
from tests.crash.load import Load
from tests.crash.served import Livecore

_READS: Final = (
    "sdk:friends.list",
    "sdk:players.getProfile",
    "sdk:wallet.get",
    "sdk:gifts.inbox",
    "sdk:friends.suggestions",
)
_REMEMBERED: Final = 2_000
"""How much the load remembers of what it has made: this program is not to grow either."""


class Receiver:
    """Takes webhooks, and counts them."""

    def __init__(self) -> None:
        self.received = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> str:
        """Listen; gives the address."""
        application = web.Application()
        application.router.add_post("/hooks", self._take)
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port, *_ = self._runner.addresses[0]
        return f"http://{host}:{port}/hooks"

    async def stop(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        await request.read()
        self.received += 1
        return web.Response(status=204)


class Crowd:
    """So many clients who never rest."""

    def __init__(self, server: Livecore, clients: int) -> None:
        self.load = Load([server], seed=7)
        self.statuses: Counter[int] = Counter()
        self._server = server
        self._clients = clients
        self._numbers = itertools.count()
        self._over = asyncio.Event()

    async def run(self) -> None:
        """Send until it is over; a connection that breaks counts as status 0."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
            await asyncio.gather(*(self._live(session) for _ in range(self._clients)))

    def end(self) -> None:
        """Have everybody stop."""
        self._over.set()

    async def _live(self, session: aiohttp.ClientSession) -> None:
        while not self._over.is_set():
            attempt = self._next()
            try:
                answer = await self.load.send(session, attempt, self._server)
            except (aiohttp.ClientError, OSError, TimeoutError):
                self.statuses[0] += 1
                continue
            self.statuses[answer.status] += 1
            self.load.note(attempt, answer)
            self.load.forget(_REMEMBERED)

    def _next(self) -> Attempt:
        number = next(self._numbers)
        chance = Entropy(derive_seed(b"soak", "request", number))
        kind = chance.below(100)
        player = chance.choice(PLAYERS)
        if kind < 1:
            return Attempt("sdk:players.register", f"newcomer-{number}", {}, "")
        if kind < 15:
            return Attempt("sdk:presence.heartbeat", player, {"status": "soaking"}, "")
        if kind < 50:
            return Attempt(chance.choice(_READS), player, {}, "")
        return self.load.next()
