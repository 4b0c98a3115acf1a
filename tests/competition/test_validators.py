"""Validators: each kind at its limit and just beyond, what they measure, and in which order they speak."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.leaderboards.definition import Validator
from livecore.leaderboards.validators import KINDS, Sample, judged, register
from tests.competition.games import event, with_events
from tests.worlds import ask


def sample(metric: str = "points", *, before: int | None = 0, after: int = 10, elapsed: int = 2_000) -> Sample:
    """A write of one metric."""
    return Sample(metric=metric, before=before, after=after, gained=after, elapsed=elapsed)


def limit(kind: str, **fields: object) -> Validator:
    """A validator."""
    return Validator(key=f"v-{kind}", kind=kind, verdict="flag", **fields)  # type: ignore[arg-type] # as a game declares it


@pytest.mark.parametrize(
    ("validator", "within", "beyond"),
    [
        (limit("max_rate", limit=5), sample(after=10), sample(after=11)),
        (limit("max_rate", limit=5), sample(after=5, elapsed=0), sample(after=6, elapsed=999)),
        (limit("max_step", limit=3), sample(before=7), sample(before=6)),
        (limit("max_step", limit=3), sample(before=13), sample(before=14)),
        (limit("max_step", limit=3), sample(before=None), sample(before=6)),
        (limit("range", min=10), sample(after=10), sample(after=9)),
        (limit("range", max=10), sample(after=10), sample(after=11)),
        (limit("range", min=-5, max=5), sample(after=-5), sample(after=-6)),
    ],
)
def test_a_value_at_the_limit_is_within_it(validator: Validator, within: Sample, beyond: Sample) -> None:
    """And the next one is not; the finding says which limit, and what was measured."""
    assert list(judged([validator], {"points": within}, "points")) == []
    (found,) = judged([validator], {"points": beyond}, "points")
    assert found.validator is validator
    assert found.reason.startswith("points ")
    shown = found.snapshot
    assert (shown.metric_key, shown.before, shown.after) == ("points", beyond.before or 0, beyond.after)
    assert (shown.elapsed_sec, shown.avg_rate) == (beyond.elapsed / 1_000, beyond.rate)
    assert shown.limit in {validator.limit, validator.min, validator.max}


def test_a_validator_is_about_its_metric_or_about_the_score() -> None:
    """And about a metric that the write does not change it says nothing."""
    laps = limit("range", max=1, metric="laps")
    points = limit("range", max=1)
    samples = {"points": sample()}
    assert [found.validator for found in judged([laps, points], samples, "points")] == [points]
    both = {**samples, "laps": sample("laps")}
    assert [found.validator for found in judged([laps, points], both, "points")] == [laps, points]


def _odd(_: Validator, seen: Sample) -> tuple[str, float] | None:
    return ("is odd", 0.0) if seen.after % 2 else None


@pytest.fixture
def odd() -> Iterator[JsonObject]:
    """A kind of validator that a program has registered, and an event that uses it."""
    register("odd", _odd)
    yield event(validators=[{"key": "even-only", "kind": "odd", "verdict": "reject"}])
    del KINDS["odd"]


def test_a_program_can_register_a_kind_of_its_own(odd: JsonObject) -> None:
    """A function of the validator and the sample is all that a kind is; the configuration may name it from then on."""
    game = with_events(odd)
    game.advance(seconds=1)
    anna = game.player("anna")
    attempt_id = ask(anna, "events.start", key="race")["attempt.attemptId"]
    report = {"key": "race", "attempt_id": attempt_id}
    refused = ask(anna, "events.progress", metrics={"points": 11}, **report)
    assert (refused.status, refused.code) == (422, "anti_cheat_rejected")
    assert refused["details.validatorKey"] == "even-only"
    assert ask(anna, "events.progress", metrics={"points": 12}, **report)["attempt.score"] == 12


def test_a_kind_is_registered_once(odd: JsonObject) -> None:
    """And the service's own kinds stay what they are."""
    assert odd["key"] == "race"
    for kind in ("odd", "range"):
        with pytest.raises(ValueError, match="there is a kind"):
            register(kind, _odd)


def test_a_configuration_names_no_kind_that_nobody_has_registered() -> None:
    """The refusal names the place and the kinds that there are."""
    with pytest.raises(ValidationFailed) as refused:
        with_events(event(validators=[{"key": "v", "kind": "odd", "verdict": "flag"}]))
    assert refused.value.fields["events[0].validators[0].kind"].startswith(
        "must be one of 'max_rate', 'max_step', 'range'"
    )
