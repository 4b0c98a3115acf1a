"""What a player's timeline shows of others: gifts both ways, friendships, open requests, and the player's own blocks.

The other player is named by the studio's id. Messages are left out, because they are somebody's own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, get_args

from livecore.economy.grants import Status
from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Get
from livecore.kernel.timeline import TimelineSource, Track, moment
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.social.gifts import RECEIVED, SENT, Gift
from livecore.social.relations import (
    BLOCKS_OF_HIGH,
    BLOCKS_OF_LOW,
    OF_HIGH,
    OF_LOW,
    Relation,
    Standing,
    asked_by,
    other_id,
    side_of,
    standing_of,
)

__all__ = ["SOURCES"]


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


def _other(relation: Relation, player_id: str) -> Iterable[Get[Player]]:
    return [Get(PLAYERS, (other_id(relation, player_id),))]


def _with(_: Unit, __: Relation, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    return {"externalPlayerId": other.external_id}


def _request(_: Unit, relation: Relation, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    other_asks = standing_of(relation, side_of(relation, other.player_id)) is Standing.OUTGOING
    direction = "incoming" if other_asks else "outgoing"
    return {"direction": direction, "requestId": relation.request_id, "externalPlayerId": other.external_id}


def _requests(player_id: str) -> Iterator[Track[Relation]]:
    for asker in (asked_by("low"), asked_by("high")):
        for index in (OF_LOW, OF_HIGH):
            yield Track(index, (player_id, asker))


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="gift_sent",
        about="The player sent a gift.",
        thing="gift",
        covers=("gifts",),
        tracks=lambda player_id: [Track(SENT, (player_id, status)) for status in get_args(Status)],
        further=lambda gift, _: [Get(PLAYERS, (gift.recipient_id,))],
        show=_gift,
    ),
    TimelineSource(
        kind="gift_received",
        about="The player was sent a gift.",
        thing="gift",
        covers=("gifts",),
        tracks=lambda player_id: [Track(RECEIVED, (player_id, status)) for status in get_args(Status)],
        further=lambda gift, _: [Get(PLAYERS, (gift.sender_id,))],
        show=_gift,
    ),
    TimelineSource(
        kind="friendship",
        about="A friendship that there is now began.",
        thing="player",
        covers=("friends",),
        tracks=lambda player_id: [Track(index, (player_id, "friends")) for index in (OF_LOW, OF_HIGH)],
        further=_other,
        show=_with,
    ),
    TimelineSource(
        kind="friend_request",
        about="A friend request that is still open was made.",
        thing="player",
        covers=("friendRequests",),
        tracks=_requests,
        further=_other,
        show=_request,
    ),
    TimelineSource(
        kind="block",
        about="The player blocked somebody.",
        thing="player",
        covers=("blocks",),
        tracks=lambda player_id: [Track(index, (player_id,)) for index in (BLOCKS_OF_LOW, BLOCKS_OF_HIGH)],
        further=_other,
        show=_with,
    ),
)
