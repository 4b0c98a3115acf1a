"""Gift boxes: the gift list, and the gifts that a player received and sent, as players and the studio's backend read them.

Reading changes nothing. A box can be read in every game that ever had gifting, even after gifting was disabled.
`livecore.social.gifts` sends gifts, `livecore.social.claims` ends them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, get_args

from livecore.economy.grants import GRANTS, Status
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, acting, present
from livecore.social.config import social_config
from livecore.social.gift_rows import GetGiftCatalog, GiftableResource, GiftCatalog, Gifts, ListGifts, ListGiftsAsServer
from livecore.social.gifts import RECEIVED, SENT, Gift, gift_row, other_of, require_ever_enabled, sent_today
from livecore.social.others import counterparties, counterparty
from livecore.social.rows import Direction

_Box: TypeAlias = Literal["received", "sent"]
_SIDES: Final[dict[_Box, Direction]] = {"received": "incoming", "sent": "outgoing"}
_PENDING: Final[tuple[Status, ...]] = ("pending",)


def catalog(unit: Unit, _: GetGiftCatalog) -> GiftCatalog:
    """The gift list, and the caller's daily limit."""
    gifting = social_config(unit).gifting
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
    return _box(unit, "received", page_by_time(args), pending_only=args.pending_only)


def sent(unit: Unit, args: ListGifts) -> Gifts:
    """Gifts that the caller sent, newest first."""
    return _box(unit, "sent", page_by_time(args), pending_only=args.pending_only)


def list_as_server(unit: Unit, args: ListGiftsAsServer) -> Gifts:
    """A player's gift history, with the statuses of the delivering grants."""
    gifts, cursor = _page(unit, args.direction, page_by_time(args), pending_only=False)
    side = _SIDES[args.direction]
    others, grants = unit.tx.read_lists(
        (Get(PLAYERS, (other_of(gift, side),)) for gift in gifts), (Get(GRANTS, (gift.grant_id,)) for gift in gifts)
    )
    rows = (
        gift_row(gift, side, counterparty(unit, present(other)), grant)
        for gift, other, grant in zip(gifts, others, grants, strict=True)
    )
    return Gifts(gifts=tuple(rows), next_cursor=cursor)


def _box(unit: Unit, box: _Box, page: PageRequest, *, pending_only: bool) -> Gifts:
    """A page of a box, as the player sees it whose box it is."""
    gifts, cursor = _page(unit, box, page, pending_only=pending_only)
    side = _SIDES[box]
    others = counterparties(unit, (other_of(gift, side) for gift in gifts))
    rows = (gift_row(gift, side, others[other_of(gift, side)]) for gift in gifts)
    return Gifts(gifts=tuple(rows), next_cursor=cursor)


def _page(unit: Unit, box: _Box, page: PageRequest, *, pending_only: bool) -> tuple[list[Gift], str | None]:
    require_ever_enabled(unit)
    found = unit.tx.scan_all(_lists(acting(unit).player_id, box, page, pending_only=pending_only))
    found.sort(key=_newest, reverse=True)
    return page_of(found, page, _newest)


def _lists(player_id: str, box: _Box, page: PageRequest, *, pending_only: bool) -> Iterator[Scan[Gift]]:
    """A whole box is combined from the lists of the three statuses. So a gift needs no index over all statuses."""
    index = RECEIVED if box == "received" else SENT
    for status in _PENDING if pending_only else get_args(Status):
        yield page.newest(index, player_id, status)


def _newest(gift: Gift) -> tuple[int, str]:
    return gift.sent_at, gift.gift_id
