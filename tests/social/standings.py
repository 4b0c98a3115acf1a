"""The state machine of friendship, written by hand from the specification (3.1) and the contract's traps.

A pair of players is in one of the standings below, seen from the one who acts; each standing can be reached in a world. The
table says for every standing and trigger what is answered, which standing follows, and what is emitted, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from livecore import World
from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, http, world

Outcome = tuple[int, str | None, str, tuple[str, ...]]
"""Status, error code, standing after it, kinds emitted."""

STANDINGS: Final = (
    "none", "outgoing", "incoming", "friends_accepted_by_me", "friends_accepted_by_other", "friends_by_my_add",
    "friends_by_their_add", "blocked_by_me", "blocked_by_other", "blocked_by_both",
)  # fmt: skip
TRIGGERS: Final = ("add", "accept", "decline", "cancel", "remove", "block", "unblock")

_ASKED: Final = ("friend.request_sent",)
_ACCEPTED: Final = ("friend.request_accepted",)
_REMOVED: Final = ("friend.removed",)
_NO_REQUEST: Final = (404, "friend_request_not_found")
_NO_FRIEND: Final = (404, "friend_not_found")
_NO_BLOCK: Final = (404, "block_not_found")


def _refused(refusal: tuple[int, str], standing: str) -> Outcome:
    return (*refusal, standing, ())


def _strangers(standing: str, add: Outcome, block: Outcome, unblock: Outcome) -> dict[str, Outcome]:
    """A standing without request and friendship: accepting, declining, cancelling and removing find nothing."""
    nothing = {name: _refused(_NO_REQUEST, standing) for name in ("accept", "decline", "cancel")}
    return {"add": add, **nothing, "remove": _refused(_NO_FRIEND, standing), "block": block, "unblock": unblock}


def _friends(standing: str, *, accepted_by_me: bool) -> dict[str, Outcome]:
    again: Outcome = (200, None, standing, ()) if accepted_by_me else _refused(_NO_REQUEST, standing)
    return {
        "add": _refused((409, "already_friends"), standing),
        "accept": again,
        "decline": _refused(_NO_REQUEST, standing),
        "cancel": _refused(_NO_REQUEST, standing),
        "remove": (200, None, "none", _REMOVED),
        "block": (201, None, "blocked_by_me", _REMOVED),
        "unblock": _refused(_NO_BLOCK, standing),
    }


_BLOCKED: Final = (403, "player_blocked")

OUTCOMES: Final[dict[str, dict[str, Outcome]]] = {
    "none": _strangers(
        "none", (201, None, "outgoing", _ASKED), (201, None, "blocked_by_me", ()), _refused(_NO_BLOCK, "none")
    ),
    "outgoing": {
        "add": (200, None, "outgoing", ()),
        "accept": _refused(_NO_REQUEST, "outgoing"),
        "decline": _refused(_NO_REQUEST, "outgoing"),
        "cancel": (200, None, "none", ()),
        "remove": _refused(_NO_FRIEND, "outgoing"),
        "block": (201, None, "blocked_by_me", ()),
        "unblock": _refused(_NO_BLOCK, "outgoing"),
    },
    "incoming": {
        "add": (200, None, "friends_by_my_add", _ACCEPTED),
        "accept": (200, None, "friends_accepted_by_me", _ACCEPTED),
        "decline": (200, None, "none", ()),
        "cancel": _refused(_NO_REQUEST, "incoming"),
        "remove": _refused(_NO_FRIEND, "incoming"),
        "block": (201, None, "blocked_by_me", ()),
        "unblock": _refused(_NO_BLOCK, "incoming"),
    },
    "friends_accepted_by_me": _friends("friends_accepted_by_me", accepted_by_me=True),
    "friends_accepted_by_other": _friends("friends_accepted_by_other", accepted_by_me=False),
    # An add that meets the other's request is an acceptance, so its author may also accept again.
    "friends_by_my_add": _friends("friends_by_my_add", accepted_by_me=True),
    "friends_by_their_add": _friends("friends_by_their_add", accepted_by_me=False),
    "blocked_by_me": _strangers(
        "blocked_by_me",
        _refused(_BLOCKED, "blocked_by_me"),
        (200, None, "blocked_by_me", ()),
        (200, None, "none", ()),
    ),
    "blocked_by_other": _strangers(
        "blocked_by_other",
        _refused(_BLOCKED, "blocked_by_other"),
        (201, None, "blocked_by_both", ()),
        _refused(_NO_BLOCK, "blocked_by_other"),
    ),
    "blocked_by_both": _strangers(
        "blocked_by_both",
        _refused(_BLOCKED, "blocked_by_both"),
        (200, None, "blocked_by_both", ()),
        (200, None, "blocked_by_other", ()),
    ),
}


# -- reaching a standing --------------------------------------------------------------------------------------------------


def _asks(one: WorldPlayer, other: WorldPlayer) -> str:
    return ask(one, "friends.sendRequest", external_player_id=other.external_id).text("request.requestId")


def _asks_and_accepts(one: WorldPlayer, other: WorldPlayer) -> str:
    request_id = _asks(one, other)
    ask(other, "friends.acceptRequest", request_id=request_id)
    return request_id


def _asks_and_adds(one: WorldPlayer, other: WorldPlayer) -> str:
    request_id = _asks(one, other)
    ask(other, "friends.sendRequest", external_player_id=one.external_id)
    return request_id


def _blocks(one: WorldPlayer, other: WorldPlayer) -> str:
    request_id = _asks(one, other)
    ask(one, "friends.block", external_player_id=other.external_id)
    return request_id


def _both_block(one: WorldPlayer, other: WorldPlayer) -> str:
    request_id = _blocks(one, other)
    ask(other, "friends.block", external_player_id=one.external_id)
    return request_id


def _ended(one: WorldPlayer, other: WorldPlayer) -> str:
    request_id = _asks(one, other)
    ask(one, "friends.cancelRequest", request_id=request_id)
    return request_id


_ROADS: Final[dict[str, tuple[Callable[[WorldPlayer, WorldPlayer], str], bool]]] = {
    "none": (_ended, True),
    "outgoing": (_asks, True),
    "incoming": (_asks, False),
    "friends_accepted_by_me": (_asks_and_accepts, False),
    "friends_accepted_by_other": (_asks_and_accepts, True),
    "friends_by_my_add": (_asks_and_adds, False),
    "friends_by_their_add": (_asks_and_adds, True),
    "blocked_by_me": (_blocks, True),
    "blocked_by_other": (_blocks, False),
    "blocked_by_both": (_both_block, True),
}
"""How to get there, and whether it is the actor who goes first."""


def arrange(standing: str, *, first: str = "anna") -> tuple[WorldPlayer, WorldPlayer, str]:
    """The actor and the other, in this standing, and the id of the request that there is or was.

    `first` is who registers first, and so has the smaller id: the pair's row knows a low and a high side.
    """
    game: World = world()
    players = {name: game.player(name) for name in sorted(("anna", "bert"), key=lambda name: name != first)}
    actor, other = players["anna"], players["bert"]
    road, mine = _ROADS[standing]
    game.advance(minutes=1)
    request_id = road(actor, other) if mine else road(other, actor)
    game.advance(minutes=1)
    return actor, other, request_id


# -- acting and looking ---------------------------------------------------------------------------------------------------


def trigger(name: str, actor: WorldPlayer, other: WorldPlayer, request_id: str) -> Reply:
    """The actor does it."""
    base = f"/sdk/v1/players/{actor.external_id}/friends"
    if name == "add":
        return http(actor, "POST", f"{base}/requests", {"externalPlayerId": other.external_id})
    if name in {"accept", "decline", "cancel"}:
        return http(actor, "POST", f"{base}/requests/{request_id}/{name}")
    if name == "remove":
        return http(actor, "DELETE", f"{base}/{other.external_id}")
    if name == "block":
        return http(actor, "POST", f"{base}/blocks", {"externalPlayerId": other.external_id})
    return http(actor, "DELETE", f"{base}/blocks/{other.external_id}")


def _names(reply: Reply, path: str) -> set[str]:
    return {str(row.get("externalPlayerId")) for row in reply.list(path)}


def _requests(reply: Reply, path: str) -> set[str]:
    return {str(row["player"]["externalPlayerId"]) for row in reply.list(path) if isinstance(row["player"], dict)}


def standing_of(actor: WorldPlayer, other: WorldPlayer) -> str:
    """The standing as the lists of both show it; both must show the same."""
    mine, theirs = ask(actor, "friends.listRequests"), ask(other, "friends.listRequests")
    outgoing = other.external_id in _requests(mine, "outgoing")
    incoming = other.external_id in _requests(mine, "incoming")
    assert outgoing == (actor.external_id in _requests(theirs, "incoming"))
    assert incoming == (actor.external_id in _requests(theirs, "outgoing"))
    friends = other.external_id in _names(ask(actor, "friends.list"), "friends")
    assert friends == (actor.external_id in _names(ask(other, "friends.list"), "friends"))
    blocked = other.external_id in _names(ask(actor, "friends.listBlocks"), "blocks")
    blocking = actor.external_id in _names(ask(other, "friends.listBlocks"), "blocks")
    found = [
        name
        for name, holds in (
            ("outgoing", outgoing),
            ("incoming", incoming),
            ("friends", friends),
            ("blocked_by_both", blocked and blocking),
            ("blocked_by_me", blocked and not blocking),
            ("blocked_by_other", blocking and not blocked),
        )
        if holds
    ]
    assert len(found) <= 1, found
    return found[0] if found else "none"
