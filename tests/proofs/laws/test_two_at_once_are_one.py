"""The law: requests that arrive at the same moment end as if one had come after the other.

Against the real server, which runs what is waiting in one batch: a key has one effect and one answer, two adds make one
friendship, two gifts cannot both pass cooldown, daily limit or balance, and two claims pay once.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import closing
from pathlib import Path

import attrs
import httpx
import pytest

from livecore.api.requests.http import Request
from livecore.kernel.entropy import derive_seed
from tests.laws.arena import Arena, Permission
from tests.laws.games import Place
from tests.laws.routes import Body, request_of
from tests.laws.rows import PlaceRows
from tests.laws.wires import served, shared_store

_HERE = Place(0, "test")
_AT_ONCE = 8


@attrs.frozen
class Table:
    """A served game with two players."""

    arena: Arena
    address: str
    secrets: dict[str, str] = attrs.field(factory=dict)

    def ask(self, name: str, player: str, *, key: str | None = None, **arguments: object) -> Request:
        """A request of a player's client, or of the studio's backend."""
        permission: Permission = "client" if name.startswith("sdk:") else "server"
        headers = {"authorization": f"Bearer {self.arena.key(_HERE, permission)}"}
        if player in self.secrets:
            headers["x-player-secret"] = self.secrets[player]
        if key is not None:
            headers["idempotency-key"] = key
        return request_of(name, player, arguments, headers)

    def at_once(self, *requests: Request) -> list[httpx.Response]:
        """Send all requests together, each on a connection of its own."""
        return asyncio.run(self._gather(requests))

    async def _gather(self, requests: tuple[Request, ...]) -> list[httpx.Response]:
        async with httpx.AsyncClient(base_url=self.address) as client:

            def send(request: Request) -> Coroutine[None, None, httpx.Response]:
                return client.request(request.method, request.path, headers=request.headers, content=request.body)

            return await asyncio.gather(*map(send, requests))

    def one(self, request: Request) -> Body:
        """Send one request that must succeed; gives its data."""
        (answer,) = self.at_once(request)
        assert answer.status_code < 300, answer.text
        data: Body = answer.json()["data"]
        return data

    @property
    def rows(self) -> PlaceRows:
        """The rows as they are now."""
        return PlaceRows.of(self.arena, _HERE)

    def told(self) -> Counter[str]:
        """How many events there are of each kind."""
        return Counter(event.kind for event in self.rows.tables["webhook_events"])


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Ann and Bob, registered, with 150 gold for Ann."""
    numbers = itertools.count()
    with closing(shared_store(tmp_path / "laws.db")) as store:
        arena = Arena(store)
        arena.application.seeds = lambda: derive_seed(b"at once", "request", next(numbers))
        with served(arena, store) as address:
            table = Table(arena, address)
            for player in ("ann", "bob"):
                table.secrets[player] = table.one(table.ask("sdk:players.register", player))["playerSecret"]
            table.one(table.ask("server:wallet.credit", "ann", economyKey="gold", amount=150))
            yield table


@pytest.fixture
def friends(table: Table) -> Table:
    """The two as friends."""
    table.one(table.ask("sdk:friends.sendRequest", "ann", externalPlayerId="bob"))
    table.one(table.ask("sdk:friends.sendRequest", "bob", externalPlayerId="ann"))
    return table


def _codes(answers: list[httpx.Response]) -> Counter[str]:
    return Counter(answer.json().get("error", {}).get("code", str(answer.status_code)) for answer in answers)


def _gift(table: Table, key: str | None = None, amount: int = 60) -> Request:
    return table.ask(
        "sdk:gifts.send", "ann", key=key, externalPlayerId="bob", type="currency", resourceKey="gold", amount=amount
    )


def test_one_key_has_one_effect_and_one_answer(friends: Table) -> None:
    """However many ask under it, one of them did it and the others are shown its answer."""
    answers = friends.at_once(*[_gift(friends, "once")] * _AT_ONCE)
    assert len({answer.content for answer in answers}) == 1
    assert {answer.status_code for answer in answers} == {201}
    assert sum("Idempotent-Replay" not in answer.headers for answer in answers) == 1
    assert (len(friends.rows.gifts), friends.told()["gift.sent"]) == (1, 1)


def test_registering_under_one_key_gives_one_secret(table: Table) -> None:
    """One of them registers the player, and the others are told the same secret."""
    answers = table.at_once(*[table.ask("sdk:players.register", "cat", key="k" * 22)] * _AT_ONCE)
    assert len({answer.content for answer in answers}) == 1
    assert {answer.status_code for answer in answers} == {201}
    assert sum("Idempotent-Replay" not in answer.headers for answer in answers) == 1
    assert table.told()["player.secret_set"] == len(table.rows.players) == 3


def test_two_adds_make_one_friendship(table: Table) -> None:
    """Whoever came first has asked, and the other has accepted by asking."""
    answers = table.at_once(
        table.ask("sdk:friends.sendRequest", "ann", externalPlayerId="bob"),
        table.ask("sdk:friends.sendRequest", "bob", externalPlayerId="ann"),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    (relation,) = table.rows.relations
    assert relation.friendship == "friends"
    told = table.told()
    assert (told["friend.request_sent"], told["friend.request_accepted"]) == (1, 1)


def test_two_gifts_cannot_both_pass_the_cooldown(friends: Table) -> None:
    """One is sent, and the others hear of it."""
    answers = friends.at_once(*[_gift(friends, amount=10)] * _AT_ONCE)
    assert _codes(answers) == {"201": 1, "gift_cooldown": _AT_ONCE - 1}
    assert len(friends.rows.gifts) == 1


def test_debits_cannot_both_take_the_last(table: Table) -> None:
    """A balance of 150 pays for two times 60."""
    asks = [table.ask("sdk:wallet.debit", "ann", economyKey="gold", amount=60)] * _AT_ONCE
    assert _codes(table.at_once(*asks)) == {"200": 2, "insufficient_balance": _AT_ONCE - 2}
    assert [holding.amount for holding in table.rows.holdings] == [30]


def test_claims_by_every_route_pay_once(friends: Table) -> None:
    """The gift, its grant, and the studio's acknowledgement."""
    gift = friends.one(_gift(friends))["gift"]
    answers = friends.at_once(
        friends.ask("sdk:gifts.claim", "bob", giftId=gift["giftId"]),
        friends.ask("sdk:grants.claim", "bob", grantId=gift["grantId"]),
        friends.ask("server:grants.ack", "bob", grantId=gift["grantId"]),
        friends.ask("sdk:gifts.claim", "bob", giftId=gift["giftId"]),
    )
    assert set(_codes(answers)) <= {"200", "grant_already_claimed"}
    assert sum(entry.reason == "gift_claimed" for entry in friends.rows.entries) == 1
    assert friends.told()["grant.claimed"] == 1


def test_starts_are_one_attempt_and_one_payment(table: Table) -> None:
    """One of them began it, and the others are given it."""
    _pay_for_races(table)
    answers = table.at_once(*[_about_race(table, "sdk:events.start")] * _AT_ONCE)
    assert _codes(answers) == {"201": 1, "200": _AT_ONCE - 1}
    assert len({answer.json()["data"]["attempt"]["attemptId"] for answer in answers}) == 1
    assert sorted(holding.amount for holding in table.rows.holdings) == [5, 9, 150]
    assert table.told()["entry_cost.charged"] == 1


def test_reports_add_up_until_the_target(table: Table) -> None:
    """Each milestone is reached by one of them, and what comes after the completion is refused."""
    _pay_for_races(table)
    id_ = table.one(_about_race(table, "sdk:events.start"))["attempt"]["attemptId"]
    report = _about_race(table, "sdk:events.progress", attemptId=id_, metrics={"points": 20})
    answers = table.at_once(*[report] * _AT_ONCE)
    assert _codes(answers) == {"200": 5, "attempt_not_in_progress": _AT_ONCE - 5}
    done = [answer.json()["data"] for answer in answers if answer.status_code == 200]
    assert sorted(data["attempt"]["score"] for data in done) == [20, 40, 60, 80, 100]
    assert sorted(row["key"] for data in done for row in data["milestones"]) == ["half", "near", "some"]
    told = table.told()
    assert (told["event.completed"], told["event.milestone_granted"], told["grant.created"]) == (1, 3, 3)


def _about_race(table: Table, name: str, **arguments: object) -> Request:
    """A request of bob's about the race."""
    headers = {"authorization": f"Bearer {table.arena.key(_HERE, 'client')}", "x-player-secret": table.secrets["bob"]}
    return request_of(name, "bob", {"key": "race", **arguments}, headers)


def _pay_for_races(table: Table) -> None:
    table.one(table.ask("server:wallet.credit", "bob", economyKey="gold", amount=10))
    table.one(table.ask("server:inventory.grant", "bob", itemKey="potion", quantity=10))
