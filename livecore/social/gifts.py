"""Gifts: the record, its rules, and sending one to a friend.

A gift is delivered by a pending grant, and its contents are credited when that is claimed. A gift that costs the sender
moves value from the sender into the gift. From there the value goes to the recipient, or back to the sender if nobody
claims the gift in time. The pending gift *is* the escrow, so a gift never changes the sum of what players and pending paid
gifts hold. A gift that costs nothing creates its value at claim.

`send` refuses in this order, which a test checks: shape, oneself, gifting disabled, the target, a block, not friends, not
allowed, the amount, the cooldown, the daily limit, what the target may receive, the balance (specification 4.1 and 7).
"""

from __future__ import annotations

from typing import Final, Literal

from livecore.economy.entries import entries_text
from livecore.economy.grants import EXPIRE, Grant, make
from livecore.economy.ledger import Asset, holding_of, post
from livecore.economy.rows import RewardEntry
from livecore.kernel.declarations.day_counts import counted_today
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import SECOND, Millis, Timestamp, day_number, next_midnight, stamp
from livecore.kernel.units.permanent_idempotency import earlier, namespaced
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire.shapes import ABSENT
from livecore.players.player import Player, acting, by_id
from livecore.social.config import GiftResource, social_config
from livecore.social.gift_days import check_receive_limit, note_received
from livecore.social.gift_rows import GiftRow, OneGift, SendGift
from livecore.social.graph import names_oneself, relation_between, require_one_target, target_of
from livecore.social.others import counterparty
from livecore.social.refusals import (
    CannotGiftSelf,
    GiftAmountInvalid,
    GiftCooldown,
    GiftingDisabled,
    GiftInsufficientBalance,
    GiftLimitReached,
    GiftNotAllowed,
    NotFriends,
    PlayerBlocked,
)
from livecore.social.relations import (
    RELATIONS,
    Relation,
    Side,
    cooldown_until,
    is_blocked,
    side_of,
    with_gift,
)
from livecore.social.rows import Counterparty, Direction
from livecore.social.webhook_events import GiftSent


@record
class Gift:
    """One gift from one player to another; `paid` says that it cost the sender and holds the amount until it ends."""

    gift_id: str
    grant_id: str
    sender_id: PlayerId
    recipient_id: PlayerId
    asset_kind: Literal["currency", "item"]
    asset_key: str
    amount: int
    paid: bool
    message: str | None
    status: Literal["pending", "claimed", "expired"]
    sent_at: Millis
    expires_at: Millis | None = None
    claimed_at: Millis | None = None
    idempotency_key: str | None = None
    fingerprint: str | None = None


_PERSONAL: Final = ("message", "fingerprint")
"""Emptied when either player is erased: a message may hold anything, and the hash of a request includes both players'
ids."""

GIFTS = Table(
    "gifts",
    Gift,
    key=("gift_id",),
    players={
        "sender_id": PlayerColumn(Merge.REASSIGN, Erase.ANONYMISE, personal=_PERSONAL),
        "recipient_id": PlayerColumn(Merge.REASSIGN, Erase.ANONYMISE, personal=_PERSONAL),
    },
    export="gifts",
)
RECEIVED = GIFTS.index("received", prefix=("recipient_id", "status"), order=("sent_at",))
SENT = GIFTS.index("sent", prefix=("sender_id", "status"), order=("sent_at",))
BY_KEY = GIFTS.unique("idempotency_key")
CLAIMED_WITH_MESSAGE = GIFTS.index("claimed_with_message", prefix=("status",), order=("claimed_at", "message"))
"""Only gifts that have a message."""
ENDING_WITH_MESSAGE = GIFTS.index("ending_with_message", prefix=("status",), order=("expires_at", "message"))
"""Likewise; by when they expire, or have expired."""


@record
class GiftDay:
    """How many gifts a player sent on the last UTC day on which they sent any."""

    sender_id: PlayerId
    day: int
    sent: int


GIFT_DAYS = Table(
    "gift_days",
    GiftDay,
    key=("sender_id",),
    players={"sender_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="player",
)

_GIFTING_SEEN: Final = "gifting"
PAID_GIFTS_CLOSED: Final = "paid_gifts_closed"
NEVER: Final[Millis] = 2**53 - 1
"""The due time of a paid gift without expiry. So every pending paid gift has due work, by which it can be found."""


@record
class Switch:
    """A record that something was switched on in this scope at some time.

    `PAID_GIFTS_CLOSED` is set when a game begins to leave the platform's economy. From then on no request can send a gift
    that costs the sender, even one that still uses the earlier configuration. So the pending paid gifts can be counted.
    """

    name: str
    at: Millis


SWITCHES = Table("switches", Switch, key=("name",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def require_ever_enabled(unit: Unit) -> None:
    """Raises `GiftingDisabled` in a game that never had gifting. Disabling it keeps history and claims."""
    if not social_config(unit).gifting.enabled and unit.tx.get(SWITCHES, _GIFTING_SEEN) is None:
        raise GiftingDisabled


def note_switched_on(unit: Unit) -> None:
    """Store that the game has had gifting."""
    if social_config(unit).gifting.enabled and unit.tx.get(SWITCHES, _GIFTING_SEEN) is None:
        unit.tx.insert(SWITCHES, Switch(name=_GIFTING_SEEN, at=unit.now))


def check_resource(unit: Unit, args: SendGift, target: Player) -> GiftResource:
    """The gift list's line. Raises `GiftNotAllowed` if there is none, or if it cannot be paid or received."""
    resource = social_config(unit).gift_resource(args.type, args.resource_key)
    if target.banned:
        raise GiftNotAllowed("This player cannot receive gifts.")
    if resource is None:
        raise GiftNotAllowed.of(args.resource_key, known=social_config(unit).gift_keys(args.type))
    if resource.costs_sender and not social_config(unit).platform_managed:
        raise GiftNotAllowed("A gift can cost the sender only where the service manages the economy.")
    if resource.costs_sender and unit.tx.get(SWITCHES, PAID_GIFTS_CLOSED) is not None:
        raise GiftNotAllowed("Gifts that cost the sender are refused while this game's economyMode is being changed.")
    return resource


def check_cooldown(unit: Unit, relation: Relation, side: Side) -> None:
    """Raises `GiftCooldown` if this side's last gift to the other is too recent."""
    until = cooldown_until(relation, side, social_config(unit).gifting.cooldown_seconds)
    if until is not None and unit.now < until:
        wire = Timestamp(until).wire
        raise GiftCooldown(f"This friend can be sent another gift from {wire}.", gift_cooldown_until=wire)


def sent_today(unit: Unit, player: Player) -> int:
    """How many gifts the player has sent since UTC midnight."""
    return counted_today(unit, GIFT_DAYS, "sent", player.player_id)


def check_daily_limit(unit: Unit, player: Player) -> int:
    """The number of gifts sent today. Raises `GiftLimitReached` where the limit is reached."""
    limit = social_config(unit).gifting.daily_send_limit
    count = sent_today(unit, player)
    if limit is not None and count >= limit:
        resets_at = Timestamp(next_midnight(unit.now)).wire
        raise GiftLimitReached(daily_send_limit=limit, sent_today=count, resets_at=resets_at)
    return count


# -- rows -----------------------------------------------------------------------------------------------------------------


def other_of(gift: Gift, direction: Direction) -> PlayerId:
    """The id of the other player of a gift, as one of its two sides sees it.

    A gift between two players who were merged has the same player on both sides; `direction` decides which side is shown.
    """
    return gift.recipient_id if direction == "outgoing" else gift.sender_id


def gift_row(gift: Gift, direction: Direction, other: Counterparty, grant: Grant | None = None) -> GiftRow:
    """A gift as one of its two sides sees it; with its grant's status for the studio's backend, which gives the grant."""
    return GiftRow(
        gift_id=gift.gift_id,
        grant_id=gift.grant_id,
        direction=direction,
        player=other,
        type=gift.asset_kind,
        resource_key=gift.asset_key,
        amount=gift.amount,
        message=gift.message,
        status=gift.status,
        sent_at=Timestamp(gift.sent_at),
        claimed_at=stamp(gift.claimed_at),
        expires_at=stamp(gift.expires_at),
        grant_status=ABSENT if grant is None else grant.status,
    )


# -- sending --------------------------------------------------------------------------------------------------------------


def send(unit: Unit, args: SendGift) -> OneGift:
    """Send a gift to a friend; the module's docstring has the refusals and their order."""
    me = acting(unit)
    known = earlier(unit, BY_KEY)
    if known is not None:
        return OneGift(gift=gift_row(known, "outgoing", counterparty(unit, by_id(unit, known.recipient_id))))
    require_one_target(args.friend_code, args.external_player_id)
    if names_oneself(me, args.friend_code, args.external_player_id):
        raise CannotGiftSelf
    if not social_config(unit).gifting.enabled:
        raise GiftingDisabled
    target = target_of(unit, me, args.friend_code, args.external_player_id, CannotGiftSelf)
    relation = relation_between(unit, me, target)
    if is_blocked(relation):
        raise PlayerBlocked
    if relation.friendship != "friends":
        raise NotFriends
    resource = check_resource(unit, args, target)
    if not 1 <= args.amount <= resource.max_amount:
        raise GiftAmountInvalid(max_amount=resource.max_amount)
    side = side_of(relation, me.player_id)
    check_cooldown(unit, relation, side)
    count = check_daily_limit(unit, me)
    check_receive_limit(unit, target)
    asset = Asset(args.type, args.resource_key)
    if resource.costs_sender:
        _check_balance(unit, me, asset, args.amount)
    gift = _make(unit, me, target, args, paid=resource.costs_sender)
    unit.tx.put(RELATIONS, with_gift(relation, side, unit.now))
    unit.tx.put(GIFT_DAYS, GiftDay(sender_id=me.player_id, day=day_number(unit.now), sent=count + 1))
    note_received(unit, target)
    if gift.paid:
        post(unit, me, asset, -gift.amount, reason="gift_sent", source_ref_id=gift.gift_id)
    return OneGift(gift=gift_row(gift, "outgoing", counterparty(unit, target)))


def _check_balance(unit: Unit, me: Player, asset: Asset, amount: int) -> None:
    have = holding_of(unit, me.player_id, asset)
    if have < amount:
        raise GiftInsufficientBalance(resource=asset.key, needed=amount, have=have)


def _make(unit: Unit, me: Player, target: Player, args: SendGift, *, paid: bool) -> Gift:
    lifetime = social_config(unit).gifting.claim_expiry_seconds
    gift = Gift(
        gift_id=unit.new_uuid(),
        grant_id=unit.new_uuid(),
        sender_id=me.player_id,
        recipient_id=target.player_id,
        asset_kind=args.type,
        asset_key=args.resource_key,
        amount=args.amount,
        paid=paid,
        message=args.message,
        status="pending",
        sent_at=unit.now,
        expires_at=None if lifetime is None else unit.now + lifetime * SECOND,
        idempotency_key=namespaced(unit),
        fingerprint=unit.fingerprint,
    )
    unit.tx.insert(GIFTS, gift)
    if paid and gift.expires_at is None:
        unit.schedule(EXPIRE, gift.grant_id, NEVER, fresh=True)
    entry = RewardEntry(type=args.type, resource_key=args.resource_key, amount=args.amount)
    _emit_sent(unit, gift, me, target)
    make(
        unit,
        target,
        Grant(
            grant_id=gift.grant_id,
            player_id=target.player_id,
            status="pending",
            kind="reward",
            entries=entries_text((entry,)),
            source_kind="gift",
            source_ref_id=gift.gift_id,
            created_at=unit.now,
            expires_at=gift.expires_at,
            gift_id=gift.gift_id,
        ),
    )
    return gift


def _emit_sent(unit: Unit, gift: Gift, me: Player, target: Player) -> None:
    unit.emit(
        GiftSent(
            gift_id=gift.gift_id,
            grant_id=gift.grant_id,
            sender_player_id=me.player_id,
            sender_external_player_id=me.external_id,
            recipient_player_id=target.player_id,
            recipient_external_player_id=target.external_id,
            type=gift.asset_kind,
            resource_key=gift.asset_key,
            amount=gift.amount,
            deducted_from_sender=gift.paid,
            message=gift.message,
            sent_at=Timestamp(gift.sent_at),
            expires_at=stamp(gift.expires_at),
        )
    )
