"""The parts of an export for friends, requests, blocks and gifts: only the player's own part of each.

The other player of a relation or gift is another person. An export of one player shows of the other only the service's id:
it shows which rows are about the same player, but not who that is. The export includes the messages of the gifts that the
player sent.
"""

from __future__ import annotations

from typing import Literal

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.declarations.timeline import page_of_tracks
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.social import tracks
from livecore.social.gifts import Gift
from livecore.social.relations import Relation, Standing, other_id, side_of, standing_of
from livecore.social.rows import ExportedBlock, ExportedFriend, ExportedFriendRequest, ExportedGift


def exported_friends(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Friendships, newest first."""
    rows, cursor = page_of_tracks(unit, tracks.friendships(player_id), wanted)
    shown = (ExportedFriend(player_id=other_id(row, player_id), friends_since=Timestamp(row.since)) for row in rows)
    return Exported(tuple(shown), cursor)


def exported_requests(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Open requests from and to the player, newest first."""
    rows, cursor = page_of_tracks(unit, tracks.requests(player_id), wanted)
    return Exported(tuple(_request_row(row, player_id) for row in rows), cursor)


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
    rows, cursor = page_of_tracks(unit, tracks.blocks(player_id), wanted)
    return Exported(tuple(_block_row(row, player_id) for row in rows), cursor)


def _block_row(row: Relation, player_id: PlayerId) -> ExportedBlock:
    at = row.blocked_by_low_at if row.low_id == player_id else row.blocked_by_high_at
    return ExportedBlock(player_id=other_id(row, player_id), blocked_at=Timestamp(at or 0))


def exported_gifts(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Gifts sent and received, newest first."""
    both = (*tracks.gifts_received(player_id), *tracks.gifts_sent(player_id))
    gifts, cursor = page_of_tracks(unit, both, wanted)
    return Exported(tuple(_gift_row(gift, player_id) for gift in gifts), cursor)


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
