"""Concurrent load whose every write can be accounted for: what was sent, what was answered, what nobody knows.

Each write carries an idempotency key of its own. An attempt that got an answer is *acknowledged*; one whose connection broke
may have taken effect or not, and is told apart only by sending it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import aiohttp

from tests.crash.attempts import Answer, Attempt
from tests.crash.game import MOST_MEMBERS, PLAYERS
from tests.crash.served import Livecore
from tests.crash.writes import Writes
from tests.laws.routes import request_of

_AT_ONCE: Final = 16
_AFTERWARDS: Final = 6
"""How many writes each writer goes on with when it hears that others' connections broke."""
_BEFORE: Final = 11
"""How many writes are acknowledged before a server is killed."""
_TRIES: Final = 20
"""How often what is answered 503 is sent again, and how often something is tried that may come too late."""
_BROKEN = (aiohttp.ClientError, ConnectionError, asyncio.TimeoutError)


class Load:
    """Writers that share players, and all that these make, against servers of one database."""

    def __init__(self, servers: Sequence[Livecore], seed: int) -> None:
        self.servers = servers
        self._writes = Writes(servers[0].game_id, seed)
        self.secrets: dict[str, str] = {}
        self.attempts: list[Attempt] = []
        """Everything that was sent since `forget`."""

    # -- sending

    async def send(self, session: aiohttp.ClientSession, attempt: Attempt, server: Livecore) -> Answer:
        """Send an attempt. Raises when the connection breaks."""
        permission = "client" if attempt.name.startswith("sdk:") else "server"
        headers = {"authorization": f"Bearer {server.keys[permission]}"}
        if attempt.player in self.secrets and permission == "client":
            headers["x-player-secret"] = self.secrets[attempt.player]
        if attempt.key:
            headers["idempotency-key"] = attempt.key
        request = request_of(attempt.name, attempt.player, attempt.arguments, headers)
        url = server.address + request.path
        async with session.request(request.method, url, headers=request.headers, data=request.body) as answer:
            body = await answer.read()
            return Answer(answer.status, body, dict(answer.headers))

    async def _try(self, session: aiohttp.ClientSession, attempt: Attempt, server: Livecore) -> bool:
        """Send an attempt and note its answer; `False` when the connection broke."""
        self.attempts.append(attempt)
        try:
            answer = await self.send(session, attempt, server)
        except _BROKEN:
            return False
        self.note(attempt, answer)
        return True

    def note(self, attempt: Attempt, answer: Answer) -> None:
        """Take in what an attempt was answered, and what it has made to go on with."""
        attempt.status, attempt.raw = answer.status, answer.body
        if attempt.succeeded:
            self._writes.learn(attempt)

    def next(self) -> Attempt:
        """The next write."""
        return self._writes.next()

    def forget(self, most: int) -> None:
        """Remember at most so many of each thing that was made: the latest are those that writes go on with."""
        self._writes.forget(most)

    # -- what is sent

    async def set_up(self) -> None:
        """Register everybody, and make neighbours in the ring friends."""
        async with aiohttp.ClientSession() as session:
            for player in PLAYERS:
                registered = Attempt("sdk:players.register", player, {}, "")
                assert await self._try(session, registered, self.servers[0])
                self.secrets[player] = registered.data["playerSecret"]
            for one, other in zip(PLAYERS, PLAYERS[1:] + PLAYERS[:1], strict=True):
                for asker, asked in ((one, other), (other, one)):
                    await self._must(session, "sdk:friends.sendRequest", asker, externalPlayerId=asked)

    async def do_each_once(self) -> None:
        """Have something succeed of what is checked, also what the load does by chance, and perhaps too seldom."""
        async with aiohttp.ClientSession() as session:
            for player in PLAYERS:
                await self._must(session, "server:wallet.credit", player, economyKey="gold", amount=100)
            await self._must(
                session, "sdk:gifts.send", PLAYERS[0],
                externalPlayerId=PLAYERS[1], type="currency", resourceKey="gold", amount=1,
            )  # fmt: skip
            await self._must(session, "sdk:events.start", PLAYERS[0], key="race")
            await self._help_in_a_guild(session, *PLAYERS[: MOST_MEMBERS + 1])
            await self._open_a_crate(session, PLAYERS[0])
            await self._leave_a_lobby(session)
            await self._score_in_a_team(session, *PLAYERS[:2])

    async def _help_in_a_guild(
        self, session: aiohttp.ClientSession, leader: str, asker: str, guest: str, late: str
    ) -> None:
        founded = await self._must(session, "sdk:guilds.create", leader, name="The first", joinType="open")
        guild_id = founded.data["guild"]["guildId"]
        for player in (asker, guest):
            await self._must(session, "sdk:guilds.join", player, guildId=guild_id)
        refused = self._writes.fresh("sdk:guilds.join", late, guildId=guild_id)
        assert await self._try(session, refused, self.servers[0])
        assert refused.status == 409, refused
        asked = await self._must(
            session, "sdk:guilds.requestHelp", asker, type="currency", resourceKey="gold", amount=5
        )
        for donor in (leader, guest):
            await self._must(
                session, "sdk:guilds.donate", donor, requestId=asked.data["request"]["requestId"], amount=2
            )
        await self._must(session, "sdk:guilds.leave", guest)

    async def _open_a_crate(self, session: aiohttp.ClientSession, player: str) -> None:
        entries = [{"type": "crate", "resourceKey": "chest", "amount": 1}]
        given = await self._must(session, "server:grants.create", player, kind="crate", entries=entries)
        await self._must(session, "sdk:crates.open", player, crateId=given.data["grant"]["grantId"])

    async def _leave_a_lobby(self, session: aiohttp.ClientSession) -> None:
        # On a slow machine a lobby may have started by the time that its only player would leave it.
        for at in range(_TRIES):
            player = PLAYERS[at % len(PLAYERS)]
            entered = await self._must(session, "sdk:events.start", player, key="arena")
            if entered.waits_in is not None:
                left = self._writes.fresh("sdk:lobbies.leave", player, lobbyId=entered.waits_in)
                assert await self._try(session, left, self.servers[0])
                if left.succeeded:
                    return
        raise AssertionError("no lobby could be left before it had started")

    async def _score_in_a_team(self, session: aiohttp.ClientSession, *players: str) -> None:
        # The window may end in between. Then the next one has no team of theirs, or a part of it, which is left first.
        for number in range(_TRIES):
            for player in players if number else ():
                assert await self._try(
                    session, self._writes.fresh("sdk:teams.leave", player, key="crews"), self.servers[0]
                )
            tried = [self._writes.fresh("sdk:teams.join", player, key="crews") for player in players]
            tried.append(self._writes.fresh("sdk:events.start", players[0], key="crews"))
            for attempt in tried:
                assert await self._try(session, attempt, self.servers[0])
            if not all(attempt.succeeded for attempt in tried):
                continue
            attempt_id = tried[-1].data["attempt"]["attemptId"]
            scored = self._writes.fresh(
                "sdk:events.progress", players[0], key="crews", attemptId=attempt_id, metrics={"points": 5}
            )
            left = self._writes.fresh("sdk:teams.leave", players[1], key="crews")
            for attempt in (scored, left):
                assert await self._try(session, attempt, self.servers[0])
            if scored.succeeded and left.succeeded:
                return
        raise AssertionError("no team could score in one window")

    async def _must(self, session: aiohttp.ClientSession, name: str, player: str, /, **arguments: object) -> Attempt:
        """Send a write that succeeds."""
        attempt = self._writes.fresh(name, player, **arguments)
        assert await self._try(session, attempt, self.servers[0])
        assert attempt.succeeded, attempt
        return attempt

    async def run(self, after_seconds: float, stop: Callable[[], None]) -> None:
        """Write from all sides to all servers; after a while `stop` is called, which kills one of them.

        However slow the machine is, some writes have been acknowledged by then. A writer ends when its connection breaks,
        and those whose connection holds a few writes later.
        """
        over = asyncio.Event()
        earlier = len(self.attempts)

        def stop_when_enough() -> None:
            acknowledged = sum(attempt.succeeded for attempt in self.attempts[earlier:])
            if not (over.is_set() or acknowledged >= _BEFORE):
                asyncio.get_running_loop().call_later(after_seconds, stop_when_enough)
            else:
                stop()

        asyncio.get_running_loop().call_later(after_seconds, stop_when_enough)
        async with aiohttp.ClientSession() as session:
            servers = (self.servers[at % len(self.servers)] for at in range(_AT_ONCE))
            await asyncio.gather(*(self._write_on(session, server, over) for server in servers))

    async def _write_on(self, session: aiohttp.ClientSession, server: Livecore, over: asyncio.Event) -> None:
        left = _AFTERWARDS
        while left and await self._try(session, self.next(), server):
            left -= over.is_set()
        over.set()


# -- accounting -----------------------------------------------------------------------------------------------------------


async def send_all(load: Load, attempts: Iterable[Attempt]) -> list[tuple[Attempt, Answer]]:
    """Send attempts again to servers that run, several at once; gives each with its new answer."""
    gate = asyncio.Semaphore(_AT_ONCE)
    running = [server for server in load.servers if server.running]

    async def send(session: aiohttp.ClientSession, at: int, attempt: Attempt) -> tuple[Attempt, Answer]:
        async with gate:
            for _ in range(_TRIES):
                answer = await load.send(session, attempt, running[at % len(running)])
                if answer.status != 503:
                    return attempt, answer
            raise AssertionError(f"{attempt} is answered 503 again and again")

    async with aiohttp.ClientSession() as session:
        return await asyncio.gather(*(send(session, at, attempt) for at, attempt in enumerate(attempts)))


async def account(load: Load) -> tuple[int, int]:
    """Send everything again: what was acknowledged answers the same, what was unknown becomes known and then the same.

    Gives how many were acknowledged and how many unknown.
    """
    unknown = [attempt for attempt in load.attempts if attempt.unknown]
    for attempt, answer in await send_all(load, unknown):
        assert answer.status < 500, (attempt, answer)
        load.note(attempt, answer)
    done = [attempt for attempt in load.attempts if attempt.succeeded and attempt.key]
    for attempt, answer in await send_all(load, done):
        assert answer.status == (200 if attempt.name == "server:grants.create" else attempt.status), attempt
        assert answer.replayed, attempt
        assert answer.body == attempt.raw, attempt
    return len(load.attempts) - len(unknown), len(unknown)
