"""Validators on the way of progress: what is flagged, what is rejected, and that a limit itself is within it."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.events.attempt_records import PROGRESS
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.world import WorldPlayer
from tests.competition.games import event, with_events
from tests.competition.playing import attempt_row, begin, gold, places, progress, started
from tests.worlds import Reply, Since, rows_of


def validator(kind: str, verdict: str = "reject", **fields: object) -> JsonObject:
    """A validator of the score."""
    return {"key": f"{verdict}-{kind}", "kind": kind, "verdict": verdict, **fields}  # type: ignore[dict-item] # JSON


def tried(player: WorldPlayer, *given: int) -> list[int]:
    """The statuses of reports one after another, in one attempt."""
    id_ = started(player)
    return [progress(player, id_, points=points).status for points in given]


@pytest.mark.parametrize(
    ("kind", "fields", "within", "beyond"),
    [
        ("max_step", {"limit": 5}, (5, 5), (6,)),
        ("range", {"max": 9}, (9,), (10,)),
        ("range", {"min": 3}, (3,), (2,)),
        ("max_rate", {"limit": 5}, (5,), (6,)),
    ],
)
def test_a_limit_is_within_itself(
    kind: str, fields: dict[str, Any], within: tuple[int, ...], beyond: tuple[int, ...]
) -> None:
    """One more is beyond it."""
    game = with_events(event(validators=[validator(kind, **fields)]))
    assert tried(game.player("anna"), *within) == [200] * len(within)
    assert tried(game.player("bert"), *beyond) == [422]


def test_a_rate_is_the_mean_since_the_attempt_began() -> None:
    """A rest makes room for more, and what was gained before counts."""
    game = with_events(event(validators=[validator("max_rate", limit=5)]))
    anna = game.player("anna")
    id_ = started(anna)
    game.advance(seconds=10)
    assert progress(anna, id_, points=50).status == 200
    assert progress(anna, id_, points=1).status == 422
    game.advance(seconds=1)
    assert [progress(anna, id_, points=points).status for points in (6, 5, 1)] == [422, 200, 422]


def test_rejected_progress_changes_nothing_and_says_why() -> None:
    """Neither a metric nor a milestone, and nothing is told; what is possible is taken afterwards."""
    rule = validator("max_step", limit=5)
    game = with_events(event(validators=[rule], milestones=[{"key": "m", "threshold": 6, "entries": [gold(1)]}]))
    anna = game.player("anna")
    begun = begin(anna)
    id_ = begun.text("attempt.attemptId")
    game.advance(seconds=4)
    progress(anna, id_, points=2)
    since, before = Since(game), attempt_row(game, id_)
    reply = progress(anna, id_, points=8)
    assert reply.refusal == (422, "anti_cheat_rejected")
    assert reply["details"] == {
        "validatorKey": "reject-max_step",
        "metricSnapshot": {
            "metricKey": "points", "before": 2, "after": 10, "elapsedSec": 4.0, "avgRate": 2.5, "limit": 5,
        },
    }  # fmt: skip
    after = attempt_row(game, id_)
    assert (evolve(after, rejections=before.rejections), since.kinds) == (before, [])
    assert len(rows_of(game, PROGRESS)) == 1
    assert places(game, begun["attempt.leaderboardId"]) == [(1, "anna", 2)]
    assert progress(anna, id_, points=4)["attempt.milestones"] == ["m"]


def test_flagged_progress_is_applied_and_told_each_time() -> None:
    """The attempt stays flagged; the event has the measurement."""
    game = with_events(event(validators=[validator("max_step", "flag", limit=5)]))
    anna = game.player("anna")
    id_ = started(anna)
    seen: list[Reply] = [progress(anna, id_, points=points) for points in (3, 9, 1, 7)]
    assert [reply["attempt.flagged"] for reply in seen] == [False, True, True, True]
    assert seen[-1]["attempt.score"] == 20
    told = game.emitted("event.attempt_flagged")
    assert [row["validatorKey"] for row in told] == ["flag-max_step"] * 2
    snapshots = [row["metricSnapshot"] for row in told]
    assert [(row["before"], row["after"]) for row in snapshots] == [(3, 12), (13, 20)]  # type: ignore[index,call-overload] # JSON


def test_rejection_wins_over_a_flag() -> None:
    """Also where the validator that flags stands first; then nothing is flagged."""
    rules = [validator("max_step", "flag", limit=1), validator("range", max=5)]
    game = with_events(event(validators=rules))
    anna = game.player("anna")
    id_ = started(anna)
    assert progress(anna, id_, points=9)["details.validatorKey"] == "reject-range"
    assert (game.emitted("event.attempt_flagged"), attempt_row(game, id_).flagged) == ([], False)


def test_a_validator_sees_only_the_metric_that_it_is_about() -> None:
    """Without one it is about the score."""
    metrics = [{"key": "points"}, {"key": "jumps", "aggregation": "last"}]
    rules = [validator("range", max=5), {**validator("max_step", metric="jumps", limit=2), "key": "j"}]
    game = with_events(event(metrics=metrics, validators=rules))
    anna = game.player("anna")
    id_ = started(anna)
    assert progress(anna, id_, jumps=9).status == 200, "a first value is no change"
    assert progress(anna, id_, jumps=12)["details.validatorKey"] == "j"
    assert progress(anna, id_, jumps=7).status == 200
    assert progress(anna, id_, points=6, jumps=7)["details.validatorKey"] == "reject-range"


def test_a_wrong_metric_is_told_before_what_is_impossible() -> None:
    """400, not 422."""
    game = with_events(event(validators=[validator("range", max=5)]))
    anna = game.player("anna")
    assert progress(anna, started(anna), points=9, nothing=1).refusal == (400, "validation_failed")
