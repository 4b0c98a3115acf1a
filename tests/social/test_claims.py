"""Claiming, acknowledging and expiring: one transition, whichever route asks, and nothing pays twice (3.2, 3.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from livecore.economy.grants import GRANTS
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import HOUR, Millis, Timestamp
from livecore.social.gifts import GIFTS
from livecore.world import WorldPlayer
from tests.worlds import GIFTING, Reply, Since, ask, ban, befriend, gift, give, grant, put, rows_of, total, world

LIFETIME: Final[Millis] = HOUR
KINDS: Final = ("paid gift", "free gift", "grant")
ROUTES: Final = ("gifts.claim", "grants.claim", "grants.ack")


class Waiting:
    """Something that waits to be claimed: a gift of ten gold, paid for or not, or a grant of ten gold."""

    def __init__(self, kind: str) -> None:
        free = [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": kind == "paid gift"}]
        self.game = world(gifting={**GIFTING, "resources": free, "claimExpirySeconds": LIFETIME // 1000})
        self.kind = kind
        self.sender, self.owner = self.game.player("sender"), self.game.player("owner")
        befriend(self.sender, self.owner)
        give(self.sender, "gold", 100)
        self.expires_at = self.game.now + LIFETIME
        self.gift_id, self.grant_id = self._make()

    @property
    def is_gift(self) -> bool:
        """Whether it is a gift."""
        return self.kind != "grant"

    def _make(self) -> tuple[str, str]:
        if self.is_gift:
            sent = gift(self.sender, self.owner)
            return sent.text("gift.giftId"), sent.text("gift.grantId")
        made = grant(self.owner, expires_at=Timestamp(self.expires_at))
        return "none", made.text("grant.grantId")

    def by(self, route: str, player: WorldPlayer | None = None) -> Reply:
        """Claim or acknowledge it."""
        player = player or self.owner
        if route == "gifts.claim":
            return ask(player, route, gift_id=self.gift_id)
        if route == "grants.claim":
            return ask(player, route, grant_id=self.grant_id)
        return ask(self.game.server, route, external_id=player.external_id, grant_id=self.grant_id)

    def stands(self) -> tuple[str, str | None]:
        """The state of the grant and of the gift."""
        (row,) = rows_of(self.game, GRANTS)
        return row.status, rows_of(self.game, GIFTS)[0].status if self.is_gift else None

    def wait_until(self, moment: Millis) -> None:
        """Let time pass without running what comes due: the sweep is late."""
        self.game.now = moment


CASES: Final = [(kind, route) for kind in KINDS for route in ROUTES if kind != "grant" or route != "gifts.claim"]


@pytest.mark.parametrize(("kind", "route"), CASES)
def test_each_route_claims(kind: str, route: str) -> None:
    """Gift and grant become claimed together, the contents are credited, and each is told once."""
    waiting = Waiting(kind)
    seen = Since(waiting.game)
    reply = waiting.by(route)
    assert reply.status == 200
    assert waiting.stands() == ("claimed", "claimed" if waiting.is_gift else None)
    assert total(waiting.owner, "gold") == 10
    told = ["grant.claimed", "wallet.changed"]
    assert seen.kinds == sorted(["gift.claimed", *told] if waiting.is_gift else told)
    row = reply["gift"] if route == "gifts.claim" else reply["grant"]
    assert isinstance(row, dict)
    assert (row["status"], row["claimedAt"]) == ("claimed", Timestamp(waiting.game.now).wire)
    if route != "gifts.claim":
        assert row["ackedBy"] == ("server_api" if route == "grants.ack" else "player")


@pytest.mark.parametrize(
    ("kind", "route", "again"), [(*case, again) for case in CASES for again in ROUTES if (case[0], again) in CASES]
)
def test_nothing_pays_twice(kind: str, route: str, again: str) -> None:
    """A second claim by any route is `grant_already_claimed`, acknowledging a claimed grant 200 and without effect."""
    waiting = Waiting(kind)
    first = waiting.by(route)
    seen = Since(waiting.game)
    reply = waiting.by(again)
    if again == "grants.ack":
        assert reply.status == 200
        assert reply["grant.ackedBy"] == ("server_api" if route == "grants.ack" else "player")
        if route == "grants.ack":
            assert reply.data == first.data
    else:
        assert reply.refusal == (409, "grant_already_claimed")
    assert total(waiting.owner, "gold") == 10
    assert seen.kinds == []


@pytest.mark.parametrize(("kind", "route"), CASES)
def test_the_last_moment_counts(kind: str, route: str) -> None:
    """Claiming needs a time before `expiresAt`: a millisecond earlier is in time."""
    waiting = Waiting(kind)
    waiting.wait_until(waiting.expires_at - 1)
    assert waiting.by(route).status == 200


@pytest.mark.parametrize("late", [0, 1, LIFETIME])
@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize(("kind", "route"), CASES)
def test_past_expiry_nothing_is_claimed(kind: str, route: str, swept: bool, late: Millis) -> None:
    """At `expiresAt` and after it: 410 `gift_expired` for a gift by either route, `grant_expired` else, swept or not."""
    waiting = Waiting(kind)
    if swept:
        waiting.game.advance_to(waiting.expires_at + late)
    else:
        waiting.wait_until(waiting.expires_at + late)
    assert waiting.by(route).refusal == (410, "gift_expired" if waiting.is_gift else "grant_expired")
    assert total(waiting.owner, "gold") == 0
    assert waiting.stands()[0] == ("expired" if swept else "pending")


@pytest.mark.parametrize("kind", KINDS)
def test_the_sweep_expires(kind: str) -> None:
    """Gift and grant end expired, `grant.expired` is told, and only a paid gift goes back to its sender."""
    waiting = Waiting(kind)
    seen = Since(waiting.game)
    waiting.game.advance_to(waiting.expires_at - 1)
    assert waiting.stands()[0] == "pending"
    waiting.game.advance_to(waiting.expires_at)
    assert waiting.stands() == ("expired", "expired" if waiting.is_gift else None)
    refunded = kind == "paid gift"
    assert seen.kinds == (["grant.expired", "wallet.changed"] if refunded else ["grant.expired"])
    assert total(waiting.sender, "gold") == 100
    if refunded:
        (change,) = seen.of("wallet.changed")
        assert (change["playerId"], change["delta"], change["sourceRefId"]) == (
            waiting.sender.player_id, 10, waiting.gift_id,
        )  # fmt: skip


@pytest.mark.parametrize(("room", "refunded"), [(9, False), (10, True)])
def test_a_refund_waits_for_room(room: int, refunded: bool) -> None:
    """A sender whose balance is full gets the amount back, to the last unit, within an hour after there is room."""
    waiting = Waiting("paid gift")
    give(waiting.sender, "gold", 2**53 - 1 - 90 - room)
    waiting.game.advance_to(waiting.expires_at)
    assert waiting.stands()[0] == ("expired" if refunded else "pending")
    assert waiting.by("gifts.claim").refusal == (410, "gift_expired")
    if not refunded:
        waiting.game.server.call("wallet.debit", external_id="sender", economy_key="gold", amount=1)
        waiting.game.advance(hours=1)
        assert waiting.stands() == ("expired", "expired")
    assert total(waiting.sender, "gold") == 2**53 - 1


@pytest.mark.parametrize(("kind", "route"), CASES)
def test_what_was_claimed_does_not_expire(kind: str, route: str) -> None:
    """Claim and sweep exclude each other: nothing happens to a claimed one when its time comes."""
    waiting = Waiting(kind)
    waiting.by(route)
    seen = Since(waiting.game)
    waiting.game.advance(days=2)
    assert seen.kinds == []
    assert total(waiting.owner, "gold") == 10


def test_pending_grants_leave_out_what_is_past_its_time() -> None:
    """A grant past its expiry is not offered for claiming, even before the sweep."""
    waiting = Waiting("grant")
    assert len(ask(waiting.owner, "grants.listPending").list("grants")) == 1
    waiting.wait_until(waiting.expires_at)
    assert ask(waiting.owner, "grants.listPending").list("grants") == []


@pytest.mark.parametrize(("kind", "route"), CASES)
def test_somebody_elses_is_not_found(kind: str, route: str) -> None:
    """The sender, a stranger and the studio under another player's name find nothing."""
    waiting = Waiting(kind)
    missing = "gift_not_found" if route == "gifts.claim" else "grant_not_found"
    for player in (waiting.sender, waiting.game.player("stranger")):
        assert waiting.by(route, player).refusal == (404, missing)


@pytest.mark.parametrize("ended", ["friends.remove", "friends.block"])
def test_a_gift_outlives_the_friendship(ended: str) -> None:
    """Pending gifts stay claimable after a removal or a block."""
    waiting = Waiting("paid gift")
    name = "friend_external_id" if ended == "friends.remove" else "external_player_id"
    ask(waiting.owner, ended, **{name: "sender"})
    assert waiting.by("gifts.claim").status == 200


def test_a_banned_player_cannot_claim_but_the_studio_can_acknowledge() -> None:
    """Writes of a banned player are 403 by either route; acknowledgement still works, and pays."""
    waiting = Waiting("paid gift")
    ban(waiting.owner)
    for route in ("gifts.claim", "grants.claim"):
        assert waiting.by(route).refusal == (403, "player_banned")
    assert waiting.by("grants.ack").status == 200
    assert total(waiting.owner, "gold") == 10


def test_a_claim_that_would_overflow_is_refused_whole() -> None:
    """`balance_overflow` leaves gift and grant pending, to be claimed when there is room."""
    waiting = Waiting("free gift")
    give(waiting.owner, "gold", 2**53 - 1)
    assert waiting.by("gifts.claim").refusal == (409, "balance_overflow")
    assert waiting.stands() == ("pending", "pending")
    waiting.game.server.call("wallet.debit", external_id="owner", economy_key="gold", amount=10)
    assert waiting.by("gifts.claim").status == 200


def test_a_grant_pays_all_its_entries_or_none() -> None:
    """Where one entry overflows, the entries before it are not credited either."""
    game = world()
    owner = game.player("owner")
    give(owner, "gems", 2**53 - 1)
    entries = [{"type": "currency", "resourceKey": key, "amount": 1} for key in ("gold", "gems")]
    made = ask(game.server, "grants.create", external_id="owner", idempotency_key="g", entries=entries)
    assert ask(owner, "grants.claim", grant_id=made["grant.grantId"]).refusal == (409, "balance_overflow")
    assert total(owner, "gold") == 0


def test_payloads_of_a_claimed_gift() -> None:
    """`gift.claimed` names both players; `grant.claimed` carries the whole grant."""
    waiting = Waiting("paid gift")
    seen = Since(waiting.game)
    waiting.by("grants.claim")
    at = Timestamp(waiting.game.now).wire
    assert seen.of("gift.claimed") == [
        {
            "giftId": waiting.gift_id,
            "grantId": waiting.grant_id,
            "senderPlayerId": waiting.sender.player_id,
            "senderExternalPlayerId": "sender",
            "recipientPlayerId": waiting.owner.player_id,
            "recipientExternalPlayerId": "owner",
            "type": "currency",
            "resourceKey": "gold",
            "amount": 10,
            "claimedAt": at,
        }
    ]
    (payload,) = seen.of("grant.claimed")
    assert (payload["status"], payload["claimedAt"], payload["sourceKind"]) == ("claimed", at, "gift")
    assert payload["externalPlayerId"] == "owner"


STATES: Final[dict[str, Callable[[Waiting], object]]] = {
    "claimed": lambda waiting: waiting.by("grants.claim"),
    "expired": lambda waiting: waiting.game.advance_to(waiting.expires_at),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_late_sweep_finds_nothing_to_do(kind: str, state: str) -> None:
    """The expiry of a grant that is claimed or expired already changes nothing, however often it runs."""
    waiting = Waiting(kind)
    STATES[state](waiting)
    before = waiting.stands()
    seen = Since(waiting.game)
    waiting.game.unit_of_work(lambda unit: unit.schedule("grants.expire", waiting.grant_id, unit.now))
    waiting.game.advance(minutes=1)
    assert (waiting.stands(), seen.kinds) == (before, [])


def test_a_gift_never_disagrees_with_its_grant() -> None:
    """The grant's state is the gift's: a gift whose grant was claimed behind its back cannot be claimed either."""
    waiting = Waiting("free gift")
    (row,) = rows_of(waiting.game, GRANTS)
    put(waiting.game, GRANTS, evolve(row, status="claimed"))
    assert waiting.by("gifts.claim").refusal == (409, "grant_already_claimed")
