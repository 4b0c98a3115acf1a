"""Leaderboards, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk

__all__ = ["AREA"]

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
_SUBMIT: Final = "leaderboard_not_found score_source_forbidden anti_cheat_rejected"

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
        body={"score": 1},
        calls=(SdkCall(lambda c: c.leaderboards.submit("weekly", score=40), SUBMITTED, at=_WEEKLY, body={"score": 40}),),
    ),
    Route(
        "server", "leaderboards.submit", "POST /leaderboards/{key}/scores",
        asks=f"key score {KEY}",
        answers="entry:standing previous:before",
        refusals=f"player_not_found {_SUBMIT}",
        body={"score": 1},
        calls=(
            ServerCall(
                lambda c: c.leaderboards.submit("anna", "weekly", score=40), SUBMITTED, at=_WEEKLY, body={"score": 40}
            ),
        ),
    ),
    Route(
        "server", "leaderboards.removeEntry", "DELETE /leaderboards/{key}",
        asks=f"key {KEY}",
        answers="removed",
        refusals="player_not_found leaderboard_not_found",
        calls=(ServerCall(lambda c: c.leaderboards.remove_entry("anna", "weekly"), {"removed": True}, at=_WEEKLY),),
    ),
    Route(
        "server", "dev.rolloverNow", "POST /dev/leaderboards/{leaderboardKey}/rollover-now", below="",
        asks=f"leaderboardKey {KEY}",
        answers="leaderboardKey rolledOver periodStart periodEnd entryCount nextResetAt",
        refusals="test_environment_only leaderboard_not_found",
        calls=(ServerCall(lambda c: c.dev.rollover_now("weekly"), ROLLED, at={"leaderboardKey": "weekly"}),),
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


_WALK: Final = (Step("trade", _compete, {"leaderboard.period_finalized": 1, "grant.created": 1}),)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _compete_marked(life: Life) -> None:
    life.ask(life.marked, "leaderboards.submit", key="best", score=7)
    life.ask(life.server, "leaderboards.submit", external_id=MARK, key="best", score=9)
    life.ask(life.friend, "leaderboards.submit", key="best", score=8)
    life.ask(life.server, "leaderboards.removeEntry", external_id=MARK, key="best")
    life.ask(life.marked, "leaderboards.submit", key="best", score=10)
    life.ask(life.server, "dev.rolloverNow", leaderboard_key="best")


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _board(_: Scene) -> str:
    return "best"


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "leaderboard": (
            "leaderboardId key name eventKey eventWindowId lobbyId segment division cohort participantScope status order "
            "startsAt endsAt nextResetAt entryCount"
        ),
        "standing": (
            "rank playerId externalPlayerId name avatar anonymizedName anonymizedAvatar country score reachedAt isBot"
        ),
        "before": "rank score",
    },
    refusals={
        403: "score_source_forbidden",
        404: "leaderboard_not_found leaderboard_period_not_found leaderboard_entry_not_found",
        422: "anti_cheat_rejected",
    },
    walk=_WALK,
    marked=(Step("trade", _compete_marked),),
    names_nobody={
        "key": "of what the game declares",
        "leaderboardKey": "of what the game declares",
        "division": "of what the game declares",
    },
    things={"key": Thing(_board), "leaderboardKey": Thing(_board)},
)
