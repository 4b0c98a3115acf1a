"""Friends, requests and blocks, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.operations.players import IDENTITY
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask, befriend

# -- samples --------------------------------------------------------------------------------------------------------------

COUNTERPARTY: Final[JsonObject] = {"externalPlayerId": "bea", "displayIdentity": IDENTITY}
REQUEST: Final[JsonObject] = {
    "requestId": "frq_01JZ0000000000000000000000",
    "direction": "outgoing",
    "player": COUNTERPARTY,
    "createdAt": NOON,
}


def friend(external_player_id: str = "bea") -> JsonObject:
    """A friend row (specification 2.5), without the optional fields."""
    return {
        "externalPlayerId": external_player_id,
        "displayIdentity": IDENTITY,
        "friendsSince": NOON,
        "online": True,
        "lastActiveAt": NOON,
        "status": "In the lobby",
    }


def block(external_player_id: str = "cid") -> JsonObject:
    """A block row (2.9, with the id that the wire contract adds)."""
    return {"externalPlayerId": external_player_id, "displayIdentity": IDENTITY, "blockedAt": NOON}


SUGGESTION: Final[JsonObject] = {name: value for name, value in friend().items() if name != "friendsSince"}
HIT: Final[JsonObject] = {"externalPlayerId": "bea", "displayIdentity": IDENTITY, "relationship": "none"}
FRIENDS: Final[JsonObject] = {"friends": [friend()], "nextCursor": None}
REQUESTS: Final[JsonObject] = {"incoming": [], "outgoing": [REQUEST], "nextCursor": None}
BLOCKS: Final[JsonObject] = {"blocks": [block()], "nextCursor": None}

# -- operations -----------------------------------------------------------------------------------------------------------

_WHO: Final = "friendCode? externalPlayerId?"
_TARGET: Final = "player_not_found friend_code_invalid"
_ONE: Final = {"requestId": "frq_1"}


def _ask_third(scene: Scene) -> None:
    """Have an outgoing request, which alone can be cancelled."""
    asked = ask(scene.me, "friends.sendRequest", external_player_id="third")
    scene.variables["requestId"] = asked.text("request.requestId")


_SDK: Final = (
    Route(
        "sdk", "friends.getCode", "GET /friends/code",
        asks="progression?",
        answers="friendCode displayIdentity:identity progression?",
        calls=(
            SdkCall(
                lambda c: c.friends.get_code(progression=["xp", "gold"]),
                {"friendCode": "K7RWQ2", "displayIdentity": IDENTITY, "progression": {"xp": 0}},
                query={"progression": "xp,gold"},
            ),
        ),
    ),
    Route(
        "sdk", "friends.sendRequest", "POST /friends/requests",
        statuses=(201, 200),
        asks=f"{_WHO} {KEY}",
        answers="status request?:request friend?:friend",
        refusals=(
            f"player_banned cannot_friend_self {_TARGET} player_blocked already_friends friend_limit_reached "
            "request_limit_reached"
        ),
        body={"externalPlayerId": "third"},
        calls=(
            SdkCall(
                lambda c: c.friends.send_request(friend_code="K7RWQ2"),
                {"status": "pending", "request": REQUEST},
                body={"friendCode": "K7RWQ2"},
            ),
            SdkCall(
                lambda c: c.friends.send_request(external_player_id="bea"),
                {"status": "accepted", "friend": friend()},
                body={"externalPlayerId": "bea"}, status=200, note="met",
            ),
        ),
    ),
    Route(
        "sdk", "friends.acceptRequest", "POST /friends/requests/{requestId}/accept",
        asks=f"requestId {KEY}",
        answers="friend:friend",
        refusals="player_banned friend_request_not_found friend_limit_reached",
        calls=(SdkCall(lambda c: c.friends.accept_request("frq_1"), {"friend": friend()}, at=_ONE),),
    ),
    Route(
        "sdk", "friends.declineRequest", "POST /friends/requests/{requestId}/decline",
        asks=f"requestId {KEY}",
        answers="request:request",
        refusals="player_banned friend_request_not_found",
        calls=(SdkCall(lambda c: c.friends.decline_request("frq_1"), {"request": REQUEST}, at=_ONE),),
    ),
    Route(
        "sdk", "friends.cancelRequest", "POST /friends/requests/{requestId}/cancel",
        asks=f"requestId {KEY}",
        answers="request:request",
        refusals="player_banned friend_request_not_found",
        ready=_ask_third,
        calls=(SdkCall(lambda c: c.friends.cancel_request("frq_1"), {"request": REQUEST}, at=_ONE),),
    ),
    Route(
        "sdk", "friends.list", "GET /friends",
        asks=f"progression? {PAGE}",
        answers="friends:friend[] nextCursor",
        calls=(
            SdkCall(lambda c: c.friends.list(), FRIENDS),
            SdkCall(
                lambda c: c.friends.list(progression="xp", limit=20, cursor="c1"),
                FRIENDS,
                query={"progression": "xp", "limit": "20", "cursor": "c1"}, note="paged",
            ),
        ),
    ),
    Route(
        "sdk", "friends.listRequests", "GET /friends/requests",
        asks=f"progression? direction? {PAGE}",
        answers="incoming:request[] outgoing:request[] nextCursor",
        calls=(
            SdkCall(lambda c: c.friends.list_requests(), REQUESTS),
            SdkCall(
                lambda c: c.friends.list_requests(direction="incoming", limit=20, cursor="c1"),
                REQUESTS,
                query={"direction": "incoming", "limit": "20", "cursor": "c1"}, note="paged",
            ),
        ),
    ),
    Route(
        "sdk", "friends.suggestions", "GET /friends/suggestions",
        asks="limit? progression?",
        answers="suggestions:suggestion[]",
        calls=(SdkCall(lambda c: c.friends.suggestions(limit=9), {"suggestions": [SUGGESTION]}, query={"limit": "9"}),),
    ),
    Route(
        "sdk", "friends.search", "GET /friends/search",
        asks="q limit? progression?",
        answers="players:hit[]",
        query_string="q=me",
        calls=(
            SdkCall(
                lambda c: c.friends.search("äl & o", limit=3), {"players": [HIT]}, query={"q": "äl & o", "limit": "3"}
            ),
        ),
    ),
    Route(
        "sdk", "friends.remove", "DELETE /friends/{friendExternalId}",
        asks=f"friendExternalId {KEY}",
        answers="removed",
        refusals="player_banned friend_not_found",
        calls=(
            SdkCall(lambda c: c.friends.remove("bea #1"), {"removed": True}, at={"friendExternalId": "bea%20%231"}),
        ),
    ),
    Route(
        "sdk", "friends.block", "POST /friends/blocks",
        statuses=(201, 200),
        asks=f"{_WHO} {KEY}",
        answers="block:block",
        refusals=f"player_banned cannot_block_self {_TARGET} block_limit_reached",
        body={"externalPlayerId": "third"},
        calls=(
            SdkCall(
                lambda c: c.friends.block(external_player_id="cid"),
                {"block": block()},
                body={"externalPlayerId": "cid"},
            ),
        ),
    ),
    Route(
        "sdk", "friends.listBlocks", "GET /friends/blocks",
        asks=PAGE,
        answers="blocks:block[] nextCursor",
        calls=(SdkCall(lambda c: c.friends.list_blocks(), BLOCKS),),
    ),
    Route(
        "sdk", "friends.unblock", "DELETE /friends/blocks/{blockedExternalId}",
        asks=f"blockedExternalId {KEY}",
        answers="unblocked",
        refusals="player_banned block_not_found",
        calls=(SdkCall(lambda c: c.friends.unblock("cid"), {"unblocked": True}, at={"blockedExternalId": "cid"}),),
    ),
)  # fmt: skip

_SERVER: Final = (
    Route(
        "server", "friends.list", "GET /friends",
        asks=f"progression? {PAGE}",
        answers="friends:friend[] nextCursor",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.friends.list("anna", limit=50), FRIENDS, query={"limit": "50"}),),
    ),
    Route(
        "server", "friends.listRequests", "GET /friends/requests",
        asks=f"progression? direction? {PAGE}",
        answers="incoming:request[] outgoing:request[] nextCursor",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.friends.list_requests("anna"), REQUESTS),),
    ),
    Route(
        "server", "friends.listBlocks", "GET /blocks",
        asks=PAGE,
        answers="blocks:block[] nextCursor",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.friends.list_blocks("anna"), BLOCKS),),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _meet(walk: Walk) -> None:
    anna, bert, carl = (walk.player(name) for name in ("anna", "bert", "carl"))
    code = walk.ask(bert, "friends.getCode").text("friendCode")
    walk.ask(bert, "friends.getCode", progression=["gold"])
    asked = walk.ask(anna, "friends.sendRequest", friend_code=code)
    walk.ask(anna, "friends.sendRequest", external_player_id="bert")
    for player in (anna, bert):
        walk.ask(player, "friends.listRequests")
        walk.ask(player, "friends.listRequests", progression=["gold"])
    walk.ask(walk.server, "friends.listRequests", external_id="anna")
    walk.ask(bert, "friends.acceptRequest", request_id=asked["request.requestId"])
    for ending, who in (("decline", anna), ("cancel", carl)):
        again = walk.ask(carl, "friends.sendRequest", external_player_id="anna")
        walk.ask(who, f"friends.{ending}Request", request_id=again["request.requestId"])
    walk.ask(anna, "friends.sendRequest", external_player_id="carl")
    walk.ask(carl, "friends.sendRequest", external_player_id="anna")


def _look(walk: Walk) -> None:
    anna = walk.player("anna")
    for arguments in ({}, {"progression": ["gold", "xp"]}, {"limit": 1}):
        walk.ask(anna, "friends.list", **arguments)
    walk.ask(walk.server, "friends.list", external_id="anna")
    walk.ask(anna, "friends.search", q="bert")
    walk.ask(anna, "friends.search", q="bert", progression=["xp"])
    walk.ask(anna, "friends.suggestions")
    walk.ask(anna, "friends.suggestions", progression=["xp"])


def _part(walk: Walk) -> None:
    """Afterwards anna has a block, a friend and a request of somebody, all of which an export shows."""
    anna = walk.player("anna")
    walk.ask(anna, "friends.remove", friend_external_id="carl")
    walk.ask(anna, "friends.block", external_player_id="bert")
    walk.ask(anna, "friends.block", external_player_id="bert")
    walk.ask(anna, "friends.listBlocks")
    walk.ask(walk.server, "friends.listBlocks", external_id="anna")
    walk.ask(anna, "friends.unblock", blocked_external_id="bert")
    walk.ask(anna, "friends.block", external_player_id="bert")
    for name in ("fred", "gina"):
        befriend(walk.player(name), anna)
    walk.ask(walk.player("hugo"), "friends.sendRequest", external_player_id="anna")


_WALK: Final = (
    # anna to bert, carl to anna twice, anna to carl, who meets it
    Step("meet", _meet, {"friend.request_sent": 4, "friend.request_accepted": 2}),
    Step("look", _look),
    # carl, and bert by the block; fred, gina and hugo are new
    Step("part", _part, {
        "friend.removed": 2, "friend.request_sent": 3, "friend.request_accepted": 2,
        "player.registered": 3, "player.secret_set": 3,
    }),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _befriend_marked(life: Life) -> None:
    """Requests in both directions, by code and by id, accepted, declined and cancelled."""
    life.ask(life.marked, "friends.getCode")
    asked = life.ask(life.marked, "friends.sendRequest", external_player_id="friend")
    life.ask(life.friend, "friends.acceptRequest", request_id=asked["request.requestId"])
    for ending, by in (("decline", life.marked), ("cancel", life.world.player("third"))):
        asked = life.ask(life.world.player("third"), "friends.sendRequest", external_player_id=MARK)
        life.ask(by, f"friends.{ending}Request", request_id=asked["request.requestId"])


def _leave_marked(life: Life) -> None:
    """The marker in what others did, and in a request that stays open."""
    third, fourth = (life.world.player(name) for name in ("third", "fourth"))
    life.ask(third, "friends.sendRequest", external_player_id=MARK)
    life.ask(third, "friends.block", external_player_id=MARK)
    life.ask(third, "friends.unblock", blocked_external_id=MARK)
    life.ask(third, "friends.sendRequest", external_player_id=MARK)
    befriend(fourth, life.marked)
    life.ask(fourth, "friends.remove", friend_external_id=MARK)


_MARKED: Final = (Step("meet", _befriend_marked), Step("part", _leave_marked))

# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _asked(scene: Scene) -> str:
    fourth = scene.world.player("fourth")
    return ask(fourth, "friends.sendRequest", external_player_id="me").text("request.requestId")


def _befriended(scene: Scene) -> str:
    befriend(scene.me, scene.friend)
    return "friend"


def _blocked(scene: Scene) -> str:
    scene.world.player("fifth")
    ask(scene.me, "friends.block", external_player_id="fifth")
    return "fifth"


AREA: Final = Area(
    routes=(*_SDK, *_SERVER),
    rows={
        "counterparty": "externalPlayerId displayIdentity:identity",
        "friend": (
            "externalPlayerId displayIdentity:identity friendsSince online lastActiveAt status giftCooldownUntil? "
            "progression?"
        ),
        "suggestion": "externalPlayerId displayIdentity:identity online lastActiveAt status progression?",
        "hit": "externalPlayerId displayIdentity:identity relationship progression?",
        "request": "requestId direction player:counterparty createdAt progression?",
        "block": "externalPlayerId displayIdentity:identity blockedAt",
    },
    refusals={
        400: "cannot_friend_self cannot_block_self",
        403: "player_blocked",
        404: "friend_code_invalid friend_request_not_found friend_not_found block_not_found",
        409: "already_friends friend_limit_reached request_limit_reached block_limit_reached",
    },
    walk=_WALK,
    marked=_MARKED,
    names_nobody={"friendCode": "a code, which is the service's own"},
    things={
        "requestId": Thing(_asked, "friend_request_not_found"),
        "friendExternalId": Thing(_befriended, "friend_not_found"),
        "blockedExternalId": Thing(_blocked, "block_not_found"),
    },
)
