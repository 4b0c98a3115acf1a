"""The relation of two players: one row for the pair, one table for all moves.

Theory
------
A pair of players has one *friendship*: nobody asked, one of the two asked and waits, or they are friends. There are also
two *blocks*, one for each direction; with any block there is no friendship. All of this is in one row whose key is the pair
in the order of the ids, `low` and `high`. So if two players add each other at the same moment, both use the same row: the
second add finds the first one's request and turns it into a friendship.

One of the two makes a move, so the table below is written from the actor's side: `OUTGOING` means that the actor asked,
`INCOMING` that the other did. Every pair of standing and trigger has an entry; a forbidden one has a refusal. Blocks are
checked before the table: any block refuses `ADD`. No other trigger can occur under a block, because blocking has already
ended the friendship (specification 3.1).

    NONE ──add──▶ OUTGOING ┄┄(seen from the other side)┄┄ INCOMING ──accept, add──▶ FRIENDS
      ▲──────────cancel──────┘                                 │                       │
      ▲──────────────────────decline───────────────────────────┘                       │
      ▲──────────────────────────────────remove────────────────────────────────────────┘
      ▲── block, from anywhere

The row also holds when each of the two last sent the other a gift. A gift cooldown belongs to the directed pair and must
survive the end of the friendship, so it is stored here.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias

import attrs

from livecore.kernel.errors import NotFound, Refusal
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import SECOND, Millis
from livecore.kernel.values import keyword_value as record
from livecore.social.refusals import AlreadyFriends, FriendNotFound, FriendRequestNotFound, PlayerBlocked

Side: TypeAlias = Literal["low", "high"]
Friendship: TypeAlias = Literal["none", "asked_by_low", "asked_by_high", "friends"]


@record
class Relation:
    """The relation of the players `low_id` and `high_id`; `since` is when the friendship last changed."""

    low_id: PlayerId
    high_id: PlayerId
    friendship: Friendship = "none"
    since: Millis = 0
    request_id: str | None = None
    accepted_by: Side | None = None
    blocked_by_low_at: Millis | None = None
    blocked_by_high_at: Millis | None = None
    gifted_by_low_at: Millis | None = None
    gifted_by_high_at: Millis | None = None


RELATIONS = Table(
    "relations",
    Relation,
    key=("low_id", "high_id"),
    players={
        "low_id": PlayerColumn(Merge.FOLD, Erase.DELETE),
        "high_id": PlayerColumn(Merge.FOLD, Erase.DELETE),
    },
    export=("friends", "friendRequests", "blocks"),
)
BY_REQUEST = RELATIONS.unique("request_id")
OF_LOW = RELATIONS.index("of_low", prefix=("low_id", "friendship"), order=("since",))
OF_HIGH = RELATIONS.index("of_high", prefix=("high_id", "friendship"), order=("since",))
BLOCKS_OF_LOW = RELATIONS.index("blocks_of_low", prefix=("low_id",), order=("blocked_by_low_at",))
BLOCKS_OF_HIGH = RELATIONS.index("blocks_of_high", prefix=("high_id",), order=("blocked_by_high_at",))


# -- the state machine ----------------------------------------------------------------------------------------------------


class Standing(Enum):
    """The state of the friendship from one player's side."""

    NONE = "none"
    OUTGOING = "outgoing"
    INCOMING = "incoming"
    FRIENDS = "friends"


class Trigger(Enum):
    """An action of one of the two players."""

    ADD = "add"
    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"
    REMOVE = "remove"
    BLOCK = "block"


class Effect(Enum):
    """What a move does besides the new standing."""

    NOTHING = "nothing"
    ASKED = "asked"
    REPEATED = "repeated"
    BEFRIENDED = "befriended"
    ENDED_REQUEST = "ended_request"
    ENDED_FRIENDSHIP = "ended_friendship"


@attrs.frozen
class Move:
    """A permitted move: the standing after it, and its effect."""

    to: Standing
    effect: Effect


_S, _T, _E = Standing, Trigger, Effect

MOVES: Final[dict[tuple[Standing, Trigger], Move | type[Refusal]]] = {
    (_S.NONE, _T.ADD): Move(_S.OUTGOING, _E.ASKED),
    (_S.NONE, _T.ACCEPT): FriendRequestNotFound,
    (_S.NONE, _T.DECLINE): FriendRequestNotFound,
    (_S.NONE, _T.CANCEL): FriendRequestNotFound,
    (_S.NONE, _T.REMOVE): FriendNotFound,
    (_S.NONE, _T.BLOCK): Move(_S.NONE, _E.NOTHING),
    (_S.OUTGOING, _T.ADD): Move(_S.OUTGOING, _E.REPEATED),
    (_S.OUTGOING, _T.ACCEPT): FriendRequestNotFound,
    (_S.OUTGOING, _T.DECLINE): FriendRequestNotFound,
    (_S.OUTGOING, _T.CANCEL): Move(_S.NONE, _E.ENDED_REQUEST),
    (_S.OUTGOING, _T.REMOVE): FriendNotFound,
    (_S.OUTGOING, _T.BLOCK): Move(_S.NONE, _E.ENDED_REQUEST),
    (_S.INCOMING, _T.ADD): Move(_S.FRIENDS, _E.BEFRIENDED),
    (_S.INCOMING, _T.ACCEPT): Move(_S.FRIENDS, _E.BEFRIENDED),
    (_S.INCOMING, _T.DECLINE): Move(_S.NONE, _E.ENDED_REQUEST),
    (_S.INCOMING, _T.CANCEL): FriendRequestNotFound,
    (_S.INCOMING, _T.REMOVE): FriendNotFound,
    (_S.INCOMING, _T.BLOCK): Move(_S.NONE, _E.ENDED_REQUEST),
    (_S.FRIENDS, _T.ADD): AlreadyFriends,
    (_S.FRIENDS, _T.ACCEPT): FriendRequestNotFound,
    (_S.FRIENDS, _T.DECLINE): FriendRequestNotFound,
    (_S.FRIENDS, _T.CANCEL): FriendRequestNotFound,
    (_S.FRIENDS, _T.REMOVE): Move(_S.NONE, _E.ENDED_FRIENDSHIP),
    (_S.FRIENDS, _T.BLOCK): Move(_S.NONE, _E.ENDED_FRIENDSHIP),
}
"""Every standing and trigger. A repeated accept is answered before the table is used."""


def move_of(relation: Relation, side: Side, trigger: Trigger, asked: str | None = None) -> Move:
    """The move that `trigger` makes from the actor's standing. Raises the table's refusal, or `PlayerBlocked`.

    `asked` is the request or the player that the caller has named: what is not found is named by it,
    whether or not it exists.
    """
    if trigger is Trigger.ADD and is_blocked(relation):
        raise PlayerBlocked
    outcome = MOVES[standing_of(relation, side), trigger]
    if not isinstance(outcome, Move):
        raise outcome if asked is None or not issubclass(outcome, NotFound) else outcome.of(asked)
    return outcome


# -- sides ----------------------------------------------------------------------------------------------------------------


def pair(one: str, other: str) -> tuple[PlayerId, PlayerId]:
    """The key of the pair: both ids in order."""
    return (PlayerId(one), PlayerId(other)) if one < other else (PlayerId(other), PlayerId(one))


def side_of(relation: Relation, player_id: str) -> Side:
    """The player's side of the pair."""
    return "low" if relation.low_id == player_id else "high"


def other_id(relation: Relation, player_id: str) -> PlayerId:
    """The id of the other player of the pair."""
    return relation.high_id if relation.low_id == player_id else relation.low_id


def standing_of(relation: Relation, side: Side) -> Standing:
    """The friendship from one side."""
    if relation.friendship == "none":
        return Standing.NONE
    if relation.friendship == "friends":
        return Standing.FRIENDS
    return Standing.OUTGOING if relation.friendship == asked_by(side) else Standing.INCOMING


def asked_by(side: Side) -> Literal["asked_by_low", "asked_by_high"]:
    """The value of `friendship` after this side has asked."""
    return "asked_by_low" if side == "low" else "asked_by_high"


def is_blocked(relation: Relation) -> bool:
    """Whether either of the two has blocked the other."""
    return relation.blocked_by_low_at is not None or relation.blocked_by_high_at is not None


def blocked_at(relation: Relation, side: Side) -> Millis | None:
    """When this side blocked the other."""
    return relation.blocked_by_low_at if side == "low" else relation.blocked_by_high_at


def with_block(relation: Relation, side: Side, at: Millis | None) -> Relation:
    """The row with this side's block set or lifted."""
    return evolve(relation, blocked_by_low_at=at) if side == "low" else evolve(relation, blocked_by_high_at=at)


def gifted_at(relation: Relation, side: Side) -> Millis | None:
    """When this side last gifted the other."""
    return relation.gifted_by_low_at if side == "low" else relation.gifted_by_high_at


def cooldown_until(relation: Relation, side: Side, seconds: int) -> Millis | None:
    """The end of this side's gift cooldown; `None` where it has sent no gift, or there is no cooldown."""
    last = gifted_at(relation, side)
    return None if last is None or not seconds else last + seconds * SECOND


def with_gift(relation: Relation, side: Side, at: Millis) -> Relation:
    """The row after this side has gifted the other."""
    return evolve(relation, gifted_by_low_at=at) if side == "low" else evolve(relation, gifted_by_high_at=at)


def after(relation: Relation, side: Side, move: Move, now: Millis, request_id: str | None = None) -> Relation:
    """The row after a move of this side; a new request brings its id."""
    if move.to is Standing.OUTGOING:
        if move.effect is Effect.REPEATED:
            return relation
        return evolve(relation, friendship=asked_by(side), since=now, request_id=request_id, accepted_by=None)
    if move.to is Standing.FRIENDS:
        return evolve(relation, friendship="friends", since=now, accepted_by=side)
    if move.effect is Effect.NOTHING:
        return relation
    return evolve(relation, friendship="none", since=now, request_id=None, accepted_by=None)
