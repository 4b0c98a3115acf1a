"""A walk through the whole service in memory: every operation is answered with each of its success statuses at least once.

What came back, and what was emitted on the way, is held against the tables written by hand. Rows come with everything that
may be left out as well as without it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import attrs

from livecore.kernel.errors import JsonObject
from livecore.world import Caller, Emitted, World, WorldPlayer
from tests.worlds import Reply, befriend, give, world
from tests.worlds import ask as send

__all__ = ["Walk", "walked"]


@attrs.frozen
class Walk:
    """The answers by operation and status, and the events in their order."""

    world: World
    answers: dict[tuple[str, int], list[JsonObject]] = attrs.Factory(lambda: defaultdict(list))

    @property
    def events(self) -> list[Emitted]:
        """What was emitted."""
        return self.world.events

    def ask(self, caller: Caller, operation: str, **arguments: object) -> Reply:
        """Call an operation, which must be answered, and keep the answer."""
        reply = send(caller, operation, **arguments)
        assert reply.code is None, (operation, reply.refusal, reply.body)
        self.answers[f"{caller.surface}:{operation}", reply.status].append(reply.data)
        return reply


@cache
def walked() -> Walk:
    """The walk, made once."""
    game = world(exchangeRates={"EUR": "1.08"})
    walk = Walk(game)
    anna, bert, carl = _register(walk)
    _befriend(walk, anna, bert, carl)
    _gift(walk, anna, bert)
    _grant(walk, bert)
    _adjust(walk, bert)
    _look(walk, anna, bert)
    _part(walk, anna)
    _moderate(walk)
    _buy(walk, anna)
    game.advance(days=30)
    _migrate(walk)
    _conclude(walk)
    return walk


def _register(walk: Walk) -> tuple[WorldPlayer, WorldPlayer, WorldPlayer]:
    game = walk.world
    stranger = Caller(game, "sdk", {"authorization": f"Bearer {game.keys['client']}"}, "dora")
    walk.ask(stranger, "players.register", player_context={"country": "SE"})
    walk.ask(stranger, "players.register", force=True)
    anna, bert, carl = (game.player(name) for name in ("anna", "bert", "carl"))
    walk.ask(anna, "players.setIdentity", name="Anna", avatar="fox")
    walk.ask(game.server, "players.setIdentity", external_id="bert", name="Bert", country="NO")
    walk.ask(carl, "presence.heartbeat", status="Lobby")
    return anna, bert, carl


def _befriend(walk: Walk, anna: WorldPlayer, bert: WorldPlayer, carl: WorldPlayer) -> None:
    code = walk.ask(bert, "friends.getCode").text("friendCode")
    walk.ask(bert, "friends.getCode", progression=["gold"])
    asked = walk.ask(anna, "friends.sendRequest", friend_code=code)
    walk.ask(anna, "friends.sendRequest", external_player_id="bert")
    for player, operation in ((anna, "friends.listRequests"), (bert, "friends.listRequests")):
        walk.ask(player, operation)
        walk.ask(player, operation, progression=["gold"])
    walk.ask(walk.world.server, "friends.listRequests", external_id="anna")
    walk.ask(bert, "friends.acceptRequest", request_id=asked["request.requestId"])
    for ending, who in (("decline", anna), ("cancel", carl)):
        again = walk.ask(carl, "friends.sendRequest", external_player_id="anna")
        walk.ask(who, f"friends.{ending}Request", request_id=again["request.requestId"])
    walk.ask(anna, "friends.sendRequest", external_player_id="carl")
    walk.ask(carl, "friends.sendRequest", external_player_id="anna")


def _gift(walk: Walk, anna: WorldPlayer, bert: WorldPlayer) -> None:
    give(anna, "gold", 100)
    walk.ask(anna, "gifts.catalog")
    gold = {"type": "currency", "resource_key": "gold", "amount": 5}
    sent = walk.ask(anna, "gifts.send", external_player_id="bert", message="For you", **gold)
    walk.ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    walk.ask(bert, "gifts.send", external_player_id="anna", type="item", resource_key="potion", amount=1)
    for player in (anna, bert):
        walk.ask(player, "gifts.inbox")
        walk.ask(player, "gifts.sent", pending_only=True)
        walk.ask(walk.world.server, "gifts.list", external_id=player.external_id, direction="sent")


def _grant(walk: Walk, bert: WorldPlayer) -> None:
    server = walk.world.server
    entries = [
        {"type": "currency", "resourceKey": "gold", "amount": 5},
        {"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {"level": 2}},
    ]
    more = {"entries": entries, "metadata": {"season": 1}, "source_ref_id": "s1"}
    made = [
        walk.ask(server, "grants.create", external_id="bert", idempotency_key=key, **more) for key in ("g1", "g2", "g3")
    ]
    walk.ask(server, "grants.create", external_id="bert", idempotency_key="g1", **more)
    walk.ask(bert, "grants.listPending")
    walk.ask(bert, "grants.claim", grant_id=made[0]["grant.grantId"])
    walk.ask(server, "grants.ack", external_id="bert", grant_id=made[1]["grant.grantId"])
    soon = {"entries": entries[:1], "expires_at": "2026-01-03T00:00:00Z"}
    walk.ask(server, "grants.create", external_id="erik", idempotency_key="g4", **soon)


def _adjust(walk: Walk, bert: WorldPlayer) -> None:
    server = walk.world.server
    for operation in ("wallet.credit", "wallet.debit"):
        walk.ask(server, operation, external_id="bert", economy_key="gems", amount=2, reason="test")
    for operation in ("inventory.grant", "inventory.revoke"):
        walk.ask(server, operation, external_id="bert", item_key="potion", quantity=2)
    walk.ask(bert, "wallet.debit", economy_key="gold", amount=1)
    walk.ask(bert, "inventory.consume", item_key="sword", quantity=1)
    give(bert, "potion", 1)


def _look(walk: Walk, anna: WorldPlayer, bert: WorldPlayer) -> None:
    server = walk.world.server
    for arguments in ({}, {"progression": ["gold", "xp"]}, {"limit": 1}):
        walk.ask(anna, "friends.list", **arguments)
    walk.ask(server, "friends.list", external_id="anna")
    walk.ask(anna, "friends.search", q="bert")
    walk.ask(anna, "friends.search", q="bert", progression=["xp"])
    walk.ask(anna, "friends.suggestions")
    walk.ask(anna, "friends.suggestions", progression=["xp"])
    for player in (anna, bert):
        walk.ask(player, "wallet.get")
        walk.ask(player, "inventory.get")
    for operation in ("wallet.get", "inventory.get"):
        walk.ask(server, operation, external_id="bert")
    walk.ask(anna, "players.getProfile")
    walk.ask(attrs.evolve(anna, headers={**anna.headers, "x-svc-platform": "ios"}), "players.getProfile")
    walk.ask(server, "ping")
    for external_id in ("anna", "bert", "dora"):
        walk.ask(server, "players.get", external_id=external_id)


def _moderate(walk: Walk) -> None:
    server = walk.world.server
    for reason in ("cheating", "botting"):
        walk.ask(server, "players.ban", external_id="carl", reason=reason)
    walk.ask(server, "players.get", external_id="carl")
    for operation in ("players.unban", "players.flagDebug"):
        walk.ask(server, operation, external_id="carl")
    walk.ask(server, "players.flagDebug", external_id="carl", reason="ours")
    for operation in ("players.get", "players.export", "players.unflagDebug"):
        walk.ask(server, operation, external_id="carl")


def _buy(walk: Walk, anna: WorldPlayer) -> None:
    server = walk.world.server
    gems = {
        "store": "app_store", "product_id": "gems", "product_type": "consumable", "amount_minor": 999, "currency": "EUR",
    }  # fmt: skip
    walk.ask(anna, "purchases.track", transaction_id="t1", metadata={"shop": "start"}, **gems)
    for status in ("verified", "unverified"):
        walk.ask(server, "purchases.track", external_id="anna", transaction_id="t1", validation_status=status, **gems)
    walk.ask(server, "purchases.track", external_id="bert", transaction_id="t2", **gems)
    walk.ask(server, "purchases.list", external_id="anna")
    walk.ask(server, "spend.get", external_id="anna", windows=[7, 30])
    walk.ask(server, "spend.get", external_id="carl")
    for arguments in ({}, {"window_days": 30}):
        walk.ask(server, "spend.listPlayers", **arguments)
    walk.ask(server, "spend.summary")


def _migrate(walk: Walk) -> None:
    server = walk.world.server
    rows = [
        {"idempotencyKey": "m1", "externalPlayerId": "ivan", "name": "Ivan"},
        {"idempotencyKey": "m2", "externalPlayerId": "jane", "name": ""},
    ]
    walk.ask(server, "migrate.players", rows=rows)
    coins = {"idempotencyKey": "m1", "externalPlayerId": "ivan", "economyKey": "gold", "amount": 5}
    walk.ask(server, "migrate.wallet", rows=[coins, coins])
    potions = {"idempotencyKey": "m1", "externalPlayerId": "ivan", "itemKey": "potion", "quantity": 2}
    walk.ask(server, "migrate.inventory", rows=[potions])


def _conclude(walk: Walk) -> None:
    """Export everything of somebody who has everything; then one goes into another, and is erased with them."""
    server = walk.world.server
    befriend(walk.world.player("gina"), walk.world.player("anna"))
    walk.ask(walk.world.player("hugo"), "friends.sendRequest", external_player_id="anna")
    walk.ask(walk.world.player("anna"), "friends.block", external_player_id="bert")
    walk.ask(server, "players.export", external_id="anna")
    walk.ask(server, "players.export", external_id="bert", list="inventory")
    for _ in range(2):
        walk.ask(server, "players.merge", external_id="dora", to_external_id="erik")
    for external_id in ("erik", "erik", "nobody"):
        walk.ask(server, "players.erase", external_id=external_id, reason="test")


def _part(walk: Walk, anna: WorldPlayer) -> None:
    server = walk.world.server
    walk.ask(anna, "friends.remove", friend_external_id="carl")
    walk.ask(anna, "friends.block", external_player_id="bert")
    walk.ask(anna, "friends.block", external_player_id="bert")
    walk.ask(anna, "friends.listBlocks")
    walk.ask(server, "friends.listBlocks", external_id="anna")
    walk.ask(anna, "friends.unblock", blocked_external_id="bert")
    walk.ask(server, "players.rotateSecret", external_id="bert")
    befriend(anna, walk.world.player("fred"))
