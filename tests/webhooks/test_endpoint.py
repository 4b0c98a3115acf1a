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
from livecore.webhooks.outcome import Fault, Outcome, answered, unanswered

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


COUNTS_EACH: dict[Fault, bool] = {
    "timeout": False,
    "dns_failed": False,
    "connection_failed": False,
    "connection_reset": False,
    "address_refused": True,
    "tls_failed": True,
    "malformed_answer": True,
}
"""Each fault, and whether it counts every time, written by hand from the wire contract; the others found nobody."""
SPACINGS = {0: 1, 1: 1, 59_999: 1, 60_000: 2, 60_001: 2, 86_400_000: 2, -1: 2, -86_400_000: 2}
"""Milliseconds from one absence to the next, and how many of the two count; a clock that was set back keeps none away."""


def test_every_fault_is_judged() -> None:
    """A fault more must be said to be an absence or none."""
    assert set(COUNTS_EACH) == set(get_args(Fault))


@pytest.mark.parametrize("fault", COUNTS_EACH)
@pytest.mark.parametrize("spacing", SPACINGS)
def test_an_absence_counts_at_most_once_a_minute(fault: Fault, spacing: int) -> None:
    """Two deliveries that fail so far apart: whoever found nobody counts once within a minute, all else each time."""
    first, _ = endpoint.after_attempt(ACTIVE, "d1", unanswered(fault), now=NOW)
    second, _ = endpoint.after_attempt(first, "d2", unanswered(fault), now=NOW + spacing)
    assert len(second.breaker.failing) == (2 if COUNTS_EACH[fault] else SPACINGS[spacing])
    if len(second.breaker.failing) == 1:
        assert second is first


@pytest.mark.parametrize("status", [100, 301, 404, 429, 500, 503])
def test_each_failed_answer_counts(status: int) -> None:
    """Whoever answers is there: five answers at the same moment pause the endpoint, whatever they are."""
    state, trips = run(*[(f"d{number}", answered(status, now=NOW)) for number in range(5)])
    assert (state.status, len(trips)) == ("paused", 1)


def test_an_absence_and_answers_count_together() -> None:
    """Four answers and one absence are five, in either order; two absences of one minute are one."""
    answers = [(f"d{number}", BROKEN) for number in range(4)]
    nobody = unanswered("connection_failed")
    assert run(*answers, ("n1", nobody))[0].status == "paused"
    assert run(("n1", nobody), *answers)[0].status == "paused"
    assert run(("n1", nobody), ("n2", nobody), *answers[:3])[0].status == "active"


def test_a_repetition_does_not_use_up_the_minute() -> None:
    """A delivery that counts already does not keep another one from counting."""
    nobody = unanswered("timeout")
    state, _ = endpoint.after_attempt(ACTIVE, "d1", nobody, now=NOW)
    again, _ = endpoint.after_attempt(state, "d1", nobody, now=NOW + 60_000)
    assert again is state
    other, _ = endpoint.after_attempt(again, "d2", nobody, now=NOW + 60_001)
    assert other.breaker.failing == ("d1", "d2")


def test_neither_success_nor_the_end_of_a_pause_begins_a_new_minute() -> None:
    """An endpoint counts once a minute, whatever happened in between."""
    nobody = unanswered("connection_failed")
    state, _ = endpoint.after_attempt(ACTIVE, "d1", nobody, now=NOW)
    well, _ = endpoint.after_attempt(state, "d2", OK, now=NOW + 1)
    assert endpoint.after_attempt(well, "d3", nobody, now=NOW + 2) == (well, None)
    begun = endpoint.unpaused(endpoint.paused(state, NOW + 1))
    assert endpoint.after_attempt(begun, "d3", nobody, now=NOW + 2) == (begun, None)


@pytest.mark.parametrize("fault", [fault for fault, each in COUNTS_EACH.items() if not each])
def test_a_long_absence_is_paused(fault: Fault) -> None:
    """Where events flow, the fifth count comes after four minutes."""
    state, at = ACTIVE, NOW
    tripped: Tripped | None = None
    while state.status == "active":
        at += 1_000
        state, tripped = endpoint.after_attempt(state, f"d{at}", unanswered(fault), now=at)
    assert at - NOW == 4 * 60_000 + 1_000
    assert tripped is not None
    assert (tripped.last_status, tripped.last_error) == (None, fault)


@given(st.lists(st.from_regex(r"whd_[0-9A-Z]{4}", fullmatch=True), unique=True))
def test_breaker_survives_its_column(failing: list[str]) -> None:
    """The breaker's state reads back from the text that is stored."""
    state = BreakerState(tuple(failing))
    assert BreakerState.parse(state.text) == state


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefg"), st.sampled_from(["fine", "broken", "nobody"]), st.integers(0, 70_000))
    )
)
def test_breaker_counts_what_a_plain_count_would(attempts: list[tuple[str, str, int]]) -> None:
    """The endpoint is paused exactly when five different deliveries failed since the last success and counted."""
    outcomes = {"fine": OK, "broken": BROKEN, "nobody": unanswered("connection_failed")}
    state, at = ACTIVE, NOW
    failing: set[str] = set()
    absences = [NOW - 60_000]
    for name, how, later in attempts:
        at += later
        state, _ = endpoint.after_attempt(state, name, outcomes[how], now=at)
        counts = name not in failing and (how == "broken" or (how == "nobody" and at - absences[-1] >= 60_000))
        if counts and how == "nobody":
            absences.append(at)
        failing = set() if how == "fine" else failing | ({name} if counts else set())
        if len(failing) == BREAKER_THRESHOLD:
            break
    assert (state.status == "paused") == (len(failing) == BREAKER_THRESHOLD)
