"""A game whose economy changes hands keeps no paid gift that nobody could claim or give back any more."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.api.configuration.config_refusals import PaidGiftsPending
from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.units.due import DUE
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.social.gifts import GIFTS, SWITCHES
from livecore.social.refunds import close_paid_gifts, open_paid_gifts
from livecore.world import WorldPlayer
from tests.commerce.shop import found_wrong
from tests.worlds import Since, ask, befriend, config, gift, give, rows_of, total, world

FREE: list[Json] = [{"type": "currency", "key": "gold", "maxAmount": 100}]
PAID: list[Json] = [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}]


def _studio() -> JsonObject:
    return config(economyMode="studio", gifting={"enabled": True, "resources": FREE})


def _platform(**gifting: Json) -> JsonObject:
    return config(gifting={"enabled": True, "resources": PAID, **gifting})


def _friends(game: World, *names: str) -> tuple[WorldPlayer, ...]:
    anna, *others = (game.player(name) for name in names)
    give(anna, "gold", 1_000)
    for other in others:
        befriend(anna, other)
    return anna, *others


def _with_gifts(claim_expiry: int | None = 3_600) -> tuple[World, tuple[WorldPlayer, ...]]:
    """A game in which two paid gifts are pending and one has been claimed."""
    game = World(_platform(claimExpirySeconds=claim_expiry))
    players = anna, bert, clara, dora = _friends(game, "anna", "bert", "clara", "dora")
    for other in (bert, clara):
        assert gift(anna, other, amount=100).status == 201
    claimed = gift(anna, dora, amount=100)
    assert ask(dora, "gifts.claim", gift_id=claimed["gift.giftId"]).status == 200
    return game, players


@pytest.mark.parametrize("claim_expiry", [3_600, None])
def test_it_is_refused_while_paid_gifts_are_pending(claim_expiry: int | None) -> None:
    """With their number; nothing is changed, and the gifts that cost the sender go on."""
    game, (anna, bert, clara, dora) = _with_gifts(claim_expiry)
    tables = (GIFTS, HOLDINGS, SWITCHES, DUE)
    before, version, seen = [rows_of(game, table) for table in tables], game.game.config_version, Since(game)
    with pytest.raises(PaidGiftsPending, match="2 paid gifts are pending") as refused:
        game.configure(_studio())
    assert refused.value.number == 2
    assert [rows_of(game, table) for table in tables] == before
    assert (game.game.config_version, seen.kinds) == (version, [])
    for recipient in (bert, clara):
        (pending,) = ask(recipient, "gifts.inbox", pending_only=True).list("gifts")
        assert ask(recipient, "gifts.claim", gift_id=pending["giftId"]).status == 200
    game.advance(days=1)
    assert gift(anna, dora, amount=1).status == 201


@pytest.mark.parametrize("claim_expiry", [3_600, None])
def test_they_are_given_back_first_if_one_says_so(claim_expiry: int | None) -> None:
    """As at their expiry: gift and grant expire, the sender has the amount back, and the webhooks tell so."""
    game, (anna, bert, *_) = _with_gifts(claim_expiry)
    seen = Since(game)
    game.configure(_studio(), refund_pending_gifts=True)
    assert sorted(seen.kinds) == ["grant.expired"] * 2 + ["wallet.changed"] * 2
    assert {(row["delta"], row["reason"]) for row in seen.of("wallet.changed")} == {(100, "gift_refunded")}
    assert sorted(row.status for row in rows_of(game, GIFTS)) == ["claimed", "expired", "expired"]
    (lost,) = ask(bert, "gifts.inbox").list("gifts")
    assert ask(bert, "gifts.claim", gift_id=lost["giftId"]).refusal == (410, "gift_expired")
    assert not game.application.store.read(
        game.scopes[0], lambda tx: tx.get(DUE, "grants.expire", str(lost["grantId"]))
    )
    assert found_wrong(game) == []
    game.configure(_platform())
    assert total(anna, "gold") == 900
    assert gift(anna, bert, amount=1).refusal == (409, "gift_cooldown")


def test_both_environments_count() -> None:
    """One configuration serves both."""
    game = World(_platform(), environment="live")
    anna, bert = _friends(game, "anna", "bert")
    assert gift(anna, bert).status == 201
    with pytest.raises(PaidGiftsPending, match="1 paid gift is pending"):
        game.configure(_studio())


def test_another_configuration_of_the_same_mode_is_taken() -> None:
    """Pending gifts stand in the way of nothing else, and free gifts in the way of nothing at all."""
    game, (anna, bert, *_) = _with_gifts()
    game.configure(_platform(cooldownSeconds=0))
    assert [row.status for row in rows_of(game, GIFTS)].count("pending") == 2
    free = World(config(gifting={"enabled": True, "resources": FREE}))
    anna, bert = _friends(free, "anna", "bert")
    assert gift(anna, bert).status == 201
    free.configure(_studio())
    assert [row.status for row in rows_of(free, GIFTS)] == ["pending"]


def test_more_than_a_page_of_them() -> None:
    """Each page is a unit of work of its own; however many there are, all are given back."""
    game = World(_platform(cooldownSeconds=0))
    anna, bert = _friends(game, "anna", "bert")
    for _ in range(450):
        assert gift(anna, bert, amount=1).status == 201
    with pytest.raises(PaidGiftsPending, match="450 paid gifts are pending"):
        game.configure(_studio())
    game.configure(_studio(), refund_pending_gifts=True)
    assert {row.status for row in rows_of(game, GIFTS)} == {"expired"}
    game.configure(_platform())
    assert total(anna, "gold") == 1_000


def test_a_sender_without_room_is_no_reason_to_lose_the_gift() -> None:
    """It stays as it was, can be claimed, and the mode stays; the others have been given back."""
    game, (anna, bert, clara, _) = _with_gifts()
    befriend(bert, clara)
    give(bert, "gold", 10)
    assert gift(bert, clara, amount=10).status == 201
    give(anna, "gold", MAX_AMOUNT - total(anna, "gold"))
    with pytest.raises(PaidGiftsPending, match=r"2 paid gifts are still pending.*no room.*1 were given back"):
        game.configure(_studio(), refund_pending_gifts=True)
    assert (total(bert, "gold"), total(anna, "gold")) == (10, MAX_AMOUNT)
    (pending,) = ask(bert, "gifts.inbox").list("gifts")
    assert ask(bert, "gifts.claim", gift_id=pending["giftId"]).status == 200
    assert rows_of(game, SWITCHES) == [row for row in rows_of(game, SWITCHES) if row.name == "gifting"]


def test_a_request_that_still_goes_by_the_platform_sends_no_paid_gift() -> None:
    """While gifts are counted none is added; what is free is sent, and one interrupted call is mended by the next."""
    game = world()
    anna, bert = _friends(game, "anna", "bert")
    game.unit_of_work(close_paid_gifts)
    entries = rows_of(game, ENTRIES)
    assert gift(anna, bert).refusal == (403, "gift_not_allowed")
    assert rows_of(game, ENTRIES) == entries
    assert gift(anna, bert, "xp", 1).status == 201
    game.advance(days=1)
    game.configure(config())
    assert gift(anna, bert).status == 201


def test_closed_gifts_stay_closed_in_a_studio_game() -> None:
    """Until the service manages the economy again, nobody can open them."""
    game = world()
    game.configure(_studio())
    game.unit_of_work(open_paid_gifts)
    assert "paid_gifts_closed" in {row.name for row in rows_of(game, SWITCHES)}
    game.configure(config())
    assert "paid_gifts_closed" not in {row.name for row in rows_of(game, SWITCHES)}
