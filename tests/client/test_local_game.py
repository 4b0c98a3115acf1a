"""The game's client against the service itself, in one process: the rules, the wire and the client fit together."""

from __future__ import annotations

import pytest

from livecore.world import World
from livecore_client import SdkClient, ServerClient, errors
from livecore_client.rows import ABSENT, BalanceRow, Wallet
from tests.client.local import gold_of


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
    assert gold_of(anna) == 10
    assert gold_of(bea) == 30
    (row,) = server.gifts.iterate("anna", direction="sent")
    assert row.grant_status == "claimed"


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


def test_a_wallet_and_an_inventory_find_by_key(players: tuple[SdkClient, SdkClient], server: ServerClient) -> None:
    """`next(row.balance for row in wallet.balances if row.key == "gold")` is what every first program wrote."""
    anna, bea = players
    server.wallet.credit("anna", "gold", amount=30)
    server.inventory.grant("anna", "potion", quantity=2)
    wallet, items = anna.wallet.get(), anna.inventory.get()
    assert (wallet.balance("gold"), wallet.balance("sessions")) == (30, 1)
    assert server.wallet.get("anna").balance("gold") == 30
    with pytest.raises(LookupError) as unknown:
        wallet.balance("golds")
    assert str(unknown.value) == "the wallet shows no 'golds': it has 'gold', 'sessions', 'login_streak'"
    assert (items.quantity("potion"), items.quantity("sword")) == (2, 0)
    assert items.item("potion") is items.items[0]
    with pytest.raises(LookupError) as absent:
        items.item("sword")
    assert str(absent.value) == "the inventory shows no 'sword': it has 'potion'"
    with pytest.raises(LookupError, match="the inventory shows no 'potion': it is empty"):
        bea.inventory.get().item("potion")


def test_a_refusal_spells_names_as_the_program_does(players: tuple[SdkClient, SdkClient]) -> None:
    """`externalPlayerId: …` is no argument of a Python program; the details stay as on the wire."""
    anna, _ = players
    with pytest.raises(errors.ValidationFailed) as wrong:
        anna.friends.send_request(external_player_id="__merged_1")
    rule = "must be 1 to 128 characters without '/' or control characters, not '.' or '..', and not begin with"
    reason = f"{rule} '__merged_' or '__deleted_'"
    assert wrong.value.message == f"external_player_id: {reason}"
    assert str(wrong.value).startswith(f"400 validation_failed: external_player_id: {reason} (request ")
    assert wrong.value.details == {"fields": {"externalPlayerId": reason}}

    with pytest.raises(errors.ValidationFailed) as both:
        anna.friends.send_request()
    one = "give exactly one of friend_code and external_player_id"
    assert both.value.message == f"friend_code: {one}; external_player_id: {one}"
    assert both.value.details["fields"].keys() == {"friendCode", "externalPlayerId"}  # type: ignore[union-attr] # JSON

    with pytest.raises(errors.ValidationFailed) as inside:
        anna.events.progress("race", "att_1", metrics={"camelCase": 2**60})
    assert inside.value.message.startswith("metrics.camelCase: must be from ")


def test_a_lookup_names_ten_keys_at_most() -> None:
    """A game may declare hundreds of them."""
    row = [BalanceRow(key=f"key_{number}", kind="currency", balance=0) for number in range(12)]
    with pytest.raises(LookupError, match=r"it has 'key_0', .*'key_9' and 2 more$"):
        Wallet(balances=tuple(row)).balance("gold")
