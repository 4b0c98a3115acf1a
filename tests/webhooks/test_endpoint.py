"""The life of an endpoint: every pair of state and trigger, and what the breaker counts."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.webhooks import endpoint
from livecore.webhooks.delivery import IllegalTransition
from livecore.webhooks.endpoint import (
    BREAKER_THRESHOLD,
    BreakerState,
    EndpointState,
    EndpointStatus,
    EndpointTrigger,
    PauseReason,
    Tripped,
)
from livecore.webhooks.outcome import Outcome, answered, unanswered

NOW = 1_769_851_800_000
OK = answered(200, now=NOW)
BROKEN = answered(500, now=NOW)
GONE = answered(410, now=NOW)
ACTIVE = EndpointState()
STATES: tuple[EndpointStatus, ...] = get_args(EndpointStatus)
TRIGGERS: tuple[EndpointTrigger, ...] = get_args(EndpointTrigger)

ALLOWED: dict[EndpointStatus, dict[EndpointTrigger, PauseReason | None]] = {
    "active": {"pause": "operator", "trip": "consecutive_failures", "gone": "gone"},
    "paused": {"unpause": None},
}
"""Every move with the reason that the new state gives, written by hand; what is missing is forbidden."""


def in_state(status: EndpointStatus) -> EndpointState:
    """An endpoint one failure short of tripping, in `status`."""
    breaker = BreakerState(("d1", "d2", "d3", "d4"))
    if status == "active":
        return EndpointState(breaker=breaker)
    return EndpointState(status="paused", pause_reason="operator", paused_at=NOW - 1, breaker=breaker)


def fire(state: EndpointState, trigger: EndpointTrigger) -> EndpointState:
    """Have `trigger` happen to an endpoint through the function that stands for it."""
    if trigger == "pause":
        return endpoint.paused(state, NOW)
    if trigger == "unpause":
        return endpoint.unpaused(state)
    return endpoint.after_attempt(state, "d5", BROKEN if trigger == "trip" else GONE, now=NOW)[0]


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("status", STATES)
def test_every_pair_of_state_and_trigger(status: EndpointStatus, trigger: EndpointTrigger) -> None:
    """Each trigger leads where the hand-written table says; else an operator's is refused and an answer's is ignored."""
    state = in_state(status)
    assert endpoint.allows(state, trigger) == (trigger in ALLOWED[status])
    if trigger in ALLOWED[status]:
        after = fire(state, trigger)
        assert after.pause_reason == ALLOWED[status][trigger]
        assert after.status == ("active" if trigger == "unpause" else "paused")
        assert after.paused_at == (None if trigger == "unpause" else NOW)
    elif trigger in {"pause", "unpause"}:
        with pytest.raises(IllegalTransition):
            fire(state, trigger)
        assert state == in_state(status)
    else:
        assert fire(state, trigger) is state


def run(*attempts: tuple[str, Outcome], threshold: int = BREAKER_THRESHOLD) -> tuple[EndpointState, list[Tripped]]:
    """The state after a row of attempts at an active endpoint, and every trip on the way."""
    state, trips = ACTIVE, []
    for delivery_id, outcome in attempts:
        state, tripped = endpoint.after_attempt(state, delivery_id, outcome, now=NOW, threshold=threshold)
        trips += [tripped] if tripped else []
    return state, trips


def test_five_deliveries_in_a_row_trip_the_breaker() -> None:
    """The fifth distinct failure pauses the endpoint and tells what happened, once."""
    fails = [(f"d{number}", BROKEN) for number in range(1, 8)]
    assert run(*fails[:4]) == (EndpointState(breaker=BreakerState(("d1", "d2", "d3", "d4"))), [])
    state, trips = run(*fails)
    assert (state.status, state.pause_reason, state.paused_at) == ("paused", "consecutive_failures", NOW)
    assert trips == [
        Tripped(consecutive_failures=5, threshold=5, last_status=500, last_error="the endpoint answered 500")
    ]


def test_one_bad_delivery_counts_once() -> None:
    """One event that fails all its retries does not cut the endpoint off."""
    state, trips = run(*[("d1", BROKEN)] * 7)
    assert (state.status, state.breaker.failing, trips) == ("active", ("d1",), [])


def test_any_success_starts_the_count_anew() -> None:
    """Failures count in a row: one 2xx between them and four more are harmless."""
    fails = [(f"d{number}", BROKEN) for number in range(1, 5)]
    state, trips = run(*fails, ("d9", OK), *fails)
    assert (state.status, len(state.breaker.failing), trips) == ("active", 4, [])


def test_success_of_a_healthy_endpoint_changes_nothing() -> None:
    """The usual case gives back the same object, so that nothing needs writing."""
    assert endpoint.after_attempt(ACTIVE, "d1", OK, now=NOW) == (ACTIVE, None)
    assert endpoint.after_attempt(ACTIVE, "d1", OK, now=NOW)[0] is ACTIVE


def test_a_timeout_is_told_without_a_status() -> None:
    """Where no answer came, the trip tells the fault instead of a status."""
    _, (trip,) = run(("d1", unanswered("timeout")), threshold=1)
    assert (trip.last_status, trip.last_error) == (None, "timeout")


@pytest.mark.parametrize("threshold", [1, 2, 5, 50])
def test_threshold_is_configurable(threshold: int) -> None:
    """The deployment's threshold is the one that trips, and the one that is told."""
    fails = [(f"d{number}", BROKEN) for number in range(threshold)]
    assert run(*fails[:-1], threshold=threshold)[1] == []
    (trip,) = run(*fails, threshold=threshold)[1]
    assert (trip.consecutive_failures, trip.threshold) == (threshold, threshold)


def test_gone_pauses_without_the_breaker() -> None:
    """A 410 pauses at the first answer and is no run of failures: nobody is told of a tripped breaker."""
    state, trips = run(("d1", GONE))
    assert (state.status, state.pause_reason, trips) == ("paused", "gone", [])


@pytest.mark.parametrize("outcome", [OK, BROKEN, GONE])
@pytest.mark.parametrize("status", STATES)
def test_samples_leave_the_endpoint_as_it_is(status: EndpointStatus, outcome: Outcome) -> None:
    """An operator's test neither trips the breaker nor heals it."""
    state = in_state(status)
    result = endpoint.after_attempt(state, "d5", outcome, sample=True, now=NOW)
    assert result == (state, None)


@pytest.mark.parametrize("outcome", [OK, BROKEN, GONE])
def test_late_outcomes_do_not_touch_a_pause(outcome: Outcome) -> None:
    """What was under way when the pause began ends it neither well nor badly, and trips nothing again."""
    state = in_state("paused")
    assert endpoint.after_attempt(state, "d5", outcome, now=NOW) == (state, None)


def test_unpausing_forgets_the_failures() -> None:
    """After a pause the endpoint has its full run of failures again."""
    assert endpoint.unpaused(in_state("paused")) == ACTIVE


@given(st.lists(st.from_regex(r"whd_[0-9A-Z]{4}", fullmatch=True), unique=True))
def test_breaker_survives_its_column(failing: list[str]) -> None:
    """The breaker's state reads back from the text that is stored."""
    state = BreakerState(tuple(failing))
    assert BreakerState.parse(state.text) == state


@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.booleans())))
def test_breaker_counts_what_a_plain_count_would(attempts: list[tuple[str, bool]]) -> None:
    """The endpoint is paused exactly when five different deliveries failed since the last success."""
    state, _ = run(*((name, OK if fine else BROKEN) for name, fine in attempts))
    failing: set[str] = set()
    for name, fine in attempts:
        failing = set() if fine else failing | {name}
        if len(failing) == BREAKER_THRESHOLD:
            break
    assert (state.status == "paused") == (len(failing) == BREAKER_THRESHOLD)
