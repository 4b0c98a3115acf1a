"""Claiming: one transition for a gift and the grant that delivers it, for every route.

    claim a gift, claim a grant, acknowledge a grant,
    force a grant's claim                                 all lead to `_settle`
    the time of either runs out                           leads to `expire_due`

So a gift and its grant always agree, and nothing pays twice. Claim and expiry exclude each other: claiming needs a time
before `expiresAt`, expiring needs one at or after it (specification 3.2 and 3.3). An operator may claim even later: a
grant that has expired pays then, but for a gift whose sender has the amount back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from livecore.economy import grants
from livecore.economy.grants import GRANTS, Grant, require_own, require_reward
from livecore.economy.ledger import HOLDINGS, Asset, holding_of, post
from livecore.economy.refusals import GrantExpired, GrantNotFound, GrantRefunded
from livecore.economy.rows import ForceClaim, GetGrant, GrantForOperator, GrantHolder, OfGrant, OneGrant
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import HOUR, Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.player import PLAYERS, Player, acting, by_id, present
from livecore.social.gift_rows import OfGift, OneGift
from livecore.social.gifts import GIFTS, Gift, gift_row, require_ever_enabled
from livecore.social.others import counterparty
from livecore.social.refusals import GiftExpired, GiftNotFound
from livecore.social.webhook_events import GiftClaimed

# -- claiming -------------------------------------------------------------------------------------------------------------


def claim_gift(unit: Unit, args: OfGift) -> OneGift:
    """Claim a gift by its own id, as its recipient. Raises `GiftNotFound` for any other player's gift."""
    require_ever_enabled(unit)
    me = acting(unit)
    gift = unit.tx.get(GIFTS, args.gift_id)
    if gift is None or gift.recipient_id != me.player_id:
        raise GiftNotFound.of(args.gift_id)
    # What settling reads of the grant follows from the gift, so it is asked for with the sender.
    sender, *_ = unit.tx.read_together(
        Get(PLAYERS, (gift.sender_id,)),
        Get(GRANTS, (gift.grant_id,)),
        Get(HOLDINGS, (gift.recipient_id, gift.asset_kind, gift.asset_key)),
        Get(DUE, (grants.EXPIRE, gift.grant_id)),
    )
    _settle(unit, me, require_own(unit, me, gift.grant_id), "player")
    other = counterparty(unit, present(sender))
    return OneGift(gift=gift_row(unit.tx.get(GIFTS, gift.gift_id) or gift, "incoming", other))


def claim_grant(unit: Unit, args: OfGrant) -> OneGrant:
    """Claim a pending grant, as its player."""
    me = acting(unit)
    grant = require_reward(require_own(unit, me, args.grant_id))
    return OneGrant(grant=grants.row(_settle(unit, me, grant, "player")))


def acknowledge(unit: Unit, args: OfGrant) -> OneGrant:
    """Mark a grant claimed, as the studio's backend; an already claimed grant is returned unchanged."""
    player = acting(unit)
    grant = require_reward(require_own(unit, player, args.grant_id))
    before = grants.shown_for_audit(grant)
    if grant.status != "claimed":
        grant = _settle(unit, player, grant, "server_api")
    unit.change = Change(before, grants.shown_for_audit(grant))
    return OneGrant(grant=grants.row(grant))


def force_claim(unit: Unit, args: ForceClaim) -> OneGrant:
    """Claim a grant in its player's place, as an operator, however late; a claimed grant is returned unchanged.

    Refusals, in order: `GrantNotFound`, `CrateMustBeOpened`, `GrantRefunded`, `BalanceOverflow`.
    """
    grant, player = _with_player(unit, args.grant_id)
    unit.player_id, unit.external_id = player.player_id, player.external_id
    unit.audit_metadata = None if args.reason is None else {"reason": args.reason}
    before = grants.shown_for_audit(grant)
    if grant.status != "claimed":
        gift = _gift_of(unit, require_reward(grant))
        # What an expired gift had cost has gone back to its sender, and must not be paid out as well.
        if gift is not None and gift.paid and gift.status == "expired":
            raise GrantRefunded
        grant = _settle(unit, player, grant, "operator", forced=True)
    unit.change = Change(before, grants.shown_for_audit(grant))
    return OneGrant(grant=grants.row(grant))


def get_grant(unit: Unit, args: GetGrant) -> GrantForOperator:
    """A grant of any player, for an operator. Raises `GrantNotFound`."""
    grant, player = _with_player(unit, args.grant_id)
    holder = GrantHolder(player_id=player.player_id, external_player_id=player.external_id)
    return GrantForOperator(grant=grants.row(grant), player=holder, gift_id=grant.gift_id)


def _with_player(unit: Unit, grant_id: str) -> tuple[Grant, Player]:
    """A grant and its player. Raises `GrantNotFound`, also for the grants of a player who was erased."""
    grant = unit.tx.get(GRANTS, grant_id)
    player = None if grant is None else by_id(unit, grant.player_id)
    if grant is None or player is None or player.gone:
        raise GrantNotFound.of(grant_id)
    return grant, player


def _settle(
    unit: Unit,
    player: Player,
    grant: Grant,
    acked_by: Literal["player", "server_api", "operator"],
    *,
    forced: bool = False,
) -> Grant:
    gift = _gift_of(unit, grant)
    reason = "grant_claimed" if gift is None else "gift_claimed"
    try:
        grant = grants.pay(unit, player, grant, acked_by, reason, forced=forced)
    except GrantExpired:
        if gift is None:
            raise
        raise GiftExpired from None
    if gift is not None:
        gift = unit.tx.put(GIFTS, evolve(gift, status="claimed", claimed_at=unit.now))
        _emit_claimed(unit, gift, player)
    return grant


def _gift_of(unit: Unit, grant: Grant) -> Gift | None:
    return None if grant.gift_id is None else unit.tx.get(GIFTS, grant.gift_id)


def _emit_claimed(unit: Unit, gift: Gift, recipient: Player) -> None:
    sender = by_id(unit, gift.sender_id)
    unit.emit(
        GiftClaimed(
            gift_id=gift.gift_id,
            grant_id=gift.grant_id,
            sender_player_id=sender.player_id,
            sender_external_player_id=sender.external_id,
            recipient_player_id=recipient.player_id,
            recipient_external_player_id=recipient.external_id,
            type=gift.asset_kind,
            resource_key=gift.asset_key,
            amount=gift.amount,
            claimed_at=Timestamp(unit.now),
        )
    )


# -- expiring -------------------------------------------------------------------------------------------------------------


def _has_owner(unit: Unit, gift: Gift) -> bool:
    return gift.sender_id == gift.recipient_id or by_id(unit, gift.sender_id).erased_at is None


def expire_due(unit: Unit, grant_id: str) -> None:
    """Expire a grant whose time has passed, and give a paid gift's amount back to its sender.

    If the sender's balance has no room for the amount, the sender gets it back later: the gift, which nobody can claim any
    more, waits an hour. A sender who was erased gets nothing back. But if a merge made sender and recipient one player, the
    amount is given back even then: erasing that player must not change the ledgers' sums.
    """
    grant = unit.tx.get(GRANTS, grant_id)
    if grant is None or grant.status != "pending" or not grants.is_past(grant, unit.now):
        return
    gift = _gift_of(unit, grant)
    refunded = gift is not None and gift.paid and _has_owner(unit, gift)
    if gift is not None and refunded and not _has_room(unit, gift):
        unit.schedule(grants.EXPIRE, grant_id, unit.now + HOUR)
        return
    grants.expire(unit, by_id(unit, grant.player_id), grant)
    if gift is None:
        return
    unit.tx.put(GIFTS, evolve(gift, status="expired"))
    if refunded:
        sender = by_id(unit, gift.sender_id)
        post(unit, sender, _asset_of(gift), gift.amount, reason="gift_refunded", source_ref_id=gift.gift_id)


def bring_for_ending(unit: Unit, gifts: Sequence[Gift]) -> None:
    """Read at once what ending these gifts reads of each: its grant, its due work, its players, what its sender holds."""
    both = dict.fromkeys(player_id for gift in gifts for player_id in (gift.sender_id, gift.recipient_id))
    unit.tx.read_lists(
        (Get(GRANTS, (gift.grant_id,)) for gift in gifts),
        (Get(DUE, (grants.EXPIRE, gift.grant_id)) for gift in gifts),
        (Get(PLAYERS, (player_id,)) for player_id in both),
        (Get(HOLDINGS, (gift.sender_id, gift.asset_kind, gift.asset_key)) for gift in gifts if gift.paid),
    )


def end_now(unit: Unit, gift: Gift) -> None:
    """End a pending gift as if its time were over now, with the usual expiry."""
    grant = unit.tx.get(GRANTS, gift.grant_id)
    if grant is None:
        return
    unit.tx.put(GIFTS, evolve(gift, expires_at=unit.now))
    unit.tx.put(GRANTS, evolve(grant, expires_at=unit.now))
    unit.cancel(grants.EXPIRE, grant.grant_id)
    expire_due(unit, grant.grant_id)


def can_be_given_back(unit: Unit, gift: Gift) -> bool:
    """Whether a paid gift would end now, instead of waiting until its sender has room for the amount."""
    return _has_room(unit, gift) or by_id(unit, gift.sender_id).erased_at is not None


def _asset_of(gift: Gift) -> Asset:
    return Asset(gift.asset_kind, gift.asset_key)


def _has_room(unit: Unit, gift: Gift) -> bool:
    return holding_of(unit, gift.sender_id, _asset_of(gift)) + gift.amount <= MAX_AMOUNT
