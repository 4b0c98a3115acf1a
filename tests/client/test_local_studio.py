"""The studio's client against the service itself, in one process, as the game's client sees what it does."""

from __future__ import annotations

from datetime import timedelta

from livecore_client import SdkClient, ServerClient
from livecore_client.rows import RewardEntry
from tests.client.local import gold_of


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
    assert gold_of(anna) == 4
