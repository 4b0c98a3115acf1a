"""Leaderboards, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, STREAM, Area, Route, SdkCall, ServerCall, for_operators
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask

# -- samples --------------------------------------------------------------------------------------------------------------

BOARD: Final[JsonObject] = {
    "leaderboardId": "lbd_01JZ0000000000000000000000",
    "key": "weekly",
    "name": "Weekly",
    "eventKey": None,
    "eventWindowId": None,
    "lobbyId": None,
    "segment": None,
    "division": "bronze",
    "cohort": 2,
    "participantScope": "player",
    "status": "open",
    "order": "desc",
    "startsAt": NOON,
    "endsAt": NOON,
    "nextResetAt": NOON,
    "entryCount": 1,
}
ENTRY: Final[JsonObject] = {
    "rank": 1,
    "playerId": "plr_01JZ0000000000000000000000",
    "externalPlayerId": "anna",
    "name": "Anna",
    "avatar": None,
    "anonymizedName": "Brave Otter",
    "anonymizedAvatar": "otter-3",
    "country": "DE",
    "score": 40,
    "reachedAt": NOON,
    "isBot": False,
}
PAGE_OF_BOARD: Final[JsonObject] = {"leaderboard": BOARD, "entries": [ENTRY], "nextCursor": "c2"}
OWN: Final[JsonObject] = {"leaderboard": BOARD, "entry": ENTRY}
FRIENDS: Final[JsonObject] = {"leaderboard": BOARD, "entries": [ENTRY]}
SUBMITTED: Final[JsonObject] = {"entry": ENTRY, "previous": {"rank": 3, "score": 20}}
EVENT_PAGE: Final[JsonObject] = {
    "leaderboard": {
        **BOARD, "key": "race", "eventKey": "race", "eventWindowId": "win_1", "segment": "SE", "division": None,
        "cohort": None, "nextResetAt": None,
    },
    "entries": [ENTRY],
    "nextCursor": "c2",
}  # fmt: skip
ROLLED: Final[JsonObject] = {
    "leaderboardKey": "weekly",
    "rolledOver": True,
    "periodStart": NOON,
    "periodEnd": NOON,
    "entryCount": 3,
    "nextResetAt": NOON,
}

# -- operations -----------------------------------------------------------------------------------------------------------

_WEEKLY: Final = {"key": "weekly"}
_OF_EVENT: Final = {"leaderboardId": "lbd_1"}
_STANDING: Final = (
    "rank playerId? externalPlayerId? name avatar? anonymizedName? anonymizedAvatar? country? score reachedAt isBot "
    "eventTeamId? teamKey? memberCount?"
)
_SUBMIT: Final = "leaderboard_not_found score_source_forbidden excluded_from_board anti_cheat_rejected"

_ROUTES: Final = (
    Route(
        "sdk", "leaderboards.get", "GET /leaderboards/{key}", below="",
        credential="client_key",
        asks="key limit? cursor? around? division? cohort? period?",
        answers="leaderboard:leaderboard entries:standing[] nextCursor",
        refusals="leaderboard_not_found leaderboard_period_not_found leaderboard_entry_not_found",
        calls=(
            SdkCall(
                lambda c: c.leaderboards.get(
                    "weekly", limit=7, around="anna", division="bronze", cohort=2, period="previous"
                ),
                PAGE_OF_BOARD,
                at=_WEEKLY,
                query={"limit": "7", "around": "anna", "division": "bronze", "cohort": "2", "period": "previous"},
            ),
        ),
    ),
    Route(
        "sdk", "leaderboards.getOwn", "GET /leaderboards/{key}",
        asks="key",
        answers="leaderboard:leaderboard entry:standing",
        refusals="leaderboard_not_found",
        calls=(SdkCall(lambda c: c.leaderboards.get_own("weekly"), OWN, at=_WEEKLY),),
    ),
    Route(
        "sdk", "leaderboards.friends", "GET /leaderboards/{key}/friends",
        asks="key limit?",
        answers="leaderboard:leaderboard entries:standing[]",
        refusals="leaderboard_not_found",
        calls=(SdkCall(lambda c: c.leaderboards.friends("weekly", limit=7), FRIENDS, at=_WEEKLY, query={"limit": "7"}),),
    ),
    Route(
        "sdk", "leaderboards.submit", "POST /leaderboards/{key}/scores",
        asks=f"key score {KEY}",
        answers="entry:standing previous:before",
        refusals=f"player_banned {_SUBMIT}",
        calls=(SdkCall(lambda c: c.leaderboards.submit("weekly", score=40), SUBMITTED, at=_WEEKLY, body={"score": 40}),),
    ),
    Route(
        "server", "leaderboards.submit", "POST /leaderboards/{key}/scores",
        asks=f"key score {KEY}",
        answers="entry:standing previous:before",
        refusals=f"player_not_found {_SUBMIT}",
        calls=(
            ServerCall(
                lambda c: c.leaderboards.submit("anna", "weekly", score=40), SUBMITTED, at=_WEEKLY, body={"score": 40}
            ),
        ),
    ),
    Route(
        "server", "leaderboards.removeEntry", "DELETE /leaderboards/{key}",
        asks=f"key exclude? {KEY}",
        answers="removed",
        refusals="player_not_found leaderboard_not_found",
        calls=(
            ServerCall(lambda c: c.leaderboards.remove_entry("anna", "weekly"), {"removed": True}, at=_WEEKLY),
            ServerCall(
                lambda c: c.leaderboards.remove_entry("anna", "weekly", exclude=True),
                {"removed": True},
                at=_WEEKLY, query={"exclude": "true"}, note="for good",
            ),
        ),
    ),
    Route(
        "sdk", "leaderboards.getEvent", "GET /event-leaderboards/{leaderboardId}", below="",
        credential="client_key",
        asks=f"leaderboardId {PAGE} around?",
        answers="leaderboard:leaderboard entries:standing[] nextCursor",
        refusals="leaderboard_not_found leaderboard_entry_not_found",
        calls=(
            SdkCall(
                lambda c: c.leaderboards.get_event("lbd_1", limit=7, cursor="c1"),
                EVENT_PAGE,
                at=_OF_EVENT, query={"limit": "7", "cursor": "c1"},
            ),
            SdkCall(
                lambda c: c.leaderboards.get_event("lbd_1", around="bea #1"),
                EVENT_PAGE,
                at=_OF_EVENT, query={"around": "bea #1"}, note="around somebody",
            ),
        ),
    ),
    Route(
        "sdk", "leaderboards.stream", "GET /event-leaderboards/{leaderboardId}/stream", below="",
        credential="client_key",
        asks="leaderboardId",
        answers=STREAM,
        messages={
            "ready": "leaderboardId status entryCount revision resync?",
            "score_update": "leaderboardId revision entry:standing previousRank",
            "closed": "leaderboardId status reason",
        },
        refusals="leaderboard_not_found",
    ),
    Route(
        "server", "leaderboards.removeEventEntry", "DELETE /event-leaderboards/{leaderboardId}",
        asks=f"leaderboardId exclude? {KEY}",
        answers="removed",
        refusals="player_not_found leaderboard_not_found leaderboard_entry_not_found leaderboard_finalized",
        calls=(
            ServerCall(lambda c: c.leaderboards.remove_event_entry("anna", "lbd_1"), {"removed": True}, at=_OF_EVENT),
            ServerCall(
                lambda c: c.leaderboards.remove_event_entry("anna", "lbd_1", exclude=True),
                {"removed": True},
                at=_OF_EVENT, query={"exclude": "true"}, note="for good",
            ),
        ),
    ),
    Route(
        "server", "dev.rolloverNow", "POST /dev/leaderboards/{leaderboardKey}/rollover-now", below="",
        asks=f"leaderboardKey {KEY}",
        answers="leaderboardKey rolledOver periodStart periodEnd entryCount nextResetAt",
        refusals="test_environment_only leaderboard_not_found",
        calls=(ServerCall(lambda c: c.dev.rollover_now("weekly"), ROLLED, at={"leaderboardKey": "weekly"}),),
    ),
)  # fmt: skip

_ADMIN: Final = (
    Route(
        "admin", "leaderboards.list", "GET /leaderboards", answers="leaderboards:sharedLeaderboard[]",
        permission="leaderboard.read",
    ),
    Route(
        "admin", "leaderboards.listOfWindow", "GET /events/{eventKey}/windows/{windowId}/leaderboards",
        asks=f"eventKey windowId {PAGE}", answers="leaderboards:leaderboard[] nextCursor",
        refusals="event_not_found event_window_not_found", permission="leaderboard.read",
    ),
    Route(
        "admin", "leaderboards.get", "GET /leaderboards/{leaderboardId}",
        asks=f"leaderboardId {PAGE} around? division? cohort? period?",
        answers="leaderboard:leaderboard entries:operatorStanding[] nextCursor",
        refusals="leaderboard_not_found leaderboard_period_not_found leaderboard_entry_not_found",
        permission="leaderboard.read",
    ),
    Route(
        "admin", "leaderboards.removeEntry", "DELETE /leaderboards/{leaderboardId}/players/{externalId}",
        asks=f"leaderboardId exclude? {KEY}", answers="removed",
        refusals="player_not_found leaderboard_not_found leaderboard_entry_not_found leaderboard_finalized",
        permission="leaderboard.remove_entry",
    ),
    *(
        attrs.evolve(for_operators(route, "leaderboard.read"), route="GET /leaderboards/{leaderboardId}/stream")
        for route in _ROUTES if route.operation == "leaderboards.stream"
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _compete(walk: Walk) -> None:
    """Anna and bert are on the monthly leaderboard, whose month is ended for them; anna wins; and on the one for ever."""
    anna = walk.player("anna")
    for points in (10, 20):
        walk.ask(anna, "leaderboards.submit", key="monthly", score=points)
        walk.ask(walk.server, "leaderboards.submit", external_id="bert", key="monthly", score=points - 5)
    walk.ask(walk.server, "dev.rolloverNow", leaderboard_key="monthly")
    walk.ask(walk.server, "dev.rolloverNow", leaderboard_key="monthly")
    walk.ask(anna, "leaderboards.get", key="monthly", period="previous", limit=1)
    walk.ask(anna, "leaderboards.submit", key="best", score=3)
    walk.ask(anna, "leaderboards.get", key="best", around="anna")
    walk.ask(anna, "leaderboards.friends", key="best")
    for _ in range(2):
        walk.ask(anna, "leaderboards.getOwn", key="best")
        walk.ask(walk.server, "leaderboards.removeEntry", external_id="anna", key="best")


def _of_the_race(walk: Walk) -> str:
    return ask(walk.player("carl"), "events.list").text("events.0.window.leaderboardId")


def _look(walk: Walk) -> None:
    for more in ({}, {"limit": 1}, {"around": "bert"}):
        walk.ask(walk.player("carl"), "leaderboards.getEvent", leaderboard_id=_of_the_race(walk), **more)


def _remove(walk: Walk) -> None:
    """Bert is taken off the event's leaderboard, once."""
    board_id = _of_the_race(walk)
    for _ in range(2):
        walk.ask(walk.server, "leaderboards.removeEventEntry", external_id="bert", leaderboard_id=board_id)


_WALK: Final = (
    Step("trade", _compete, {"leaderboard.period_finalized": 1, "grant.created": 1}),
    Step("look", _look),
    # his attempt ends; what was waiting to be told of it comes first
    Step("look", _remove, {"event.progress_updated": 1, "event.expired": 1}),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _compete_marked(life: Life) -> None:
    life.ask(life.marked, "leaderboards.submit", key="best", score=7)
    life.ask(life.server, "leaderboards.submit", external_id=MARK, key="best", score=9)
    life.ask(life.friend, "leaderboards.submit", key="best", score=8)
    life.ask(life.server, "leaderboards.removeEntry", external_id=MARK, key="best")
    life.ask(life.marked, "leaderboards.submit", key="best", score=9)
    life.ask(life.world.operator(), "leaderboards.removeEntry", external_id=MARK, leaderboard_id="best")
    life.ask(life.marked, "leaderboards.submit", key="best", score=10)
    life.ask(life.server, "dev.rolloverNow", leaderboard_key="best")


def _remove_marked(life: Life) -> None:
    """What they have scored is void; another attempt stands there afterwards."""
    board_id = ask(life.friend, "events.list").text("events.0.window.leaderboardId")
    life.ask(life.server, "leaderboards.removeEventEntry", external_id=MARK, leaderboard_id=board_id)


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _board(_: Scene) -> str:
    return "best"


def _event_board(scene: Scene) -> str:
    return ask(scene.friend, "events.list").text("events.0.window.leaderboardId")


AREA: Final = Area(
    routes=(*_ROUTES, *_ADMIN),
    rows={
        "sharedLeaderboard": (
            "key name reset order aggregation source eventKey cohortSize divisions:divisionRow[] startsAt nextResetAt "
            "leaderboardId entryCount"
        ),
        "divisionRow": "key cohorts",
        "leaderboard": (
            "leaderboardId key name eventKey eventWindowId lobbyId segment division cohort participantScope status order "
            "startsAt endsAt nextResetAt entryCount"
        ),
        "standing": _STANDING,
        "operatorStanding": f"{_STANDING} banned flagged rejections:rejection[]",
        "before": "rank score",
    },
    refusals={
        403: "score_source_forbidden excluded_from_board",
        404: "leaderboard_not_found leaderboard_period_not_found leaderboard_entry_not_found",
        409: "leaderboard_finalized",
        422: "anti_cheat_rejected",
    },
    walk=_WALK,
    marked=(Step("trade", _compete_marked), Step("look", _remove_marked)),
    names_nobody={
        "key": "of what the game declares",
        "leaderboardKey": "of what the game declares",
        "division": "of what the game declares",
    },
    things={"key": Thing(_board), "leaderboardKey": Thing(_board), "leaderboardId": Thing(_event_board)},
)
