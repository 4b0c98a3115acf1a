"""Friends: ask, accept, decline, cancel, remove; the lists of friends and requests.

The table in `relations` holds the permitted transitions. This file loads the pair, looks up the transition, checks the
game's limits, stores the pair and emits the event (specification 3.1 and 4.1).
"""

from __future__ import annotations

from livecore.kernel.storage.paging import page_by_time
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players.identity import display
from livecore.players.player import Player, acting, by_id, find
from livecore.social.codes import code_of
from livecore.social.config import social_config
from livecore.social.graph import (
    friend_counts,
    friends,
    outgoing_count,
    relation_between,
    target_of,
)
from livecore.social.open_requests import open_requests, request_page
from livecore.social.others import check_progression, counterparty, others_by_id, progression_row
from livecore.social.refusals import (
    CannotFriendSelf,
    FriendLimitReached,
    FriendNotFound,
    FriendRequestNotFound,
    RequestLimitReached,
)
from livecore.social.relations import (
    BY_REQUEST,
    RELATIONS,
    Effect,
    Relation,
    Side,
    Standing,
    Trigger,
    after,
    cooldown_until,
    move_of,
    other_id,
    side_of,
    standing_of,
)
from livecore.social.request_cap import count_request
from livecore.social.rows import (
    Direction,
    FriendAdded,
    FriendRemoved,
    FriendRequestEnded,
    FriendRequestRow,
    FriendRequests,
    FriendRow,
    Friends,
    GetCode,
    ListFriends,
    ListRequests,
    OfRequest,
    OwnCode,
    RemoveFriend,
    RequestSent,
    SendRequest,
)
from livecore.social.sight import identity_shown, presence_shown
from livecore.social.webhook_events import (
    FriendRemoved as FriendRemovedEvent,
)
from livecore.social.webhook_events import (
    FriendRequestAccepted,
    FriendRequestSent,
)

# -- rows -----------------------------------------------------------------------------------------------------------------


def _friend_row(
    unit: Unit, relation: Relation, me: Player, other: Player, keys: tuple[str, ...] | Absent = ABSENT
) -> FriendRow:
    """The friendship with `other` as `me` sees it."""
    friend = relation.friendship == "friends"
    presence = presence_shown(unit, other, friend=friend)
    until = cooldown_until(relation, side_of(relation, me.player_id), social_config(unit).gifting.cooldown_seconds)
    return FriendRow(
        external_player_id=other.external_id,
        display_identity=identity_shown(unit, other, friend=friend),
        friends_since=Timestamp(relation.since),
        online=presence.online,
        last_active_at=presence.last_active_at,
        status=presence.status,
        gift_cooldown_until=Timestamp(until) if until is not None and unit.now < until else ABSENT,
        progression=progression_row(unit, other, keys, friend=friend),
    )


def request_row(
    unit: Unit, relation: Relation, other: Player, direction: Direction, keys: tuple[str, ...] | Absent = ABSENT
) -> FriendRequestRow:
    """An open request as the one sees it who has sent it to the other, or received it from them."""
    return FriendRequestRow(
        request_id=relation.request_id or "",
        direction=direction,
        player=counterparty(unit, other, friend=False),
        created_at=Timestamp(relation.since),
        progression=progression_row(unit, other, keys, friend=False),
    )


# -- asking ---------------------------------------------------------------------------------------------------------------


def send_request(unit: Unit, args: SendRequest) -> tuple[bool, RequestSent]:
    """Ask a player to be friends; returns whether a new request was made.

    Refusals, in order: the target's shape, oneself, an unknown target, a block, friends already, the limits, too many from
    the caller's address.
    """
    me = acting(unit)
    target = target_of(unit, me, args.friend_code, args.external_player_id, CannotFriendSelf)
    relation = relation_between(unit, me, target)
    side = side_of(relation, me.player_id)
    move = move_of(relation, side, Trigger.ADD)
    if move.effect is Effect.REPEATED:
        return False, RequestSent(status="pending", request=request_row(unit, relation, target, "outgoing"))
    if move.effect is Effect.BEFRIENDED:
        return False, RequestSent(status="accepted", friend=_befriend(unit, relation, side, me, target, Trigger.ADD))
    _check_room(unit, me)
    if outgoing_count(unit, me) >= social_config(unit).social.max_outgoing_requests:
        raise RequestLimitReached(limit=social_config(unit).social.max_outgoing_requests)
    count_request(unit, me, target)
    relation = unit.tx.put(RELATIONS, after(relation, side, move, unit.now, unit.new_id("frq")))
    unit.emit(
        FriendRequestSent(
            requester_player_id=me.player_id,
            requester_external_player_id=me.external_id,
            target_player_id=target.player_id,
            target_external_player_id=target.external_id,
            request_id=relation.request_id or "",
            created_at=Timestamp(unit.now),
        )
    )
    return True, RequestSent(status="pending", request=request_row(unit, relation, target, "outgoing"))


def _check_room(unit: Unit, *players: Player) -> None:
    limit = social_config(unit).social.max_friends
    if any(count >= limit for count in friend_counts(unit, players)):
        raise FriendLimitReached(limit=limit)


def _befriend(unit: Unit, relation: Relation, side: Side, me: Player, other: Player, trigger: Trigger) -> FriendRow:
    move = move_of(relation, side, trigger)
    _check_room(unit, me, other)
    relation = unit.tx.put(RELATIONS, after(relation, side, move, unit.now))
    unit.emit(
        FriendRequestAccepted(
            request_id=relation.request_id or "",
            player_id=me.player_id,
            external_player_id=me.external_id,
            friend_player_id=other.player_id,
            friend_external_player_id=other.external_id,
            reciprocal=trigger is Trigger.ADD,
            friends_since=Timestamp(unit.now),
        )
    )
    return _friend_row(unit, relation, me, other)


# -- answering ------------------------------------------------------------------------------------------------------------


def _request(unit: Unit, me: Player, request_id: str) -> tuple[Relation, Side]:
    relation = unit.tx.find(BY_REQUEST, request_id)
    if relation is None or me.player_id not in (relation.low_id, relation.high_id):
        raise FriendRequestNotFound.of(request_id)
    return relation, side_of(relation, me.player_id)


def accept_request(unit: Unit, args: OfRequest) -> FriendAdded:
    """Accept a request. Accepting it again changes nothing and returns the same friend."""
    me = acting(unit)
    relation, side = _request(unit, me, args.request_id)
    other = by_id(unit, other_id(relation, me.player_id))
    if standing_of(relation, side) is Standing.FRIENDS and relation.accepted_by == side:
        return FriendAdded(friend=_friend_row(unit, relation, me, other))
    move_of(relation, side, Trigger.ACCEPT, args.request_id)
    return FriendAdded(friend=_befriend(unit, relation, side, me, other, Trigger.ACCEPT))


def decline_request(unit: Unit, args: OfRequest) -> FriendRequestEnded:
    """Decline an incoming request; no event is emitted."""
    return _end_request(unit, args.request_id, Trigger.DECLINE, "incoming")


def cancel_request(unit: Unit, args: OfRequest) -> FriendRequestEnded:
    """Cancel an outgoing request; no event is emitted."""
    return _end_request(unit, args.request_id, Trigger.CANCEL, "outgoing")


def _end_request(unit: Unit, request_id: str, trigger: Trigger, direction: Direction) -> FriendRequestEnded:
    me = acting(unit)
    relation, side = _request(unit, me, request_id)
    move = move_of(relation, side, trigger, request_id)
    row = request_row(unit, relation, by_id(unit, other_id(relation, me.player_id)), direction)
    unit.tx.put(RELATIONS, after(relation, side, move, unit.now))
    return FriendRequestEnded(request=row)


def remove(unit: Unit, args: RemoveFriend) -> FriendRemoved:
    """End a friendship. Raises `FriendNotFound` where there is none, also for an unknown player."""
    me = acting(unit)
    other = find(unit, args.friend_external_id)
    if other is None or other.player_id == me.player_id:
        raise FriendNotFound.of(args.friend_external_id)
    relation = relation_between(unit, me, other)
    side = side_of(relation, me.player_id)
    move = move_of(relation, side, Trigger.REMOVE, args.friend_external_id)
    unit.tx.put(RELATIONS, after(relation, side, move, unit.now))
    tell_removed(unit, me, other, "removed")
    return FriendRemoved(removed=True)


def tell_removed(unit: Unit, me: Player, other: Player, reason: str) -> None:
    """Emit the event that `me` ended the friendship."""
    unit.emit(
        FriendRemovedEvent(
            player_id=me.player_id,
            external_player_id=me.external_id,
            friend_player_id=other.player_id,
            friend_external_player_id=other.external_id,
            reason="blocked" if reason == "blocked" else "removed",
            removed_at=Timestamp(unit.now),
        )
    )


# -- reading --------------------------------------------------------------------------------------------------------------


def get_code(unit: Unit, args: GetCode) -> OwnCode:
    """The caller's friend code, which is made at the first call."""
    keys = check_progression(unit, args.progression)
    me = code_of(unit, acting(unit))
    return OwnCode(
        friend_code=me.friend_code or "",
        display_identity=display(me),
        progression=progression_row(unit, me, keys, own=True),
    )


def list_friends(unit: Unit, args: ListFriends) -> Friends:
    """The player's friends, newest first, with presence."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    relations, cursor = friends(unit, me, page_by_time(args))
    ids = [other_id(relation, me.player_id) for relation in relations]
    others = others_by_id(unit, ids, keys)
    rows = (_friend_row(unit, row, me, others[other], keys) for row, other in zip(relations, ids, strict=True))
    return Friends(friends=tuple(rows), next_cursor=cursor)


def list_requests(unit: Unit, args: ListRequests) -> FriendRequests:
    """A page of the player's open requests, in both directions or in one. Raises `ValidationFailed`."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    found = open_requests(unit, me, request_page(args))
    asked = [*found.incoming, *found.outgoing]
    others = others_by_id(unit, (other_id(relation, me.player_id) for relation in asked), keys)

    def rows(relations: list[Relation], direction: Direction) -> tuple[FriendRequestRow, ...]:
        pairs = ((relation, others[other_id(relation, me.player_id)]) for relation in relations)
        return tuple(request_row(unit, relation, other, direction, keys) for relation, other in pairs)

    return FriendRequests(
        incoming=rows(found.incoming, "incoming"),
        outgoing=rows(found.outgoing, "outgoing"),
        next_cursor=found.next_cursor,
    )
