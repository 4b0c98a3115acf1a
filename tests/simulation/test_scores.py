"""What virtual players score: an assumption of the population, which a moved threshold does not change."""

from __future__ import annotations

import json

import attrs
import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.simulation.game import usual_score
from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, population_of, run
from livecore.world.game import START

CORE: JsonObject = {"behaviours": [{"name": "core", "share": 1.0, "arrival": {"atStart": 1.0}}]}


def with_thresholds(*thresholds: int) -> str:
    """The demo game, whose daily event has these milestones and neither a cost nor a target."""
    config = json.loads(DEMO)
    event = config["events"][0]
    xp = [{"type": "currency", "resourceKey": "xp", "amount": 1}]
    event["milestones"] = [{"key": f"m{at}", "threshold": at, "entries": xp} for at in thresholds]
    del event["target"], event["entryCost"], event["completionRewards"]
    return json.dumps(config)


def plan(config: str, **population: object) -> Plan:
    """Three days of ten players."""
    return Plan(config, json.dumps({**CORE, **population}), 10, 3, 1, START)


def best_scores(seen: Observed) -> list[list[int]]:
    """The quantiles of the scores in each window of the daily event."""
    return [window.scores for window in seen.windows if window.event == "daily-dash" and window.players]


def test_the_middle_threshold_is_what_a_middling_player_scores() -> None:
    event = load_config(with_thresholds(10, 100, 9_000)).events[0]
    assert usual_score(event) == 100
    assert usual_score(load_config(with_thresholds()).events[0]) == 100
    assert usual_score(load_config(with_thresholds(30, 70)).events[0]) == 70


def test_a_threshold_that_is_moved_is_reached_by_fewer_and_changes_no_score() -> None:
    """As `--against` plays it."""
    before, after = with_thresholds(50, 100), with_thresholds(50, 10_000)
    first = run(plan(before))
    second = run(attrs.evolve(plan(after), usual_of=before))
    assert best_scores(first) == best_scores(second)
    reached = [sum(window.milestones.total() for window in seen.windows) for seen in (first, second)]
    assert reached[0] > reached[1] > 0


def test_a_population_says_what_is_scored() -> None:
    config = with_thresholds(50, 100)
    weak, strong = (run(plan(config, scores={"daily-dash": score})) for score in (5, 5_000))
    assert max(max(scores) for scores in best_scores(weak)) < 50
    assert min(max(scores) for scores in best_scores(strong)) > 1_000


def test_scores_of_an_event_that_there_is_not_are_refused() -> None:
    with pytest.raises(ValidationFailed) as caught:
        population_of(plan(DEMO, scores={"daily-dsah": 5}))
    assert caught.value.fields == {"scores.daily-dsah": "is not declared in the configuration's 'events'"}
    with pytest.raises(ValidationFailed) as caught:
        population_of(plan(DEMO, scores={"daily-dash": 0}))
    assert "scores.daily-dash" in caught.value.fields
