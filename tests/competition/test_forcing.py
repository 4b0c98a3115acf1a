"""Completing an attempt as a member of the studio (specification 3.4, 4.4 and 6.2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import pytest

from livecore.economy.grants import GRANTS
from livecore.events.attempt_records import PROGRESS
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.competition.forcing import (
    DOWN,
    PAYING,
    RACE,
    completed,
    force,
    forced,
    out_of_time,
    paid,
    roll,
    running,
    swept,
    taken_off,
    untouched,
    window_over,
)  # fmt: skip
from tests.competition.games import event, leaderboard, with_events
from tests.competition.playing import attempt_row, board_id, gold, places, progress, score, started
from tests.lobbies.groups import arena, filled
from tests.teams.groups import crew, crews, play, team_row
from tests.worlds import Since, ask, http, put, rows_of

# -- every state ----------------------------------------------------------------------------------------------------------


_STATES: Final[dict[str, tuple[Callable[[World, WorldPlayer], str], str | None]]] = {
    "running": (running, None),
    "untouched": (untouched, None),
    "completed": (completed, "completed"),
    "forced before": (forced, "completed"),
    "out of time": (out_of_time, "expired"),
    "window over": (window_over, "expired"),
    "swept": (swept, "expired"),
    "taken off": (taken_off, "expired"),
}
"""Each state: how an attempt comes into it, and the `details.status` of the refusal, where it is refused."""


@pytest.mark.parametrize("given", [None, 120])
@pytest.mark.parametrize(("reach", "status"), _STATES.values(), ids=_STATES)
def test_only_what_is_in_progress_is_completed(
    reach: Callable[[World, WorldPlayer], str], status: str | None, given: int | None
) -> None:
    """Everything else is refused with its state, and stays as it is; nothing is granted in either case."""
    here = with_events(RACE)
    attempt_id = reach(here, here.player("anna"))
    before, granted = Since(here), paid(here)
    reply = force(here, attempt_id, given)
    if status is None:
        assert (reply.status, reply["attempt.status"]) == (200, "completed")
        assert attempt_row(here, attempt_id).status == "completed"
        assert "event.completed" not in before.kinds
    else:
        assert reply.refusal == (409, "attempt_not_in_progress")
        assert reply.details == {"status": status}
        assert before.kinds == []
    assert paid(here) == granted


@pytest.mark.parametrize("resolution", ["freeze", "close"])
@pytest.mark.parametrize("late", [True, False], ids=["due", "done"])
def test_a_frozen_attempt_is_not_completed(resolution: str, late: bool) -> None:
    """Whether the due work of the session's end has run or not."""
    session: JsonObject = {"triggers": [{"label": "up", "type": "elapsed", "value": 60}], "resolution": resolution}
    here = arena(session=session, target=100)
    lobby_id, players = filled(here, "anna", "bert", "carl")
    (_, attempt_id), *_ = players
    if late:
        here.now += 60_000
    else:
        here.advance(seconds=60)
    refused = force(here, attempt_id, 100)
    assert refused.refusal == (409, "attempt_frozen")
    assert refused["details.lobbyId"] == lobby_id
    here.advance(minutes=30)
    assert force(here, attempt_id, 100).refusal == (409, "attempt_frozen")


def test_what_is_not_there() -> None:
    """An id that is none, the other environment's, and that of a player who was erased."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 10)
    for operation, more in (
        ("attempts.get", {}),
        ("attempts.forceComplete", {"reason": "x"}),
        ("attempts.retryRewardRoll", {}),
    ):
        for wanted, place in (("att_none", {}), (attempt_id, {"environment": "live"})):
            refused = ask(here.operator(), operation, attempt_id=wanted, **more, **place)
            assert refused.refusal == (404, "attempt_not_found"), operation
    ask(here.server, "players.erase", external_id="anna")
    assert force(here, attempt_id, 100).refusal == (404, "player_not_found")
    assert roll(here, attempt_id).refusal == (404, "player_not_found")
    assert ask(here.operator(), "attempts.get", attempt_id=attempt_id).status == 200


# -- the score, and what follows it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "metric", "values", "given", "fired"),
    [
        (RACE, "points", [60], None, ["half"]),
        (RACE, "points", [60], 120, ["half", "most", "bare"]),
        (RACE, "points", [60], 92, ["half", "most"]),
        (RACE, "points", [60], 7, ["half"]),
        (RACE, "points", [], 51, ["half"]),
        (RACE, "points", [], None, []),
        (RACE, "points", [], 0, []),
        (DOWN, "lap", [60, 35], None, ["near"]),
        (DOWN, "lap", [60, 35], 15, ["near", "nearer"]),
        (DOWN, "lap", [60, 35], 80, ["near"]),
        (DOWN, "lap", [], 18, ["near", "nearer"]),
        (DOWN, "lap", [], None, []),
    ],
)
def test_the_event_says_what_was_done(
    rules: JsonObject, metric: str, values: list[int], given: int | None, fired: list[str]
) -> None:
    """With exactly the fields of the catalog; and the attempt, its metric and the checker agree with it."""
    here = with_events(rules)
    anna = here.player("anna")
    attempt_id = started(anna)
    for value in values:
        ask(anna, "events.progress", key="race", attempt_id=attempt_id, metrics={metric: value})
    prior = attempt_row(here, attempt_id).score
    here.advance(seconds=7)
    before = Since(here)
    reply = force(here, attempt_id, given)
    after = attempt_row(here, attempt_id)
    expected = prior if given is None else given
    assert before.of("event.force_completed") == [
        {
            "attemptId": attempt_id, "eventId": after.event_id, "eventWindowId": after.window_id,
            "leaderboardId": after.board_id, "playerId": anna.player_id, "score": expected, "priorScore": prior,
            "completedAt": "2026-01-01T00:00:07.000Z",
            "actorMemberId": ask(here.operator(), "session.get")["member.memberId"],
            "reason": "it hung", "milestonesFired": fired,
        }
    ]  # fmt: skip
    assert before.kinds == ["event.force_completed"]
    assert (after.score, reply["attempt.score"]) == (expected, expected)
    assert reply["attempt.milestones"] == fired
    assert reply["attempt.completedAt"] == "2026-01-01T00:00:07.000Z"
    if expected is not None:
        assert reply["attempt.metrics"] == {metric: expected}
    stands = bool(values) or given is not None
    assert places(here, board_id(here)) == ([(1, "anna", expected)] if stands else [])
    assert reply["rank"] == (1 if stands else None)
    assert found_wrong(here) == []


def test_the_checker_knows_what_was_forced() -> None:
    """A score that was set is no report that is added; without the mark of it the metrics do not add up."""
    here = with_events(RACE)
    force(here, score(here.player("anna"), 60), 70)
    assert found_wrong(here) == []
    (_, forced_row) = sorted(rows_of(here, PROGRESS), key=lambda row: row.number)
    put(here, PROGRESS, evolve(forced_row, forced=False))
    (finding,) = found_wrong(here)
    assert finding.problem == "has other metrics than its reports of progress add up to"


def test_what_waits_to_be_told_comes_first() -> None:
    """The progress of the last seconds, as it was; and nothing is told of it later."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 60)
    before = Since(here)
    force(here, attempt_id, 120)
    assert [event.kind for event in here.events[-2:]] == ["event.progress_updated", "event.force_completed"]
    assert [row["score"] for row in before.of("event.progress_updated")] == [60]
    here.advance(minutes=29)
    assert [kind for kind in before.kinds if kind.startswith("event.")] == [
        "event.force_completed", "event.progress_updated",
    ]  # fmt: skip


@pytest.mark.parametrize("counts", ["best", "last"])
@pytest.mark.parametrize("given", [1, 55, 400])
def test_the_board_is_in_order_afterwards(counts: str, given: int) -> None:
    """By a full sort of what stands, also where another attempt of the player stands instead."""
    several = {"maxPerWindow": None, "counts": counts, "durationSeconds": 60}
    here = with_events(event("race", **{**PAYING, "target": 1_000, "attempts": several}))
    here.now += 1
    earlier = score(here.player("anna"), 50)
    for number in range(9):
        here.now += 1
        score(here.player(f"p{number}"), 10 * number)
    here.advance(seconds=60)
    assert attempt_row(here, earlier).status == "expired"
    attempt_id = score(here.player("anna"), 70)
    reply = force(here, attempt_id, given)
    own = given if counts == "last" else max(given, 50)
    expected = sorted([("anna", own), *((f"p{number}", 10 * number) for number in range(9))], key=lambda one: -one[1])
    shown = places(here, board_id(here))
    assert [(name, score) for _, name, score in shown] == expected
    assert [rank for rank, _, _ in shown] == list(range(1, 11))
    assert reply["rank"] == next(rank for rank, name, _ in shown if name == "anna")
    assert found_wrong(here) == []


def test_a_score_that_its_metric_cannot_have() -> None:
    """A sum is not below zero; other metrics may have any value. Nothing has changed then."""
    here = with_events(RACE, {**DOWN, "key": "slalom"})
    attempt_id = score(here.player("anna"), 60)
    for value in (-1, -(2**53) + 1):
        refused = force(here, attempt_id, value)
        assert (refused.refusal, refused.fields) == ((400, "validation_failed"), ["score"])
    assert attempt_row(here, attempt_id).status == "in_progress"
    lap = started(here.player("anna"), "slalom")
    assert force(here, lap, -(2**53) + 1)["attempt.score"] == -(2**53) + 1
    assert found_wrong(here) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"reason": "x", "score": 1.5}, "score"),
        ({"reason": "x", "score": 2**53}, "score"),
        ({"reason": "x", "score": True}, "score"),
        ({"reason": ""}, "reason"),
        ({"reason": "x" * 501}, "reason"),
        ({"score": 5}, "reason"),
        ({"reason": "x", "metrics": {}}, "metrics"),
    ],
)
def test_what_no_request_may_say(body: dict[str, object], field: str) -> None:
    """The shape is judged before the attempt is looked for."""
    here = with_events(RACE)
    desk = here.operator()
    for attempt_id in (score(here.player("anna"), 60), "att_none"):
        made = desk.request("attempts.forceComplete", attempt_id=attempt_id, reason="x")
        refused = http(desk, "POST", made.path, body, query=made.query)
        assert (refused.refusal, refused.fields) == ((400, "validation_failed"), [field])


def test_validators_are_not_asked() -> None:
    """Neither the event's nor those of a leaderboard that it feeds, which reject the same from the player."""
    jump = [{"key": "jump", "kind": "max_step", "limit": 10, "verdict": "reject"}]
    weekly = leaderboard(source="event", event="race", aggregation="sum", validators=jump)
    here = with_events(event("race", **PAYING, validators=jump), leaderboards=[weekly])
    anna = here.player("anna")
    attempt_id = score(anna, 5)
    assert progress(anna, attempt_id, points=90).refusal == (422, "anti_cheat_rejected")
    assert force(here, attempt_id, 95)["attempt.flagged"] is False
    shown = ask(here.operator(), "leaderboards.get", leaderboard_id="weekly").list("entries")
    assert [(row["externalPlayerId"], row["score"]) for row in shown] == [("anna", 95)]


@pytest.mark.parametrize(
    ("metric", "aggregation", "given", "expected"),
    [
        ("sum", "sum", 95, 95),
        ("sum", "sum", 60, 60),
        ("sum", "sum", None, 60),
        ("sum", "sum", 20, 60),  # what is taken back stays on the shared leaderboard
        ("best", "best", 95, 95),
        ("best", "best", 20, 60),
        ("last", "last", 20, 20),
        ("lowest", "lowest", 20, 20),
        ("last", "last", None, 60),
    ],
)
def test_shared_leaderboards_follow(metric: str, aggregation: str, given: int | None, expected: int) -> None:
    """They take what a report of the player would give them."""
    rules = event(metrics=[{"key": "points", "aggregation": metric}])
    fed = leaderboard(source="event", event="race", aggregation=aggregation)
    here = with_events(rules, leaderboards=[fed])
    force(here, score(here.player("anna"), 60), given)
    shown = ask(here.operator(), "leaderboards.get", leaderboard_id="weekly").list("entries")
    assert [row["score"] for row in shown] == [expected]
    assert found_wrong(here) == []


@pytest.mark.parametrize(("given", "score_of_team"), [(None, 30), (45, 55), (5, 15)])
def test_the_team_follows(given: int | None, score_of_team: int) -> None:
    """By as much as the attempt has changed, up or down; its milestones are unlocked as by play."""
    here = crews(milestones=[{"key": "fifty", "threshold": 50, "entries": [gold(1)]}])
    anna, bert = crew(here, "anna", "bert")
    attempt_id = play(anna, 20)
    play(bert, 10)
    before = Since(here)
    force(here, attempt_id, given)
    shown = team_row(anna)
    assert shown["score"] == score_of_team
    assert {row["externalPlayerId"]: row["contribution"] for row in shown["members"]} == {
        "anna": score_of_team - 10, "bert": 10,
    }  # fmt: skip
    assert len(before.of("event_team.milestone_unlocked")) == (score_of_team >= 50)
    assert found_wrong(here) == []


def test_the_session_of_the_lobby_follows() -> None:
    """It is over as when a player reaches the target; the others are frozen."""
    session: JsonObject = {"triggers": [{"label": "won", "type": "first_to_target"}], "resolution": "close"}
    here = arena(session=session, target=100, rankRewards=[{"from": 1, "to": 1, "entries": [gold(9)]}])
    _, players = filled(here, "anna", "bert", "carl")
    for points, (player, attempt_id) in enumerate(players, 1):
        progress(player, attempt_id, points=points)
    before = Since(here)
    force(here, players[0][1], 100)
    (ended,) = before.of("session.terminated")
    assert (ended["firedTriggerType"], ended["frozenCount"]) == ("first_to_target", 2)
    assert [row["externalPlayerId"] for row in before.of("grant.created")] == [players[0][0].external_id]
    assert progress(*players[1], points=1).refusal == (409, "attempt_frozen")
    assert found_wrong(here) == []


def test_the_close_of_the_window_ranks_it() -> None:
    """Like any attempt: the rank is paid, and no reward of the attempt's own."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 10)
    score(here.player("bert"), 40)
    force(here, attempt_id, 45)
    here.advance(minutes=30)
    won = [(row.source_kind, json.loads(row.entries)[0]["amount"]) for row in rows_of(here, GRANTS)]
    assert won == [("event_rank", 100)]
    assert attempt_row(here, attempt_id).status == "completed"
    assert found_wrong(here) == []


def test_the_next_attempt_begins_after_it() -> None:
    """A completed attempt counts, and another may be started."""
    here = with_events(RACE)
    anna = here.player("anna")
    force(here, score(anna, 10), 45)
    before = Since(here)
    started(anna)
    (again,) = before.of("event.attempt_restarted")
    assert (again["priorScore"], again["priorStatus"]) == (45, "completed")
