"""What a player's timeline shows of others: gifts both ways, friendships, open requests, and the player's own blocks.

The other player is named by the studio's id. Messages are left out, because they are somebody's own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from livecore.kernel.declarations.timeline import TimelineSource, moment
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.social import tracks
from livecore.social.gifts import Gift
from livecore.social.relations import (
    Relation,
    Standing,
    other_id,
    side_of,
    standing_of,
)


def _gift(_: Unit, gift: Gift, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    return {
        "externalPlayerId": other.external_id,
        "type": gift.asset_kind,
        "resourceKey": gift.asset_key,
        "amount": gift.amount,
        "deductedFromSender": gift.paid,
        "status": gift.status,
        "grantId": gift.grant_id,
        "claimedAt": moment(gift.claimed_at),
        "expiresAt": moment(gift.expires_at),
    }


def _other(_unit: Unit, relation: Relation, player_id: str) -> Iterable[Get[Player]]:
    return [Get(PLAYERS, (other_id(relation, player_id),))]


def _with(_: Unit, __: Relation, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    return {"externalPlayerId": other.external_id}


def _request(_: Unit, relation: Relation, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    other_asks = standing_of(relation, side_of(relation, other.player_id)) is Standing.OUTGOING
    direction = "incoming" if other_asks else "outgoing"
    return {"direction": direction, "requestId": relation.request_id, "externalPlayerId": other.external_id}


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="gift_sent",
        about="The player sent a gift.",
        thing="gift",
        covers=("gifts",),
        tracks=tracks.gifts_sent,
        further=lambda _, gift, __: [Get(PLAYERS, (gift.recipient_id,))],
        show=_gift,
    ),
    TimelineSource(
        kind="gift_received",
        about="The player was sent a gift.",
        thing="gift",
        covers=("gifts",),
        tracks=tracks.gifts_received,
        further=lambda _, gift, __: [Get(PLAYERS, (gift.sender_id,))],
        show=_gift,
    ),
    TimelineSource(
        kind="friendship",
        about="A friendship that there is now began.",
        thing="player",
        covers=("friends",),
        tracks=tracks.friendships,
        further=_other,
        show=_with,
    ),
    TimelineSource(
        kind="friend_request",
        about="A friend request that is still open was made.",
        thing="player",
        covers=("friendRequests",),
        tracks=tracks.requests,
        further=_other,
        show=_request,
    ),
    TimelineSource(
        kind="block",
        about="The player blocked somebody.",
        thing="player",
        covers=("blocks",),
        tracks=tracks.blocks,
        further=_other,
        show=_with,
    ),
)
