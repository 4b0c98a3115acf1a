"""Lobbies, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall, for_operators
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask, scope_of

# -- samples --------------------------------------------------------------------------------------------------------------

_IDENTITY: Final[JsonObject] = {"name": "Brave Otter", "avatar": "otter-3", "country": "CA"}
_LOBBY: Final[JsonObject] = {
    "lobbyId": "lob_1", "eventId": "evn_1", "eventKey": "arena", "eventWindowId": "win_1", "leaderboardId": "lbd_1",
    "key": None, "status": "active", "capacity": 3, "participantCount": 1, "botCount": 1, "fillBy": NOON,
    "startedAt": NOON, "endsAt": NOON, "closedAt": None, "promotionReason": "timeout",
    "participants": [
        {"externalPlayerId": "anna", "displayIdentity": _IDENTITY, "isBot": False, "joinedAt": NOON},
        {"externalPlayerId": None, "displayIdentity": _IDENTITY, "isBot": True, "joinedAt": NOON},
    ],
    "metadata": {"map": "ice"},
}  # fmt: skip

# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _waiting(scene: Scene) -> str:
    return ask(scene.me, "events.start", key="arena").text("details.lobbyId")


# -- operations -----------------------------------------------------------------------------------------------------------

_PUSHED: Final = {"gameId": "gam_1", "eventKey": "arena"}

_ROUTES: Final = (
    Route(
        "sdk", "lobbies.get", "GET /lobbies/{lobbyId}",
        below="",
        credential="client_key",
        asks="lobbyId",
        answers="lobby:lobby",
        refusals="lobby_not_found",
        calls=(SdkCall(lambda c: c.lobbies.get("lob_1"), {"lobby": _LOBBY}, at={"lobbyId": "lob_1"}),),
    ),
    Route(
        "sdk", "lobbies.leave", "POST /lobbies/{lobbyId}/leave",
        asks=f"lobbyId {KEY}",
        answers="left",
        refusals="player_banned lobby_not_found lobby_not_forming",
        things={"lobbyId": Thing(_waiting, "lobby_not_found")},
        calls=(SdkCall(lambda c: c.lobbies.leave("lob_1"), {"left": True}, at={"lobbyId": "lob_1"}),),
    ),
    Route(
        "server", "lobbies.push", "POST /games/{gameId}/events/{eventKey}/lobbies",
        below="",
        named={"eventKey": "arena"},
        statuses=(201, 200),
        asks=f"gameId eventKey key externalPlayerIds capacity? fillBots? metadata? {KEY}",
        answers="lobby:lobby",
        refusals="game_not_found event_not_found event_has_no_lobbies already_in_lobby event_not_active",
        body={"key": "match-7", "externalPlayerIds": ["friend"]},
        calls=(
            ServerCall(
                lambda c: c.lobbies.push(
                    "gam_1", "arena", key="match-7", external_player_ids=("anna", "bea"), capacity=4, fill_bots=True,
                    metadata={"map": "ice"},
                ),
                {"lobby": _LOBBY},
                at=_PUSHED,
                body={
                    "key": "match-7", "externalPlayerIds": ["anna", "bea"], "capacity": 4, "fillBots": True,
                    "metadata": {"map": "ice"},
                },
            ),
            ServerCall(
                lambda c: c.lobbies.push("gam_1", "arena", key="match-7", external_player_ids=("anna",)),
                {"lobby": _LOBBY},
                at=_PUSHED, status=200, note="that is known",
                body={"key": "match-7", "externalPlayerIds": ["anna"]},
            ),
        ),
    ),
    Route(
        "server", "lobbies.get", "GET /games/{gameId}/lobbies/{lobbyId}",
        below="",
        asks="gameId lobbyId",
        answers="lobby:lobby",
        refusals="game_not_found lobby_not_found",
        calls=(
            ServerCall(
                lambda c: c.lobbies.get("gam_1", "lob_1"), {"lobby": _LOBBY}, at={"gameId": "gam_1", "lobbyId": "lob_1"}
            ),
        ),
    ),
)  # fmt: skip

_ADMIN: Final = (
    *(for_operators(route, "lobby.read") for route in _ROUTES if route.id == "sdk:lobbies.get"),
    Route(
        "admin", "lobbies.listOfWindow", "GET /events/{eventKey}/windows/{windowId}/lobbies",
        asks=f"eventKey windowId status? {PAGE}", answers="lobbies:lobbySummary[] nextCursor",
        refusals="event_not_found event_window_not_found", permission="lobby.read",
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _wait(walk: Walk) -> None:
    """Anna opens a lobby, bert comes and leaves, and a push makes another one, of bert and somebody new."""
    anna, bert = walk.player("anna"), walk.player("bert")
    lobby = ask(anna, "events.start", key="arena").text("details.lobbyId")
    ask(bert, "events.start", key="arena")
    walk.ask(bert, "lobbies.leave", lobby_id=lobby)
    walk.ask(anna, "lobbies.get", lobby_id=lobby)
    for _ in range(2):
        walk.ask(
            walk.server, "lobbies.push", game_id=scope_of(walk.world).game_id, event_key="arena", key="match-7",
            external_player_ids=["bert"], fill_bots=True, metadata={"map": "ice"},
        )  # fmt: skip


def _look(walk: Walk) -> None:
    """The pushed lobby, as the studio's backend reads it."""
    here = {"game_id": scope_of(walk.world).game_id}
    pushed = ask(walk.server, "lobbies.push", **here, event_key="arena", key="match-7", external_player_ids=["bert"])
    walk.ask(walk.server, "lobbies.get", **here, lobby_id=pushed["lobby.lobbyId"])


_WALK: Final = (
    # anna and bert come into one lobby and bert into another one, with bots. In the month anna's starts, and both are closed
    # with their window, as is that of the other environment, in which nobody played
    Step("trade", _wait, {
        "window.opened": 1, "lobby.created": 2, "lobby.player_joined": 3, "lobby.bot_filled": 1, "lobby.started": 1,
    }, then={
        "lobby.bot_filled": 1, "lobby.started": 1, "lobby.fill_timeout": 1, "lobby.closed": 2,
        "leaderboard.finalized": 2, "window.closed": 2, "window.opened": 1,
    }),
    Step("look", _look),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _wait_marked(life: Life) -> None:
    """The marked player waits, leaves, and is pushed into a lobby under a name of the marker."""
    lobby = ask(life.marked, "events.start", key="arena").text("details.lobbyId")
    life.ask(life.marked, "lobbies.leave", lobby_id=lobby)
    life.ask(
        life.server, "lobbies.push", game_id=scope_of(life.world).game_id, event_key="arena", key="match-7",
        external_player_ids=[MARK],
    )  # fmt: skip


_STUDIOS: Final = "the studio's own name for a lobby, which stays when one of its players is erased"

_SUMMARY: Final = (
    "lobbyId eventId eventKey eventWindowId leaderboardId key status capacity participantCount botCount fillBy "
    "startedAt endsAt closedAt promotionReason metadata"
)

AREA: Final = Area(
    routes=(*_ROUTES, *_ADMIN),
    rows={
        "lobby": f"{_SUMMARY} participants:participant[]",
        "lobbySummary": _SUMMARY,
        "participant": "externalPlayerId displayIdentity:identity isBot joinedAt",
        "exportedSeat": "lobbyId eventKey eventWindowId status joinedAt startedAt closedAt",
    },
    refusals={
        202: "lobby_forming",
        404: "lobby_not_found",
        409: "lobby_not_forming event_has_no_lobbies already_in_lobby attempt_frozen",
    },
    walk=_WALK,
    marked=(Step("trade", _wait_marked),),
    names_nobody={
        "server:lobbies.push key": _STUDIOS,
        "server:lobbies.push metadata": "of a lobby, which stays when one of its players is erased",
    },
    things={
        "gameId": Thing(lambda scene: scope_of(scene.world).game_id),
        "lobbyId": Thing(_waiting),
    },
)
