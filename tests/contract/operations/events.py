"""Events and attempts, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.kernel.errors import JsonObject
from livecore.world import WorldPlayer
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask, give

# -- samples --------------------------------------------------------------------------------------------------------------


def attempt(**fields: object) -> JsonObject:
    """An attempt, as the wire contract lists its fields."""
    usual: JsonObject = {
        "attemptId": "att_1", "eventId": "evn_1", "eventKey": "race", "eventWindowId": "win_1",
        "leaderboardId": "lbd_1", "lobbyId": None, "eventTeamId": None, "status": "in_progress", "score": 60,
        "metrics": {"points": 60, "lap": 40}, "startedAt": NOON, "endsAt": NOON, "completedAt": None, "frozenAt": None,
        "flagged": False, "attemptCount": 1, "milestones": ["half"],
    }  # fmt: skip
    return {**usual, **fields}  # type: ignore[dict-item] # JSON, as far as a test gives it


_GOLD: Final[JsonObject] = {"type": "currency", "resourceKey": "gold", "amount": 5}
EVENT: Final[JsonObject] = {
    "eventId": "evn_1", "eventKey": "race", "name": "Race", "status": "active",
    "window": {
        "eventWindowId": "win_1", "startsAt": NOON, "endsAt": NOON, "leaderboardId": "lbd_1", "teamLeaderboardId": None,
    },
    "nextWindow": {"eventWindowId": "win_2", "startsAt": NOON, "endsAt": NOON},
    "metrics": [{"key": "points", "aggregation": "sum"}], "score": "points", "order": "desc", "target": 100,
    "attemptDurationSeconds": 3_600, "maxAttempts": 3, "entryCost": [_GOLD],
    "milestones": [{"key": "half", "threshold": 50, "entries": [_GOLD]}], "completionRewards": [_GOLD],
    "rankRewards": [{"from": 1, "to": 3, "entries": [_GOLD]}], "lobby": None, "teams": None,
}  # fmt: skip
STARTED: Final[JsonObject] = {"attempt": attempt()}
PROGRESSED: Final[JsonObject] = {
    "attempt": attempt(), "milestones": [{"key": "half", "threshold": 50, "grantId": "0190-1"}], "rank": 1,
}  # fmt: skip
ENDED: Final[JsonObject] = {
    "eventKey": "race",
    "windows": [
        {
            "eventWindowId": "win_1", "attemptsExpired": 2, "leaderboardsFinalized": 1, "grantsCreated": 1,
            "lobbiesClosed": 0,
        }
    ],
}  # fmt: skip

# -- operations -----------------------------------------------------------------------------------------------------------

_RACE: Final = {"key": "race"}
_ONE: Final = {"key": "race", "attemptId": "att_1"}

_ROUTES: Final = (
    Route(
        "sdk", "events.list", "GET /events",
        credential="client_key",
        answers="events:event[]",
        refusals="player_not_found player_secret_invalid",
        recognises=True,
        calls=(
            SdkCall(lambda c: c.events.list(), {"events": [EVENT]}),
            SdkCall(lambda c: c.events.list(), {"events": [{**EVENT, "attempt": attempt()}]}, note="as the player"),
        ),
    ),
    Route(
        "sdk", "events.start", "POST /events/{key}/start",
        named={"key": "race"},
        statuses=(201, 200),
        asks=f"key playerContext? {KEY}",
        answers="attempt:attempt",
        refusals="player_banned event_not_found event_not_active excluded_from_board attempt_limit_reached "
        "team_required lobby_forming attempt_frozen insufficient_entry_cost storage_limit_reached",
        body={"playerContext": {"level": 7}},
        calls=(
            SdkCall(
                lambda c: c.events.start("race", player_context={"country": "SE"}),
                STARTED,
                at=_RACE, body={"playerContext": {"country": "SE"}},
            ),
            SdkCall(lambda c: c.events.start("race"), STARTED, at=_RACE, status=200, note="that is running"),
        ),
    ),
    Route(
        "sdk", "events.progress", "POST /events/{key}/attempts/{attemptId}/progress",
        named={"key": "race"},
        asks=f"key attemptId metrics {KEY}",
        answers="attempt:attempt milestones:reached[] rank",
        refusals="player_banned event_not_found attempt_not_found excluded_from_board attempt_not_in_progress "
        "attempt_frozen anti_cheat_rejected",
        calls=(
            SdkCall(
                lambda c: c.events.progress("race", "att_1", metrics={"points": 20}),
                PROGRESSED,
                at=_ONE, body={"metrics": {"points": 20}},
            ),
        ),
    ),
    Route(
        "sdk", "events.listAttempts", "GET /events/{key}/attempts",
        named={"key": "race"},
        asks=f"key {PAGE}",
        answers="attempts:attempt[] nextCursor",
        refusals="event_not_found",
        calls=(
            SdkCall(
                lambda c: c.events.list_attempts("race", limit=7, cursor="c1"),
                {"attempts": [attempt()], "nextCursor": "c2"},
                at=_RACE, query={"limit": "7", "cursor": "c1"},
            ),
        ),
    ),
    Route(
        "sdk", "events.getAttempt", "GET /events/{key}/attempts/{attemptId}",
        named={"key": "race"},
        asks="key attemptId",
        answers="attempt:attempt rank",
        refusals="event_not_found attempt_not_found",
        calls=(
            SdkCall(
                lambda c: c.events.get_attempt("race", "att_1"), {"attempt": attempt(score=None), "rank": None}, at=_ONE
            ),
        ),
    ),
    Route(
        "server", "dev.endWindow", "POST /dev/events/{eventKey}/end-now", below="",
        asks=f"eventKey {KEY}",
        answers="eventKey windows:endedWindow[]",
        refusals="test_environment_only event_not_found",
        calls=(ServerCall(lambda c: c.dev.end_window("race"), ENDED, at={"eventKey": "race"}),),
    ),
)  # fmt: skip

_WINDOW: Final = "/events/{eventKey}/windows/{windowId}"
_OF_WINDOW: Final = "event_not_found event_window_not_found"


def _forced(scene: Scene) -> str:
    """An attempt that a member has completed, and for which nothing was granted."""
    attempt_id = started(scene.friend)
    ask(scene.world.operator(), "attempts.forceComplete", attempt_id=attempt_id, reason="it hung", score=120)
    return attempt_id


_ADMIN: Final = (
    Route("admin", "events.list", "GET /events", answers="events:operatorEvent[]", permission="event.read"),
    Route(
        "admin", "events.get", "GET /events/{eventKey}", asks="eventKey", answers="event:operatorEvent",
        refusals="event_not_found", permission="event.read",
    ),
    Route(
        "admin", "events.windows", "GET /events/{eventKey}/windows", asks=f"eventKey {PAGE}",
        answers="windows:operatorWindow[] nextCursor", refusals="event_not_found", permission="event.read",
    ),
    Route(
        "admin", "events.getWindow", f"GET {_WINDOW}", asks="eventKey windowId",
        answers="window:windowInDetail", refusals=_OF_WINDOW, permission="event.read",
    ),
    Route(
        "admin", "attempts.listOfWindow", f"GET {_WINDOW}/attempts",
        asks=f"eventKey windowId state? status? flagged? player? sort? {PAGE}",
        answers="attempts:operatorAttempt[] nextCursor", refusals=_OF_WINDOW, permission="attempt.read",
        query_string="state=in_progress&flagged=false&sort=score",
    ),
    Route(
        "admin", "attempts.listOfPlayer", "GET /players/{externalId}/attempts", asks=PAGE,
        answers="attempts:operatorAttempt[] nextCursor", refusals="player_not_found", permission="attempt.read",
    ),
    Route(
        "admin", "attempts.get", "GET /attempts/{attemptId}", asks="attemptId",
        answers="attempt:operatorAttempt rank grants:grant[]", refusals="attempt_not_found", permission="attempt.read",
    ),
    Route(
        "admin", "attempts.forceComplete", "POST /attempts/{attemptId}/force-complete",
        asks=f"attemptId reason score? {KEY}", answers="attempt:operatorAttempt rank grants:grant[]",
        refusals="attempt_not_found player_not_found attempt_frozen attempt_not_in_progress",
        permission="attempt.force_complete",
    ),
    Route(
        "admin", "attempts.retryRewardRoll", "POST /attempts/{attemptId}/retry-reward-roll",
        asks=f"attemptId {KEY}", answers="attempt:operatorAttempt grants:grant[] grantCount",
        refusals="attempt_not_found player_not_found attempt_not_completed rewards_already_granted",
        permission="grant.retry_reward_roll", things={"attemptId": Thing(_forced)},
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def started(player: WorldPlayer) -> str:
    """Give a player what a race costs, and start one; returns the attempt's id."""
    for key, amount in (("gold", 5), ("potion", 1)):
        give(player, key, amount)
    return ask(player, "events.start", key="race").text("attempt.attemptId")


def _race(walk: Walk) -> None:
    """Anna starts, and starts again while she runs, completes the race and begins another; bert only begins one."""
    anna, bert = walk.player("anna"), walk.player("bert")
    for player, races in ((anna, 2), (bert, 1)):
        give(player, "gold", 5 * races)
        give(player, "potion", races)
    first = walk.ask(anna, "events.start", key="race", player_context={"level": 7})["attempt.attemptId"]
    walk.ask(anna, "events.start", key="race")
    for points in (60, 50):
        walk.ask(anna, "events.progress", key="race", attempt_id=first, metrics={"points": points, "lap": 40})
    second = walk.ask(anna, "events.start", key="race")["attempt.attemptId"]
    walk.ask(anna, "events.progress", key="race", attempt_id=second, metrics={"lap": 9})
    his = walk.ask(bert, "events.start", key="race")["attempt.attemptId"]
    walk.ask(bert, "events.progress", key="race", attempt_id=his, metrics={"points": 3})
    walk.ask(bert, "events.getAttempt", key="race", attempt_id=his)


def _look(walk: Walk) -> None:
    """The events with anna's secret and without, and hers with and without an attempt that has ended."""
    anna = walk.player("anna")
    stranger = attrs.evolve(anna, headers={"authorization": anna.headers["authorization"]})
    for caller in (anna, stranger, walk.player("carl")):
        walk.ask(caller, "events.list")
    walk.ask(anna, "events.listAttempts", key="race")


def _end(walk: Walk) -> None:
    """The window ends at once; ending it again ends nothing."""
    for _ in range(2):
        walk.ask(walk.server, "dev.endWindow", event_key="race")
    walk.ask(walk.player("anna"), "events.list")


_WALK: Final = (
    # both are given gold and a potion, and each of three starts costs both; the first opens the window. Anna's first
    # attempt passes a milestone with a reward and one without, is told of before it is completed, and wins a sword
    Step("trade", _race, {
        "window.opened": 1, "wallet.changed": 5, "inventory.changed": 5, "entry_cost.charged": 3,
        "event.attempt_started": 3, "event.attempt_restarted": 1, "event.milestone_granted": 2, "grant.created": 2,
        "event.progress_updated": 1, "event.completed": 1, "event.attempt_flagged": 1,
    }),
    Step("look", _look),
    # anna's second attempt expires, and her first wins the first rank; bert has been taken off the board before. In the
    # month the window of the other environment opens and closes, in which nobody played
    Step("part", _end, {
        "event.progress_updated": 1, "event.expired": 1, "leaderboard.finalized": 1, "grant.created": 1,
        "window.closed": 1,
    }, then={"window.opened": 1, "leaderboard.finalized": 1, "window.closed": 1}),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _race_marked(life: Life) -> None:
    """One attempt is completed, and one is running."""
    for points in (100, 20):
        _run_marked(life, points)


def _run_marked(life: Life, points: int) -> str:
    for key, amount in (("gold", 5), ("potion", 1)):
        give(life.marked, key, amount)
    made = life.ask(life.marked, "events.start", key="race", player_context={MARK: {MARK: [MARK]}})
    about = {"key": "race", "attempt_id": made["attempt.attemptId"]}
    life.ask(life.marked, "events.progress", metrics={"points": points}, **about)
    return made.text("attempt.attemptId")


def _end_marked(life: Life) -> None:
    """Another attempt stands on the board, whose event names the marked player; an operator completes it."""
    operator, about = life.world.operator(), {"attempt_id": _run_marked(life, 3)}
    life.ask(operator, "attempts.forceComplete", reason=MARK, score=4, **about)
    life.ask(operator, "attempts.retryRewardRoll", **about)
    life.ask(life.server, "dev.endWindow", event_key="race")


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _running(scene: Scene) -> str:
    return started(scene.me)


def _window(scene: Scene) -> str:
    return ask(scene.friend, "events.list").text("events.0.window.eventWindowId")


_EVENT: Final = (
    "eventId eventKey name status window:eventWindow nextWindow:nextWindow metrics:metric[] score order target "
    "attemptDurationSeconds maxAttempts entryCost:entry[] milestones:milestone[] completionRewards:entry[] "
    "rankRewards:rankReward[] lobby:lobbyOfEvent teams:eventTeams"
)
_ATTEMPT: Final = (
    "attemptId eventId eventKey eventWindowId leaderboardId lobbyId eventTeamId status score metrics startedAt "
    "endsAt completedAt frozenAt flagged attemptCount milestones"
)
_WINDOW_ROW: Final = (
    "eventWindowId eventId eventKey status startsAt endsAt openedAt closedAt boardsBy leaderboardId teamLeaderboardId "
    "lobby:lobbyOfEvent teams:eventTeams"
)

AREA: Final = Area(
    routes=(*_ROUTES, *_ADMIN),
    rows={
        "event": f"{_EVENT} attempt?:attempt",
        "operatorEvent": f"{_EVENT} boardsBy segment attempts:attemptCounts",
        "operatorWindow": _WINDOW_ROW,
        "windowInDetail": f"{_WINDOW_ROW} attempts:attemptCounts lobbies:lobbyCounts teamCount",
        "attemptCounts": "inProgress completed expired",
        "lobbyCounts": "forming active closed",
        "operatorAttempt": f"{_ATTEMPT} playerId externalPlayerId displayIdentity:identity rejections:rejection[]",
        "exportedAttempt": f"{_ATTEMPT} rejections:rejection[]",
        "rejection": "validatorKey metric value limit reason rejectedAt",
        "lobbyOfEvent": "capacity",
        "eventWindow": "eventWindowId startsAt endsAt leaderboardId teamLeaderboardId",
        "nextWindow": "eventWindowId startsAt endsAt",
        "metric": "key aggregation",
        "milestone": "key threshold entries:entry[]",
        "rankReward": "from to entries:entry[]",
        "attempt": _ATTEMPT,
        "reached": "key threshold grantId",
        "endedWindow": "eventWindowId attemptsExpired leaderboardsFinalized grantsCreated lobbiesClosed",
    },
    refusals={
        404: "event_not_found attempt_not_found",
        409: (
            "event_not_active attempt_limit_reached insufficient_entry_cost attempt_not_in_progress "
            "attempt_not_completed rewards_already_granted"
        ),
    },
    walk=_WALK,
    names_nobody={"metrics": "numbers, by the keys of a game's own configuration"},
    marked=(Step("trade", _race_marked), Step("part", _end_marked)),
    things={
        "eventKey": Thing(lambda _: "race"),
        "attemptId": Thing(_running, "attempt_not_found"),
    },
    operated={"windowId": Thing(_window)},
)
