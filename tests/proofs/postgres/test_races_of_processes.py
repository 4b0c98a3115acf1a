"""Two `livecore serve` on one database, over real sockets: what can happen once happens once, whoever is asked.

The rules and the moments are those of `test_concurrency`; here nothing is shared but the database, and everything goes the
whole way. Afterwards `livecore check` finds nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import attrs
import pytest

from livecore_server.operations.check import check
from livecore_server.storage.database import store_at
from tests.crash.served import Livecore
from tests.postgres.rig import CONFIG
from tests.postgres.server import ready_database

_AT_ONCE = 6
_RACE = {
    "key": "race",
    "name": "Race",
    "schedule": {"startsAt": "2020-01-01T00:00:00Z", "everySeconds": 315_360_000, "durationSeconds": 315_360_000},
    "metrics": [{"key": "points"}],
    "target": 50,
    "entryCost": [{"type": "currency", "resourceKey": "gold", "amount": 10}],
    "milestones": [
        {"key": "half", "threshold": 25, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]}
    ],
}
"""An event that is open for ten years."""


@attrs.frozen
class Reply:
    """An answer: its status, what is under `data`, the code of an error, and whether it was given before."""

    status: int
    data: Any
    code: str | None
    replay: bool


class Game:
    """The game, asked at both servers at once."""

    def __init__(self, servers: list[Livecore], session: aiohttp.ClientSession) -> None:
        self._servers = servers
        self._session = session
        self._secrets: dict[str, str] = {}

    async def ask(self, method: str, path: str, body: object = None, *, at: int = 0, studio: bool = False) -> Reply:
        """Ask one of the servers, as the player whom the path names or as the studio."""
        server = self._servers[at % len(self._servers)]
        permission, surface = ("server", "server") if studio else ("client", "sdk")
        headers = {"Authorization": f"Bearer {server.keys[permission]}"}
        headers["X-Player-Secret"] = self._secrets.get(path.partition("/")[0], "")
        url = f"{server.address}/{surface}/v1/players/{path}"
        async with self._session.request(method, url, json=body, headers=headers) as answer:
            found = await answer.json()
            replay = answer.headers.get("Idempotent-Replay") == "true"
            return Reply(answer.status, found.get("data"), found.get("error", {}).get("code"), replay)

    async def at_once(self, *asks: tuple[str, str, object], studio: bool = False) -> list[Reply]:
        """Ask all of it at the same moment, each at the other server than the one before."""
        return await asyncio.gather(*(self.ask(*asked, at=at, studio=studio) for at, asked in enumerate(asks)))

    async def player(self, name: str, gold: int = 0) -> str:
        """A registered player with some gold."""
        reply = await self.ask("POST", f"{name}/register")
        self._secrets[name] = reply.data["playerSecret"]
        if gold:
            await self.ask("POST", f"{name}/wallet/gold/credit", {"amount": gold}, studio=True)
        return name

    async def friends(self, name: str) -> tuple[str, str]:
        """Two friends, the first with a hundred gold."""
        one, other = await self.player(name, 100), await self.player(f"{name}-friend")
        await self.ask("POST", f"{one}/friends/requests", {"externalPlayerId": other})
        await self.ask("POST", f"{other}/friends/requests", {"externalPlayerId": one}, at=1)
        return one, other

    async def gold(self, name: str) -> int:
        """What a player has."""
        rows = (await self.ask("GET", f"{name}/wallet")).data["balances"]
        return next(int(row["balance"]) for row in rows if row["key"] == "gold")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Livecore]]:
    """Two servers of one database, in which nothing is found wrong afterwards."""
    with ready_database() as url:
        one = Livecore(tmp_path_factory.mktemp("races"), {**CONFIG, "events": [_RACE]}, url=url)
        both = [one, one.beside()]
        try:
            for server in both:
                server.start()
            yield both
            assert [server.stop() for server in both] == [0, 0]
            with store_at(url) as store:
                assert check(store, store.scopes(), lambda _: None).findings == []
        finally:
            for server in both:
                server.end()


@asynccontextmanager
async def game_at(servers: list[Livecore]) -> AsyncIterator[Game]:
    """The game."""
    async with aiohttp.ClientSession() as session:
        yield Game(servers, session)


def outcomes(replies: list[Reply]) -> dict[tuple[int, str | None], int]:
    """How often each answer was given."""
    return dict(Counter((reply.status, reply.code) for reply in replies))


def test_registering_and_asking_each_other(servers: list[Livecore]) -> None:
    """One of many registrations has the secret; of two requests that cross, one accepts the other."""

    async def scenario() -> None:
        async with game_at(servers) as game:
            replies = await game.at_once(*[("POST", "racer/register", None)] * _AT_ONCE)
            assert outcomes(replies) == {(201, None): 1, (409, "player_already_registered"): _AT_ONCE - 1}
            one, other = await game.player("one"), await game.player("other")
            crossing = await game.at_once(
                ("POST", f"{one}/friends/requests", {"externalPlayerId": other}),
                ("POST", f"{other}/friends/requests", {"externalPlayerId": one}),
            )
            assert sorted(reply.data["status"] for reply in crossing) == ["accepted", "pending"]
            for name, friend in ((one, other), (other, one)):
                rows = (await game.ask("GET", f"{name}/friends")).data["friends"]
                assert [row["externalPlayerId"] for row in rows] == [friend]

    asyncio.run(scenario())


def test_registering_under_one_key_at_both_servers(servers: list[Livecore]) -> None:
    """Whichever server is asked, however often and how close together: one secret, made once."""

    async def scenario() -> None:
        async with game_at(servers) as game:
            body = {"idempotencyKey": "5f2c8e11a0d94b7c8e6f0a1b2c3d4e5f"}
            replies = await game.at_once(*[("POST", "insistent/register", body)] * _AT_ONCE)
            assert outcomes(replies) == {(201, None): _AT_ONCE}
            assert len({reply.data["playerSecret"] for reply in replies}) == 1
            assert sum(not reply.replay for reply in replies) == 1

    asyncio.run(scenario())


def test_paying_and_paying_out(servers: list[Livecore]) -> None:
    """Debits spend what is there; one of many sends passes the cooldown; one of many claims, by either route, pays."""

    async def scenario() -> None:
        async with game_at(servers) as game:
            spender = await game.player("spender", 100)
            debits = await game.at_once(*[("POST", f"{spender}/wallet/gold/debit", {"amount": 30})] * _AT_ONCE)
            assert outcomes(debits) == {(200, None): 3, (409, "insufficient_balance"): _AT_ONCE - 3}
            assert await game.gold(spender) == 10
            one, other = await game.friends("giver")
            body = {"externalPlayerId": other, "type": "currency", "resourceKey": "gold", "amount": 40}
            sends = await game.at_once(*[("POST", f"{one}/friends/gifts", body)] * _AT_ONCE)
            assert outcomes(sends) == {(201, None): 1, (409, "gift_cooldown"): _AT_ONCE - 1}
            gift = next(reply.data["gift"] for reply in sends if reply.data)
            paths = (f"friends/gifts/{gift['giftId']}/claim", f"grants/{gift['grantId']}/claim")
            claims = await game.at_once(*[("POST", f"{other}/{path}", None) for path in paths] * (_AT_ONCE // 2))
            assert outcomes(claims) == {(200, None): 1, (409, "grant_already_claimed"): _AT_ONCE - 1}
            assert (await game.gold(one), await game.gold(other)) == (60, 40)

    asyncio.run(scenario())


def test_one_key_at_both_servers(servers: list[Livecore]) -> None:
    """The same request is one effect and one answer; different requests under one key are one of them."""

    async def scenario() -> None:
        async with game_at(servers) as game:
            name = await game.player("keyed")
            path = f"{name}/wallet/gold/credit"
            same = {"amount": 7, "idempotencyKey": "same"}
            replies = await game.at_once(*[("POST", path, same)] * _AT_ONCE, studio=True)
            assert {(reply.status, reply.data["entryId"]) for reply in replies} == {(200, replies[0].data["entryId"])}
            assert sum(not reply.replay for reply in replies) == 1
            others = [
                ("POST", path, {"amount": amount, "idempotencyKey": "other"}) for amount in range(1, _AT_ONCE + 1)
            ]
            replies = await game.at_once(*others, studio=True)
            assert outcomes(replies) == {(200, None): 1, (409, "idempotency_conflict"): _AT_ONCE - 1}
            (paid,) = (reply.data["delta"] for reply in replies if reply.data)
            assert await game.gold(name) == 7 + paid

    asyncio.run(scenario())


def test_starting_and_reporting(servers: list[Livecore]) -> None:
    """One of many starts pays; reports at both servers add up, pass a milestone once, and end at the target."""

    async def scenario() -> None:
        async with game_at(servers) as game:
            name = await game.player("runner", 30)
            starts = await game.at_once(*[("POST", f"{name}/events/race/start", None)] * _AT_ONCE)
            assert outcomes(starts) == {(201, None): 1, (200, None): _AT_ONCE - 1}
            assert await game.gold(name) == 20
            (id_,) = {reply.data["attempt"]["attemptId"] for reply in starts}
            path, body = f"{name}/events/race/attempts/{id_}/progress", {"metrics": {"points": 10}}
            reports = await game.at_once(*[("POST", path, body)] * _AT_ONCE)
            assert outcomes(reports) == {(200, None): 5, (409, "attempt_not_in_progress"): _AT_ONCE - 5}
            done = [reply.data for reply in reports if reply.data]
            assert sorted(data["attempt"]["score"] for data in done) == [10, 20, 30, 40, 50]
            assert [row["key"] for data in done for row in data["milestones"]] == ["half"]
            grants = (await game.ask("GET", f"{name}/pending-grants", at=1)).data["grants"]
            assert [row["sourceKind"] for row in grants] == ["event_milestone"]

    asyncio.run(scenario())
