"""Gift boxes: the gift list, what a player received and what they sent, as players and the studio's backend read them.

Reading changes nothing, and a box can be read in every game that ever had gifting: history outlives its being switched off.
How a gift comes about stands in `livecore.social.gifts`, how it ends in `livecore.social.claims`.
"""

from __future__ import annotations

from typing import Literal

from livecore.kernel.paging import Page, page_of, unpack
from livecore.kernel.unit import Unit
from livecore.players.player import acting
from livecore.social.gift_rows import GetGiftCatalog, GiftableResource, GiftCatalog, Gifts, ListGifts, ListGiftsAsServer
from livecore.social.gifts import RECEIVED, SENT, Gift, gift_row, require_ever_enabled, sent_today
from livecore.social.rows import Direction

__all__ = ["catalog", "inbox", "list_as_server", "sent"]


def catalog(unit: Unit, _: GetGiftCatalog) -> GiftCatalog:
    """The gift list and where the caller stands today."""
    gifting = unit.config.gifting
    resources = tuple(
        GiftableResource(
            type=resource.type, key=resource.key, max_amount=resource.max_amount, costs_sender=resource.costs_sender
        )
        for resource in gifting.resources
    )
    return GiftCatalog(
        cooldown_seconds=gifting.cooldown_seconds,
        daily_send_limit=gifting.daily_send_limit,
        sent_today=sent_today(unit, acting(unit)),
        resources=resources if gifting.enabled else (),
    )


def inbox(unit: Unit, args: ListGifts) -> Gifts:
    """Gifts that the caller received, newest first."""
    return _box(unit, "received", Page(args.limit, unpack(args.cursor, (int, str))), pending_only=args.pending_only)


def sent(unit: Unit, args: ListGifts) -> Gifts:
    """Gifts that the caller sent, newest first."""
    return _box(unit, "sent", Page(args.limit, unpack(args.cursor, (int, str))), pending_only=args.pending_only)


def list_as_server(unit: Unit, args: ListGiftsAsServer) -> Gifts:
    """A player's gift history with the delivering grants' status."""
    page = Page(args.limit, unpack(args.cursor, (int, str)))
    return _box(unit, args.direction, page, pending_only=False, with_grant=True)


def _box(
    unit: Unit, direction: Literal["received", "sent"], page: Page, *, pending_only: bool, with_grant: bool = False
) -> Gifts:
    """A page of a box; a whole one is the three statuses' lists laid together, which spares every gift two more indexes."""
    require_ever_enabled(unit)
    me = acting(unit)
    index = RECEIVED if direction == "received" else SENT
    side: Direction = "incoming" if direction == "received" else "outgoing"
    found: list[Gift] = []
    for status in ("pending",) if pending_only else ("pending", "claimed", "expired"):
        found += unit.tx.scan(index, me.player_id, status, stop=page.beyond, reverse=True, limit=page.reach)
    found.sort(key=_newest, reverse=True)
    shown, cursor = page_of(found, page, _newest)
    rows = tuple(gift_row(unit, gift, side, with_grant=with_grant) for gift in shown)
    return Gifts(gifts=rows, next_cursor=cursor)


def _newest(gift: Gift) -> tuple[int, str]:
    return gift.sent_at, gift.gift_id
