"""Concurrent load whose every write can be accounted for: what was sent, what was answered, what nobody knows.

Each write carries an idempotency key of its own. An attempt that got an answer is *acknowledged*; one whose connection broke
may have taken effect or not, and is told apart only by sending it again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import aiohttp
import attrs

from livecore.kernel.entropy import Entropy, derive_seed
from tests.crash.served import Livecore
from tests.laws.routes import Body, request_of

__all__ = ["CONFIG", "PLAYERS", "Answer", "Attempt", "Load", "account", "send_all"]

_PRIZE: Final = {"type": "currency", "resourceKey": "gold"}
PLAYERS: Final = tuple(f"player-{number}" for number in range(6))
CONFIG: Final[dict[str, Any]] = {
    "name": "Crash",
    "economyMode": "platform",
    "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "potion"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 0,
        "claimExpirySeconds": 2,
        "resources": [
            {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True},
            {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": True},
            {"type": "currency", "key": "xp", "maxAmount": 50},
        ],
    },
    "events": [
        {
            "key": "race",
            "name": "Race",
            "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 1, "durationSeconds": 1},
            "metrics": [{"key": "points"}],
            "target": 12,
            "attempts": {"maxPerWindow": None},
            "entryCost": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
            "milestones": [{"key": "half", "threshold": 6, "entries": [{**_PRIZE, "amount": 1}]}],
            "rankRewards": [{"from": 1, "to": 3, "entries": [{**_PRIZE, "amount": 2}]}],
        }
    ],
    "leaderboards": [{"key": "all", "name": "All time"}],
}
"""Gifts expire after two seconds, and windows of the event close every second, so that both happen under fire as well."""

_AT_ONCE: Final = 16
_AFTERWARDS: Final = 6
"""How many writes each writer goes on with when it hears that others' connections broke."""
_BEFORE: Final = 11
"""How many writes are acknowledged before a server is killed."""
_TRIES: Final = 20
"""How often what is answered 503 is sent again."""
_BROKEN = (aiohttp.ClientError, ConnectionError, asyncio.TimeoutError)


@attrs.frozen
class Answer:
    """What came back for an attempt."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def replayed(self) -> bool:
        """Whether it is the answer that was given before."""
        return self.headers.get("Idempotent-Replay") == "true"


@attrs.define(eq=False)
class Attempt:
    """One write and what became of it."""

    name: str
    player: str
    arguments: Body
    key: str
    status: int | None = None
    raw: bytes = b""

    @property
    def succeeded(self) -> bool:
        """Whether it was acknowledged as done."""
        return self.status is not None and self.status < 300

    @property
    def unknown(self) -> bool:
        """Whether it may have taken effect or not."""
        return self.status is None or self.status >= 500

    @property
    def data(self) -> Body:
        """What a success carries."""
        data: Body = json.loads(self.raw)["data"]
        return data


class Load:
    """Writers that share players, gifts and grants, against servers of one database."""

    def __init__(self, servers: Sequence[Livecore], seed: int) -> None:
        self.servers = servers
        self._root = seed.to_bytes(8, "big")
        self._number = 0
        self.secrets: dict[str, str] = {}
        self.attempts: list[Attempt] = []
        """Everything that was sent since `forget`."""
        self._gifts: list[tuple[str, str, str]] = []
        self._grants: list[tuple[str, str]] = []
        self._requests: list[tuple[str, str]] = []
        self._running: dict[str, str] = {}
        """The attempt that each player started last."""

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
        if not attempt.succeeded:
            return
        if attempt.name == "sdk:gifts.send":
            gift = attempt.data["gift"]
            self._gifts.append((gift["player"]["externalPlayerId"], gift["giftId"], gift["grantId"]))
        elif attempt.name == "sdk:events.start":
            self._running[attempt.player] = attempt.data["attempt"]["attemptId"]
        elif attempt.name == "server:grants.create":
            self._grants.append((attempt.player, attempt.data["grant"]["grantId"]))
        elif attempt.name == "sdk:friends.sendRequest" and "request" in attempt.data:
            row = attempt.data["request"]
            self._requests.append((row["player"]["externalPlayerId"], row["requestId"]))

    def forget(self, most: int) -> None:
        """Remember at most so many gifts, grants and requests: the latest are those that writes go on with."""
        for made in (self._gifts, self._grants, self._requests):
            del made[:-most]

    # -- what is sent

    async def set_up(self) -> None:
        """Register everybody, and make neighbours in the ring friends."""
        server = self.servers[0]
        async with aiohttp.ClientSession() as session:
            for player in PLAYERS:
                attempt = Attempt("sdk:players.register", player, {}, "")
                assert await self._try(session, attempt, server)
                self.secrets[player] = attempt.data["playerSecret"]
            for one, other in zip(PLAYERS, PLAYERS[1:] + PLAYERS[:1], strict=True):
                for asker, asked in ((one, other), (other, one)):
                    ask = self._fresh("sdk:friends.sendRequest", asker, externalPlayerId=asked)
                    assert await self._try(session, ask, server)

    async def run(self, after_seconds: float, stop: Callable[[], None]) -> None:
        """Write from all sides to all servers; after a while `stop` is called, which kills one of them.

        However slow the machine is, some writes have been acknowledged by then, and a player has paid for an attempt.
        A writer ends when its connection breaks, and those whose connection holds a few writes later.
        """
        over = asyncio.Event()
        earlier = len(self.attempts)

        def stop_when_enough() -> None:
            acknowledged = sum(attempt.succeeded for attempt in self.attempts[earlier:])
            if not (over.is_set() or (acknowledged >= _BEFORE and self._running)):
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

    def _fresh(self, name: str, player: str, **arguments: object) -> Attempt:
        self._number += 1
        return Attempt(name, player, arguments, f"key-{self._number}")

    def next(self) -> Attempt:
        """The next write."""
        chance = Entropy(derive_seed(self._root, "attempt", self._number))
        at = chance.below(len(PLAYERS))
        player, friend = PLAYERS[at], PLAYERS[(at + 1) % len(PLAYERS)]
        return chance.choice(_KINDS)(self, chance, player, friend)

    def _credit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self._fresh("server:wallet.credit", player, economyKey="gold", amount=1 + chance.below(200))

    def _debit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self._fresh("sdk:wallet.debit", player, economyKey="gold", amount=1 + chance.below(50))

    def _items(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self._fresh("server:inventory.grant", player, itemKey="potion", quantity=1 + chance.below(9))

    def _gift(self, chance: Entropy, player: str, friend: str) -> Attempt:
        kind, key = chance.choice((("currency", "gold"), ("item", "potion"), ("currency", "xp")))
        amount = 1 + chance.below(5)
        return self._fresh("sdk:gifts.send", player, externalPlayerId=friend, type=kind, resourceKey=key, amount=amount)

    def _claim(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._gifts:
            return self._gift(chance, player, friend)
        recipient, gift_id, grant_id = self._gifts[-1 - chance.below(min(8, len(self._gifts)))]
        if chance.below(3) == 0:
            return self._fresh("server:grants.ack", recipient, grantId=grant_id)
        return self._fresh("sdk:gifts.claim", recipient, giftId=gift_id)

    def _grant(self, chance: Entropy, player: str, _: str) -> Attempt:
        entries = [{"type": "currency", "resourceKey": "gold", "amount": 1 + chance.below(9)},
                   {"type": "item", "resourceKey": "potion", "amount": 1}]  # fmt: skip
        return self._fresh("server:grants.create", player, entries=entries)

    def _take_grant(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._grants:
            return self._grant(chance, player, friend)
        owner, grant_id = self._grants[-1 - chance.below(min(4, len(self._grants)))]
        return self._fresh("sdk:grants.claim", owner, grantId=grant_id)

    def _start(self, _: Entropy, player: str, __: str) -> Attempt:
        return self._fresh("sdk:events.start", player, key="race")

    def _progress(self, chance: Entropy, player: str, friend: str) -> Attempt:
        attempt_id = self._running.get(player)
        if attempt_id is None:
            return self._start(chance, player, friend)
        points = {"points": 1 + chance.below(5)}
        return self._fresh("sdk:events.progress", player, key="race", attemptId=attempt_id, metrics=points)

    def _submit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self._fresh("sdk:leaderboards.submit", player, key="all", score=chance.below(1_000))

    def _ask(self, chance: Entropy, player: str, _: str) -> Attempt:
        other = PLAYERS[(PLAYERS.index(player) + 2) % len(PLAYERS)]
        if self._requests and chance.below(2):
            asked, request_id = self._requests[-1]
            return self._fresh("sdk:friends.acceptRequest", asked, requestId=request_id)
        if chance.below(2):
            return self._fresh("sdk:friends.remove", player, friendExternalId=other)
        return self._fresh("sdk:friends.sendRequest", player, externalPlayerId=other)


_KINDS: Final[tuple[Callable[[Load, Entropy, str, str], Attempt], ...]] = (
    Load._credit,
    Load._credit,
    Load._debit,
    Load._items,
    Load._gift,
    Load._gift,
    Load._claim,
    Load._claim,
    Load._grant,
    Load._take_grant,
    Load._ask,
    Load._start,
    Load._progress,
    Load._progress,
    Load._submit,
)


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
