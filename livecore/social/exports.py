"""The parts of an export for friends, requests, blocks and gifts: only the player's own part of each.

The other player of a relation or gift is another person. An export of one player shows of the other only the service's id:
it shows which rows are about the same player, but not who that is. The export includes the messages of the gifts that the
player sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from livecore.economy.grants import Status
from livecore.kernel.paging import Page, page_by_time, page_of
from livecore.kernel.player_lifecycle import Exported, Slice
from livecore.kernel.reads import Scan
from livecore.kernel.records import PlayerId
from livecore.kernel.shapes import Timestamp
from livecore.kernel.time import stamp
from livecore.kernel.unit import Unit
from livecore.players.player import by_id
from livecore.social import graph
from livecore.social.gifts import RECEIVED, SENT, Gift
from livecore.social.relations import OF_HIGH, OF_LOW, Relation, Standing, asked_by, other_id, side_of, standing_of
from livecore.social.rows import ExportedBlock, ExportedFriend, ExportedFriendRequest, ExportedGift

__all__ = ["exported_blocks", "exported_friends", "exported_gifts", "exported_requests"]


def exported_friends(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Friendships, newest first."""
    rows, cursor = graph.friends(unit, by_id(unit, player_id), page_by_time(wanted))
    shown = (ExportedFriend(player_id=other_id(row, player_id), friends_since=Timestamp(row.since)) for row in rows)
    return Exported(tuple(shown), cursor)


def exported_requests(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Open requests from and to the player, newest first."""
    page = page_by_time(wanted)
    found = unit.tx.scan_all(_requests(player_id, page))
    found.sort(key=lambda row: (row.since, other_id(row, player_id)), reverse=True)
    rows, cursor = page_of(found, page, lambda row: (row.since, other_id(row, player_id)))
    return Exported(tuple(_request_row(row, player_id) for row in rows), cursor)


def _requests(player_id: PlayerId, page: Page) -> Iterator[Scan[Relation]]:
    for asker in (asked_by("low"), asked_by("high")):
        for index in (OF_LOW, OF_HIGH):
            yield page.newest(index, player_id, asker)


def _request_row(row: Relation, player_id: PlayerId) -> ExportedFriendRequest:
    outgoing = standing_of(row, side_of(row, player_id)) is Standing.OUTGOING
    return ExportedFriendRequest(
        request_id=row.request_id or "",
        direction="outgoing" if outgoing else "incoming",
        player_id=other_id(row, player_id),
        created_at=Timestamp(row.since),
    )


def exported_blocks(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Blocks that the player set, newest first."""
    rows, cursor = graph.blocks(unit, by_id(unit, player_id), page_by_time(wanted))
    shown = (ExportedBlock(player_id=other_id(row, player_id), blocked_at=Timestamp(at)) for row, at in rows)
    return Exported(tuple(shown), cursor)


def exported_gifts(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Gifts sent and received, newest first."""
    page = page_by_time(wanted)
    # After a merge, sender and recipient may be the same player.
    found = {gift.gift_id: gift for gift in unit.tx.scan_all(_gifts(player_id, page))}
    newest = sorted(found.values(), key=lambda gift: (gift.sent_at, gift.gift_id), reverse=True)
    shown, cursor = page_of(newest, page, lambda gift: (gift.sent_at, gift.gift_id))
    return Exported(tuple(_gift_row(gift, player_id) for gift in shown), cursor)


def _gifts(player_id: PlayerId, page: Page) -> Iterator[Scan[Gift]]:
    for index in (RECEIVED, SENT):
        for status in get_args(Status):
            yield page.newest(index, player_id, status)


def _gift_row(gift: Gift, player_id: PlayerId) -> ExportedGift:
    direction: Literal["incoming", "outgoing"] = "incoming" if gift.recipient_id == player_id else "outgoing"
    sent = gift.sender_id == player_id
    return ExportedGift(
        gift_id=gift.gift_id,
        grant_id=gift.grant_id,
        direction=direction,
        player_id=gift.recipient_id if direction == "outgoing" else gift.sender_id,
        type=gift.asset_kind,
        resource_key=gift.asset_key,
        amount=gift.amount,
        message=gift.message if sent else None,
        status=gift.status,
        sent_at=Timestamp(gift.sent_at),
        claimed_at=stamp(gift.claimed_at),
        expires_at=stamp(gift.expires_at),
    )
