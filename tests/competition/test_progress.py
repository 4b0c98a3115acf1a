"""Progress of an attempt: what it changes, what it wins, and when it is refused."""

from __future__ import annotations

import pytest

from livecore.events.attempt_records import PROGRESS
from livecore.kernel.time import MINUTE
from tests.competition.games import event, with_events
from tests.competition.playing import attempt_row, begin, gold, places, progress, score, started
from tests.worlds import Since, ask, ban, rows_of, total

FOUR = [{"key": f"m-{kind}", "aggregation": kind} for kind in ("sum", "best", "lowest", "last")]
MILESTONES = [
    {"key": "second", "threshold": 20, "entries": [gold(2)]},
    {"key": "first", "threshold": 10, "entries": [gold(1)]},
    {"key": "third", "threshold": 30},
]


# -- metrics --------------------------------------------------------------------------------------------------------------


def test_each_metric_takes_values_in_its_own_way() -> None:
    """A sum adds, the best and the lowest keep, the last replaces; a metric that is left out stays."""
    game = with_events(event(metrics=FOUR, attempts={"durationSeconds": 600}))
    anna = game.player("anna")
    id_ = started(anna)
    seen = []
    for given in (5, 3, 8):
        metrics = {"m-sum": given, "m-best": given, "m-lowest": given, "m-last": given}
        seen.append(ask(anna, "events.progress", key="race", attempt_id=id_, metrics=metrics)["attempt.metrics"])
    assert seen == [
        {"m-sum": 5, "m-best": 5, "m-lowest": 5, "m-last": 5},
        {"m-sum": 8, "m-best": 5, "m-lowest": 3, "m-last": 3},
        {"m-sum": 16, "m-best": 8, "m-lowest": 3, "m-last": 8},
    ]
    reply = ask(anna, "events.progress", key="race", attempt_id=id_, metrics={"m-last": -4})
    assert reply["attempt.metrics"] == {"m-sum": 16, "m-best": 8, "m-lowest": 3, "m-last": -4}


@pytest.mark.parametrize(
    ("kind", "scores"), [("sum", [0, 5, 8]), ("best", [None, 5, 5]), ("lowest", [None, 5, 3]), ("last", [None, 5, 3])]
)
def test_the_score_is_the_value_of_its_metric(kind: str, scores: list[int | None]) -> None:
    """Before any progress it is 0 where it sums, or else null, and there is neither a rank nor an entry."""
    game = with_events(event(metrics=[{"key": "other"}, {"key": "points", "aggregation": kind}], score="points"))
    anna = game.player("anna")
    begun = begin(anna)
    id_, board_id = begun["attempt.attemptId"], begun["attempt.leaderboardId"]
    seen = ask(anna, "events.getAttempt", key="race", attempt_id=id_)
    assert (seen["attempt.score"], seen["rank"], places(game, board_id)) == (scores[0], None, [])
    for given, expected in zip((5, 3), scores[1:], strict=True):
        reply = progress(anna, id_, points=given)
        assert (reply["attempt.score"], reply["rank"]) == (expected, 1)
    assert places(game, board_id) == [(1, "anna", scores[2])]


def test_a_metric_beside_the_score_gives_no_entry_before_the_first_score() -> None:
    """Where the score has no value yet, nothing ranks."""
    metrics = [{"key": "points", "aggregation": "best"}, {"key": "jumps"}]
    game = with_events(event(metrics=metrics))
    anna = game.player("anna")
    begun = begin(anna)
    reply = progress(anna, begun["attempt.attemptId"], jumps=3)
    assert (reply["attempt.score"], reply["rank"]) == (None, None)
    assert places(game, begun["attempt.leaderboardId"]) == []


def test_all_metrics_of_a_call_are_applied_or_none() -> None:
    """One that the event does not have, and a sum that would shrink, are both named, and nothing has changed."""
    game = with_events(event(metrics=FOUR))
    anna = game.player("anna")
    id_ = started(anna)
    metrics = {"m-best": 4, "m-sum": -1, "unknown": 3}
    reply = ask(anna, "events.progress", key="race", attempt_id=id_, metrics=metrics)
    assert (reply.refusal, reply.fields) == ((400, "validation_failed"), ["metrics.m-sum", "metrics.unknown"])
    assert attempt_row(game, id_).metrics == '{"m-sum":0}'
    assert rows_of(game, PROGRESS) == []


@pytest.mark.parametrize("metrics", [{}, {"points": 1.5}, {"points": True}, {"points": "1"}, {"points": 2**53}, None])
def test_metrics_are_whole_numbers(metrics: object) -> None:
    """Of at most 2^53 - 1 in size, and at least one of them."""
    anna = with_events(event()).player("anna")
    reply = ask(anna, "events.progress", key="race", attempt_id=started(anna), metrics=metrics)
    assert reply.refusal == (400, "validation_failed")


def test_at_most_twenty_metrics_a_call() -> None:
    """Twenty are taken, one more is not."""
    game = with_events(event(metrics=[{"key": f"m{number}"} for number in range(20)]))
    anna = game.player("anna")
    id_ = started(anna)
    for count, status in ((20, 200), (21, 400)):
        metrics = {f"m{number}": 1 for number in range(count)}
        assert ask(anna, "events.progress", key="race", attempt_id=id_, metrics=metrics).status == status


def test_a_sum_that_would_pass_the_largest_number_is_refused() -> None:
    """And stays as it was."""
    anna = with_events(event()).player("anna")
    id_ = score(anna, 2**53 - 1)
    assert progress(anna, id_, points=1).fields == ["metrics.points"]
    assert ask(anna, "events.getAttempt", key="race", attempt_id=id_)["attempt.score"] == 2**53 - 1


# -- the end --------------------------------------------------------------------------------------------------------------


def test_refusals_come_in_their_order() -> None:
    """An attempt that is over is told of before a metric that is wrong, and the ban before all."""
    game = with_events(event(attempts={"durationSeconds": 60}))
    anna = game.player("anna")
    id_ = started(anna)
    game.now += MINUTE
    reply = progress(anna, id_, nothing=1)
    assert (reply.refusal, reply["details"]) == ((409, "attempt_not_in_progress"), {"status": "expired"})
    ban(anna)
    assert progress(anna, id_, "nowhere", points=1).refusal == (403, "player_banned")


@pytest.mark.parametrize("swept", [False, True])
def test_an_attempt_takes_progress_up_to_its_last_millisecond(swept: bool) -> None:
    """And none from `endsAt` on, whether the expiry was noted or not."""
    game = with_events(event(attempts={"durationSeconds": 60}))
    anna = game.player("anna")
    id_ = started(anna)
    game.now += MINUTE - 1
    assert progress(anna, id_, points=1).status == 200
    game.now += 1
    if swept:
        game.advance()
        assert attempt_row(game, id_).status == "expired"
    assert progress(anna, id_, points=1)["details"] == {"status": "expired"}
    assert attempt_row(game, id_).score == 1


def test_no_progress_counts_after_the_window() -> None:
    """Not at its end, and not while it is being closed."""
    game = with_events(event())
    anna = game.player("anna")
    id_ = started(anna)
    game.now += 30 * MINUTE - 1
    assert progress(anna, id_, points=1).status == 200
    game.now += 1
    assert progress(anna, id_, points=1).refusal == (409, "attempt_not_in_progress")
    game.advance(seconds=1)
    assert progress(anna, id_, points=1)["details"] == {"status": "expired"}
    assert attempt_row(game, id_).score == 1


@pytest.mark.parametrize(
    ("order", "kind", "given", "status"),
    [
        ("desc", "sum", 9, "in_progress"),
        ("desc", "sum", 10, "completed"),
        ("desc", "sum", 11, "completed"),
        ("asc", "lowest", 11, "in_progress"),
        ("asc", "lowest", 10, "completed"),
        ("asc", "lowest", 9, "completed"),
    ],
)
def test_the_target_completes_an_attempt(order: str, kind: str, given: int, status: str) -> None:
    """At it or beyond it, which is at or below it where less is better; then the reward is granted, once."""
    metrics = [{"key": "points", "aggregation": kind}]
    game = with_events(event(order=order, target=10, metrics=metrics, completionRewards=[gold(7)]))
    anna = game.player("anna")
    id_ = started(anna)
    since = Since(game)
    reply = progress(anna, id_, points=given)
    assert reply["attempt.status"] == status
    assert (reply["attempt.completedAt"] is None) is (status == "in_progress")
    grants = since.of("grant.created")
    assert [(row["sourceKind"], row["sourceRefId"]) for row in grants] == (
        [("event_completion", id_)] if status == "completed" else []
    )
    if status == "completed":
        assert progress(anna, id_, points=1)["details"] == {"status": "completed"}
        assert since.kinds.count("event.completed") == 1


def test_a_completed_attempt_keeps_its_place() -> None:
    """Its score stands until the board is final, and it never expires."""
    game = with_events(event(target=5, attempts={"durationSeconds": 60}))
    anna = game.player("anna")
    id_ = score(anna, 5)
    game.advance(minutes=40)
    assert attempt_row(game, id_).status == "completed"
    assert game.emitted("event.expired") == []
    assert ask(anna, "events.getAttempt", key="race", attempt_id=id_)["rank"] == 1


# -- milestones -----------------------------------------------------------------------------------------------------------


def test_milestones_are_reached_once_and_in_order() -> None:
    """Several by one call come from the nearest to the farthest, each with its grant; one without entries has none."""
    game = with_events(event(milestones=MILESTONES))
    anna = game.player("anna")
    id_ = started(anna)
    assert progress(anna, id_, points=9)["milestones"] == []
    first = progress(anna, id_, points=1).list("milestones")
    assert [(row["key"], row["threshold"]) for row in first] == [("first", 10)]
    later = progress(anna, id_, points=25).list("milestones")
    assert [row["key"] for row in later] == ["second", "third"]
    assert later[1]["grantId"] is None
    assert progress(anna, id_, points=5)["attempt.milestones"] == ["first", "second", "third"]
    told = [(row["milestoneKey"], row["grantId"]) for row in game.emitted("event.milestone_granted")]
    assert told == [(row["key"], row["grantId"]) for row in (*first, *later)]
    grants = ask(anna, "grants.listPending").list("grants")
    assert {row["grantId"] for row in grants} == {first[0]["grantId"], later[0]["grantId"]}
    assert {(row["sourceKind"], row["sourceRefId"]) for row in grants} == {("event_milestone", id_)}
    for row in grants:
        ask(anna, "grants.claim", grant_id=row["grantId"])
    assert total(anna, "gold") == 3


def test_a_milestone_is_not_reached_twice_by_going_back() -> None:
    """A score that falls and rises again finds it reached."""
    game = with_events(event(metrics=[{"key": "points", "aggregation": "last"}], milestones=MILESTONES))
    anna = game.player("anna")
    id_ = started(anna)
    reached = [
        [row["key"] for row in progress(anna, id_, points=given).list("milestones")] for given in (10, 0, 25, 12)
    ]
    assert reached == [["first"], [], ["second"], []]


def test_where_less_is_better_milestones_are_reached_from_above() -> None:
    """The nearest is the highest."""
    metrics = [{"key": "points", "aggregation": "lowest"}]
    game = with_events(event(order="asc", metrics=metrics, milestones=MILESTONES))
    anna = game.player("anna")
    id_ = started(anna)
    reached = [[row["key"] for row in progress(anna, id_, points=given).list("milestones")] for given in (31, 30, 10)]
    assert reached == [[], ["third"], ["second", "first"]]


def test_each_attempt_has_milestones_of_its_own() -> None:
    """Another attempt wins them again."""
    game = with_events(event(target=10, milestones=MILESTONES, attempts={"maxPerWindow": 2}))
    anna = game.player("anna")
    for _ in range(2):
        score(anna, 10)
    assert [row["sourceKind"] for row in game.emitted("grant.created")] == ["event_milestone"] * 2


def test_the_milestone_at_the_target_is_granted_with_the_completion() -> None:
    """In one answer, and both grants wait."""
    game = with_events(event(target=20, milestones=MILESTONES, completionRewards=[gold(7)]))
    anna = game.player("anna")
    reply = progress(anna, started(anna), points=20)
    assert (reply["attempt.status"], reply["attempt.milestones"]) == ("completed", ["first", "second"])
    kinds = [row["sourceKind"] for row in ask(anna, "grants.listPending").list("grants")]
    assert sorted(str(kind) for kind in kinds) == ["event_completion", "event_milestone", "event_milestone"]
    (told,) = game.emitted("event.completed")
    assert told["milestonesFired"] == ["first", "second"]


# -- repetition -----------------------------------------------------------------------------------------------------------


def test_progress_that_is_repeated_under_its_key_counts_once() -> None:
    """The answer is the first one, milestones and rank included."""
    game = with_events(event(milestones=MILESTONES))
    anna = game.player("anna")
    id_ = started(anna)
    about = {"key": "race", "attempt_id": id_, "idempotency_key": "k"}
    first = ask(anna, "events.progress", metrics={"points": 12}, **about)
    again = ask(anna, "events.progress", metrics={"points": 12}, **about)
    assert (again.data, again.header("Idempotent-Replay")) == (first.data, "true")
    assert attempt_row(game, id_).score == 12
    assert ask(anna, "events.progress", metrics={"points": 1}, **about).refusal == (409, "idempotency_conflict")


def test_progress_of_nothing_ranks() -> None:
    """A score of 0 that was reported is an entry; only who reported nothing has none."""
    game = with_events(event())
    anna = game.player("anna")
    begun = begin(anna)
    assert progress(anna, begun["attempt.attemptId"], points=0)["rank"] == 1
    assert places(game, begun["attempt.leaderboardId"]) == [(1, "anna", 0)]
