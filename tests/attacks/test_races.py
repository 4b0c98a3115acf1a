"""Attacks by sending at once: over real sockets to one server, twenty of the same request have one effect."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from tests.server.serving import Reply, Server, serving

T = TypeVar("T")


def _attacked(folder: Path, attack: Callable[[Server], Awaitable[T]]) -> T:
    async def run() -> T:
        async with serving(folder) as server:
            return await attack(server)

    return asyncio.run(run())


async def _at_once(ask: Callable[[], Awaitable[Reply]], times: int = 20) -> list[Reply]:
    return await asyncio.gather(*(ask() for _ in range(times)))


def _statuses(replies: list[Reply]) -> dict[int, int]:
    return dict(Counter(reply.status for reply in replies))


async def _gold(server: Server, name: str, secret: str) -> int:
    rows = (await server.sdk("GET", f"/{name}/wallet", secret=secret)).json["data"]["balances"]
    gold: int = next(row["balance"] for row in rows if row["key"] == "gold")
    return gold


async def _friends(server: Server) -> tuple[str, str]:
    """Two friends, the first with ten gold; gives their secrets."""
    anna, bert = await server.register("anna"), await server.register("bert")
    await server.sdk("POST", "/anna/friends/requests", {"externalPlayerId": "bert"}, secret=anna)
    await server.sdk("POST", "/bert/friends/requests", {"externalPlayerId": "anna"}, secret=bert)
    await server.studio("POST", "/players/anna/wallet/gold/credit", {"amount": 10})
    return anna, bert


def test_registering_at_once_gives_one_secret(tmp_path: Path) -> None:
    """Of many who register one id at the same moment one gets a secret, and the others nothing."""

    async def attack(server: Server) -> list[Reply]:
        return await _at_once(lambda: server.sdk("POST", "/anna/register"))

    replies = _attacked(tmp_path, attack)
    assert _statuses(replies) == {201: 1, 409: 19}
    assert sum(b"playerSecret" in reply.body for reply in replies) == 1


def test_spending_at_once_spends_what_is_there(tmp_path: Path) -> None:
    """Twenty debits of seven from a balance of ten: one goes through."""

    async def attack(server: Server) -> tuple[list[Reply], int]:
        anna, _ = await _friends(server)
        replies = await _at_once(lambda: server.sdk("POST", "/anna/wallet/gold/debit", {"amount": 7}, secret=anna))
        return replies, await _gold(server, "anna", anna)

    replies, left = _attacked(tmp_path, attack)
    assert _statuses(replies) == {200: 1, 409: 19}
    assert left == 3


def test_gifts_at_once_pass_the_cooldown_once(tmp_path: Path) -> None:
    """Without any key, one of twenty gifts to a friend is sent; claimed in every way at once, it pays once."""

    async def attack(server: Server) -> tuple[list[Reply], list[Reply], int, int]:
        anna, bert = await _friends(server)
        body = {"externalPlayerId": "bert", "type": "currency", "resourceKey": "gold", "amount": 4}
        sent = await _at_once(lambda: server.sdk("POST", "/anna/friends/gifts", body, secret=anna))
        gift = next(reply.json["data"]["gift"] for reply in sent if reply.status == 201)
        claims = await asyncio.gather(
            _at_once(lambda: server.sdk("POST", f"/bert/friends/gifts/{gift['giftId']}/claim", secret=bert), 5),
            _at_once(lambda: server.sdk("POST", f"/bert/grants/{gift['grantId']}/claim", secret=bert), 5),
            _at_once(lambda: server.studio("POST", f"/players/bert/grants/{gift['grantId']}/ack"), 5),
        )
        claimed = [reply for replies in claims for reply in replies]
        return sent, claimed, await _gold(server, "anna", anna), await _gold(server, "bert", bert)

    sent, claimed, of_anna, of_bert = _attacked(tmp_path, attack)
    assert _statuses(sent) == {201: 1, 409: 19}
    assert {reply.status for reply in claimed} <= {200, 409}
    assert (of_anna, of_bert) == (6, 4)


def test_one_key_at_once_is_one_effect_and_one_answer(tmp_path: Path) -> None:
    """Twenty sends of one request under one key: one runs, and all are told the same."""

    async def attack(server: Server) -> tuple[list[Reply], int]:
        anna, _ = await _friends(server)
        body = {"amount": 5, "idempotencyKey": "once"}
        replies = await _at_once(lambda: server.studio("POST", "/players/anna/wallet/gold/credit", body))
        return replies, await _gold(server, "anna", anna)

    replies, gold = _attacked(tmp_path, attack)
    assert _statuses(replies) == {200: 20}
    assert len({reply.body for reply in replies}) == 1
    assert sum("idempotent-replay" not in reply.headers for reply in replies) == 1
    assert gold == 15


def test_one_key_with_different_bodies_at_once_is_one_of_them(tmp_path: Path) -> None:
    """Of twenty different requests that share a key at the same moment one runs, and the others are told so."""

    async def attack(server: Server) -> tuple[list[Reply], int]:
        anna, _ = await _friends(server)
        amounts = iter(range(1, 21))

        def credit() -> Awaitable[Reply]:
            body = {"amount": next(amounts), "idempotencyKey": "once"}
            return server.studio("POST", "/players/anna/wallet/gold/credit", body)

        replies = await _at_once(credit)
        return replies, await _gold(server, "anna", anna)

    replies, gold = _attacked(tmp_path, attack)
    assert _statuses(replies) == {200: 1, 409: 19}
    (paid,) = (reply.json["data"]["delta"] for reply in replies if reply.status == 200)
    assert gold == 10 + paid


def test_a_kept_answer_is_nobody_elses(tmp_path: Path) -> None:
    """A key that one player used is free for another player and for the studio, and shows neither the other's answer."""

    async def attack(server: Server) -> list[Reply]:
        anna, bert = await _friends(server)
        await server.studio("POST", "/players/bert/wallet/gold/credit", {"amount": 10})
        body = {"amount": 1, "idempotencyKey": "shared"}
        return [
            await server.sdk("POST", "/anna/wallet/gold/debit", body, secret=anna),
            await server.sdk("POST", "/bert/wallet/gold/debit", body, secret=bert),
            await server.studio("POST", "/players/anna/wallet/gold/debit", body),
        ]

    replies = _attacked(tmp_path, attack)
    assert [reply.status for reply in replies] == [200, 200, 200]
    assert all("idempotent-replay" not in reply.headers for reply in replies)
    assert len({reply.json["data"]["entryId"] for reply in replies}) == 3
