"""Clients against the service itself, in one process: the rules, the wire and the clients fit together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from livecore.api.http import Request, Response
from livecore.world import World
from livecore_client import (
    NO_RETRIES,
    AsyncSdkClient,
    AsyncServerClient,
    LocalTransport,
    RetryPolicy,
    SdkClient,
    ServerClient,
    errors,
)
from livecore_client.rows import ABSENT, RewardEntry

CONFIG = {
    "name": "Demo",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency", "public": True}],
    "items": [{"key": "potion", "name": "Potion"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 86400,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
}
ADDRESS = "http://game.local"


@pytest.fixture
def world() -> World:
    """A game in memory, of platform mode, with gold to give."""
    return World(json.dumps(CONFIG))


def _sdk(world: World, name: str) -> SdkClient:
    return SdkClient(
        base_url=ADDRESS,
        api_key=world.keys["client"],
        external_player_id=name,
        transport=LocalTransport(world),
        retries=NO_RETRIES,
    )


@pytest.fixture
def players(world: World) -> Iterator[tuple[SdkClient, SdkClient]]:
    """Two registered players."""
    with _sdk(world, "anna") as anna, _sdk(world, "bea ö%2") as bea:
        anna.players.register()
        bea.players.register(player_context={"country": "SE"})
        yield anna, bea


@pytest.fixture
def server(world: World) -> Iterator[ServerClient]:
    """The studio's backend."""
    with ServerClient(
        base_url=ADDRESS, api_key=world.keys["server"], transport=LocalTransport(world), retries=NO_RETRIES
    ) as client:
        yield client


def test_two_players_become_friends_and_a_gift_travels(
    players: tuple[SdkClient, SdkClient], server: ServerClient
) -> None:
    """The main path through the product, by the synchronous clients: code, request, acceptance, gift, claim, balances."""
    anna, bea = players
    code = bea.friends.get_code().friend_code
    sent = anna.friends.send_request(friend_code=code)
    assert sent.status == "pending"
    assert sent.request is not ABSENT
    bea.friends.accept_request(sent.request.request_id)
    anna.presence.heartbeat(status="In the lobby")
    (friend,) = bea.friends.iterate()
    assert (friend.external_player_id, friend.online, friend.status) == ("anna", True, "In the lobby")
    server.wallet.credit("anna", "gold", amount=40)
    gift = anna.gifts.send(
        type="currency", resource_key="gold", amount=30, external_player_id=bea.external_player_id, message="För dig"
    ).gift
    with pytest.raises(errors.GiftCooldown) as caught:
        anna.gifts.send(type="currency", resource_key="gold", amount=1, external_player_id=bea.external_player_id)
    assert "giftCooldownUntil" in caught.value.details
    (waiting,) = bea.gifts.iterate_inbox(pending_only=True)
    assert (waiting.gift_id, waiting.message) == (gift.gift_id, "För dig")
    assert bea.gifts.claim(gift.gift_id).gift.status == "claimed"
    assert _gold(anna) == 10
    assert _gold(bea) == 30
    (row,) = server.gifts.iterate("anna", direction="sent")
    assert row.grant_status == "claimed"


def _gold(client: SdkClient) -> int:
    return next(row.balance for row in client.wallet.get().balances if row.key == "gold")


def test_everything_else_that_a_game_calls_is_answered(
    world: World, players: tuple[SdkClient, SdkClient], server: ServerClient
) -> None:
    """Each remaining method once against the service, so that no route or field is only agreed on by tables."""
    anna, bea = players
    assert anna.players.set_identity(name="Anna Ek", avatar="cat").display_identity.name == "Anna Ek"
    assert anna.players.get_profile().sessions >= 1
    assert [hit.external_player_id for hit in bea.friends.search("ek", limit=5).players] == ["anna"]
    assert len(bea.friends.suggestions(limit=3).suggestions) <= 3
    sent = anna.friends.send_request(external_player_id="bea ö%2", idempotency_key="ask once")
    assert sent.request is not ABSENT
    assert len(bea.friends.list_requests(progression=["gold"]).incoming) == 1
    bea.friends.decline_request(sent.request.request_id)
    again = anna.friends.send_request(external_player_id="bea ö%2")
    assert again.request is not ABSENT
    anna.friends.cancel_request(again.request.request_id)
    bea.friends.send_request(external_player_id="anna")
    met = anna.friends.send_request(external_player_id="bea ö%2")
    assert met.status == "accepted"
    assert anna.friends.list(limit=1, progression="gold").friends[0].progression == {"gold": 0}
    assert anna.friends.remove("bea ö%2").removed is True
    assert anna.friends.block(external_player_id="bea ö%2").block.external_player_id == "bea ö%2"
    assert [row.external_player_id for row in anna.friends.iterate_blocks(page_size=1)] == ["bea ö%2"]
    assert [row.external_player_id for row in server.friends.iterate_blocks("anna")] == ["bea ö%2"]
    assert anna.friends.unblock("bea ö%2").unblocked is True
    assert anna.gifts.catalog().cooldown_seconds == 86400
    assert anna.gifts.sent().gifts == ()
    assert world.emitted("friend.removed")


def test_the_studios_backend_grants_and_adjusts(players: tuple[SdkClient, SdkClient], server: ServerClient) -> None:
    """Rewards, balances, items, identities and secrets by the server client, each read back by the player's."""
    anna, _ = players
    assert server.ping().environment == "test"
    reward = [RewardEntry(type="item", resource_key="potion", amount=3)]
    later = server.ping().server_time.datetime + timedelta(days=1)
    first = server.grants.create("anna", entries=reward, idempotency_key="season-4", expires_at=later).grant
    replay = server.grants.create("anna", entries=reward, idempotency_key="season-4", expires_at=later).grant
    assert replay.grant_id == first.grant_id
    assert [row.grant_id for row in anna.grants.iterate_pending()] == [first.grant_id]
    anna.grants.claim(first.grant_id)
    anna.inventory.consume("potion", quantity=1, reason="thirst")
    server.inventory.grant("anna", "potion", quantity=2, parameters={"level": 3})
    server.inventory.revoke("anna", "potion", quantity=1)
    assert [(row.item_key, row.quantity) for row in anna.inventory.get().items] == [("potion", 3)]
    second = server.grants.create("anna", entries=reward).grant
    assert server.grants.ack("anna", second.grant_id).grant.acked_by == "server_api"
    server.wallet.credit("anna", "gold", amount=9, source_ref_id="order-1")
    server.wallet.debit("anna", "gold", amount=2)
    assert anna.wallet.debit("gold", amount=3).balance == 4
    assert server.players.set_identity("anna", name="A", country="NO").display_identity.country == "NO"
    assert server.friends.list("anna").friends == ()
    assert server.friends.list_requests("anna").incoming == ()
    anna.player_secret = server.players.rotate_secret("anna").player_secret
    assert _gold(anna) == 4


def test_a_retry_whose_first_answer_was_lost_pays_once(world: World, server: ServerClient) -> None:
    """The reason for keeping the key: the service did it, the answer was lost, and the second try must not do it again."""
    inner = LocalTransport(world)
    lost: list[httpx.Request] = []

    def unreliable(request: httpx.Request) -> httpx.Response:
        response = inner.handle_request(request)
        if request.method == "POST" and not lost:
            lost.append(request)
            raise httpx.ReadError("reset", request=request)
        return response

    world.player("anna")
    with ServerClient(
        base_url=ADDRESS, api_key=world.keys["server"], transport=httpx.MockTransport(unreliable)
    ) as client:
        assert client.wallet.credit("anna", "gold", amount=5).balance == 5
    assert len(lost) == 1
    assert server.wallet.credit("anna", "gold", amount=1).balance == 6


def test_a_registration_whose_first_answer_was_lost_gives_its_secret_again(world: World) -> None:
    """The player is registered and has no other way in: the second try is told the secret that the first one was."""
    inner = LocalTransport(world)
    answers: list[bytes] = []

    def unreliable(request: httpx.Request) -> httpx.Response:
        response = inner.handle_request(request)
        answers.append(response.read())
        if len(answers) == 1:
            raise httpx.ReadError("reset", request=request)
        return response

    with SdkClient(
        base_url=ADDRESS, api_key=world.keys["client"], external_player_id="anna",
        transport=httpx.MockTransport(unreliable), retries=RetryPolicy(base_seconds=0),
    ) as anna:  # fmt: skip
        registered = anna.players.register()
        assert answers[0] == answers[1]
        assert anna.player_secret == registered.player_secret
        assert anna.players.get_profile().external_player_id == "anna"


def test_the_asynchronous_clients_do_the_same(world: World) -> None:
    """The other flavour through the same transport, over its own client class."""

    async def play() -> int:
        transport = LocalTransport(world)
        async with (
            AsyncSdkClient(
                base_url=ADDRESS, api_key=world.keys["client"], external_player_id="anna", transport=transport
            ) as anna,
            AsyncServerClient(base_url=ADDRESS, api_key=world.keys["server"], transport=transport) as server,
        ):
            await anna.players.register()
            await server.wallet.credit("anna", "gold", amount=7)
            return next(row.balance for row in (await anna.wallet.get()).balances if row.key == "gold")

    assert asyncio.run(play()) == 7


def test_a_request_arrives_as_it_would_over_http() -> None:
    """Raw path and query, lower-case header names, body and address: what a server hands in."""
    seen: list[Request] = []

    class Echo:
        def handle(self, request: Request) -> Response:
            """Remember the request."""
            seen.append(request)
            return Response(418, (("X-Request-Id", "r"), ("Set-Cookie", "a"), ("Set-Cookie", "b")), b"{}")

    with httpx.Client(transport=LocalTransport(Echo(), remote="198.51.100.7")) as client:
        response = client.put(f"{ADDRESS}/a%20b/%C3%B6?q=%26&q=2", headers={"X-Thing": "T"}, content=b"body")
    (request,) = seen
    assert (request.method, request.path, request.query) == ("PUT", "/a%20b/%C3%B6", "q=%26&q=2")
    assert request.headers["x-thing"] == "T"
    assert (request.body, request.remote) == (b"body", "198.51.100.7")
    assert (response.status_code, response.headers["X-Request-Id"]) == (418, "r")
    assert response.headers.get_list("Set-Cookie") == ["a", "b"]
