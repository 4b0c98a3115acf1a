"""The life of a delivery: every pair of state and trigger, the retry schedule, leases, holds and replays."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import DAY, HOUR, MINUTE, SECOND
from livecore.webhooks import delivery
from livecore.webhooks.delivery import (
    KEPT_FOR,
    LEASE,
    RETRY_SCHEDULE,
    DeliveryState,
    DeliveryStatus,
    DeliveryTrigger,
    IllegalTransition,
    queued,
)
from livecore.webhooks.outcome import Outcome, answered, unanswered

NOW = 1_769_851_800_000
OK = answered(204, now=NOW)
BROKEN = answered(500, now=NOW)
STATES: tuple[DeliveryStatus, ...] = get_args(DeliveryStatus)
TRIGGERS: tuple[DeliveryTrigger, ...] = get_args(DeliveryTrigger)

ALLOWED = {
    "pending": {
        "succeeded": "delivered",
        "failed": "pending",
        "exhausted": "failed",
        "hold": "held",
        "abandon": "discarded",
    },
    "held": {
        "succeeded": "delivered",
        "failed": "held",
        "exhausted": "failed",
        "release": "pending",
        "age_out": "discarded",
        "abandon": "discarded",
    },
    "delivered": {"replay": "pending"},
    "failed": {"replay": "pending"},
    "discarded": {},
}
"""Every move, written by hand; what is missing is forbidden."""


def chance() -> Entropy:
    """The same chance for every call."""
    return Entropy(b"delivery")


def in_state(status: DeliveryStatus) -> DeliveryState:
    """A delivery in `status` after one attempt, queued so long ago that it may be discarded."""
    due = NOW if status == "pending" else None
    return DeliveryState(status=status, attempt=1, queued_at=NOW - KEPT_FOR, due_at=due)


def fire(state: DeliveryState, trigger: DeliveryTrigger) -> DeliveryState:
    """Have `trigger` happen to a delivery through the function that stands for it."""
    number = state.attempt + 1
    if trigger == "succeeded":
        return delivery.after_attempt(state, number, OK, now=NOW, entropy=chance())
    if trigger == "failed":
        return delivery.after_attempt(state, number, BROKEN, now=NOW, entropy=chance())
    if trigger == "exhausted":
        return delivery.after_attempt(state, number, BROKEN, now=NOW, entropy=chance(), schedule=())
    if trigger == "hold":
        return delivery.held(state)
    if trigger == "release":
        return delivery.released(state, NOW)
    if trigger == "abandon":
        return delivery.abandoned(state)
    return delivery.discarded(state, NOW) if trigger == "age_out" else delivery.replayed(state, NOW)


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("status", STATES)
def test_every_pair_of_state_and_trigger(status: DeliveryStatus, trigger: DeliveryTrigger) -> None:
    """Each trigger leads where the hand-written table says, or is refused and changes nothing."""
    state = in_state(status)
    expected = ALLOWED[status].get(trigger)
    assert delivery.allows(state, trigger) == (expected is not None)
    if expected is None:
        with pytest.raises(IllegalTransition):
            fire(state, trigger)
        assert state == in_state(status)
    else:
        after = fire(state, trigger)
        assert after.status == expected
        assert (after.due_at is not None) == (expected == "pending")


def test_a_new_delivery_is_due_at_once_unless_paused() -> None:
    """Nothing waits that need not; what a paused endpoint gets is held from the start."""
    assert queued(NOW) == DeliveryState(status="pending", attempt=0, queued_at=NOW, due_at=NOW)
    assert queued(NOW, paused=True) == DeliveryState(status="held", attempt=0, queued_at=NOW, due_at=None)


def test_schedule_is_the_documented_one() -> None:
    """Six retries: after 30 seconds, 2 and 10 minutes, 1, 6 and 24 hours."""
    assert RETRY_SCHEDULE == (30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY)


def test_seven_failures_and_it_has_failed() -> None:
    """One attempt and six retries, each after its step and at most a tenth more; then nothing more is due."""
    state, now, entropy = queued(NOW), NOW, chance()
    for attempt, step in enumerate(RETRY_SCHEDULE, start=1):
        state = delivery.after_attempt(state, attempt, BROKEN, now=now, entropy=entropy)
        assert (state.status, state.attempt) == ("pending", attempt)
        assert state.due_at is not None
        assert now + step <= state.due_at <= now + step + step // 10
        now = state.due_at
    state = delivery.after_attempt(state, 7, BROKEN, now=now, entropy=entropy)
    assert (state.status, state.attempt, state.due_at) == ("failed", 7, None)


@pytest.mark.parametrize("attempt", range(1, 8))
def test_success_at_any_attempt_delivers(attempt: int) -> None:
    """The last retry is as good as the first attempt."""
    state = attrs.evolve(queued(NOW), attempt=attempt - 1)
    after = delivery.after_attempt(state, attempt, OK, now=NOW, entropy=chance())
    assert (after.status, after.attempt, after.due_at) == ("delivered", attempt, None)


@pytest.mark.parametrize("outcome", [OK, BROKEN, unanswered("timeout")])
def test_a_recorded_attempt_is_not_recorded_again(outcome: Outcome) -> None:
    """The late outcome of a lost lease neither counts twice nor undoes what came first."""
    for state in map(in_state, STATES):
        assert delivery.after_attempt(state, 1, outcome, now=NOW, entropy=chance()) is state


def test_an_attempt_that_was_never_due_is_refused() -> None:
    """An outcome from the future is a fault of the caller."""
    with pytest.raises(IllegalTransition):
        delivery.after_attempt(queued(NOW), 2, OK, now=NOW, entropy=chance())


def test_lease_outlasts_an_attempt_and_then_ends() -> None:
    """A leased delivery is nobody else's for a while, keeps its attempt's number, and comes due again by itself."""
    state = delivery.leased(queued(NOW), NOW)
    assert (state.status, state.attempt, state.due_at) == ("pending", 0, NOW + LEASE)
    assert LEASE > 10 * SECOND
    for status in ("held", "delivered", "failed", "discarded"):
        with pytest.raises(IllegalTransition):
            delivery.leased(in_state(status), NOW)


def test_a_hold_keeps_the_attempts_and_a_release_sends_at_once() -> None:
    """A pause costs no attempt, and its end does not wait for the schedule."""
    tried = delivery.after_attempt(queued(NOW), 1, BROKEN, now=NOW, entropy=chance())
    released = delivery.released(delivery.held(tried), NOW + DAY)
    assert (released.status, released.attempt, released.queued_at) == ("pending", 1, NOW)
    assert released.due_at is not None
    assert released.due_at <= NOW + DAY


def test_what_was_held_comes_before_what_is_new_and_the_oldest_first() -> None:
    """In the order of their due times, held deliveries precede one that is queued as the pause ends."""
    held = [queued(NOW + age, paused=True) for age in (2 * HOUR, 0, HOUR)]
    end = NOW + DAY
    line = sorted([queued(end), *(delivery.released(one, end) for one in held)], key=lambda one: one.due_at or 0)
    assert [one.queued_at for one in line] == [NOW, NOW + HOUR, NOW + 2 * HOUR, end]


def test_held_deliveries_are_kept_for_thirty_days() -> None:
    """Up to the last millisecond of the thirtieth day a held delivery stays, then it is given up."""
    state = queued(NOW, paused=True)
    assert delivery.discarded(state, NOW + 30 * DAY - 1) is state
    assert delivery.discarded(state, NOW + 30 * DAY).status == "discarded"


@pytest.mark.parametrize("status", ["delivered", "failed"])
def test_a_replay_counts_on_and_is_not_retried(status: DeliveryStatus) -> None:
    """A replay goes out at once as the next attempt; its failure is final, and it can be replayed again."""
    again = delivery.replayed(in_state(status), NOW)
    assert (again.status, again.attempt, again.due_at) == ("pending", 1, NOW)
    failed = delivery.after_attempt(again, 2, BROKEN, now=NOW, entropy=chance())
    assert (failed.status, failed.attempt, failed.due_at) == ("failed", 2, None)
    done = delivery.after_attempt(delivery.replayed(failed, NOW), 3, OK, now=NOW, entropy=chance())
    assert (done.status, done.attempt) == ("delivered", 3)


def test_a_replay_of_something_old_is_kept_like_new() -> None:
    """A replay that meets a pause has thirty days of its own."""
    held = delivery.held(delivery.replayed(in_state("failed"), NOW))
    assert delivery.discarded(held, NOW + DAY) is held


@pytest.mark.parametrize(
    ("attempt", "asked_seconds", "least"),
    [
        (1, None, 30 * SECOND),
        (1, 0, 30 * SECOND),
        (1, 29, 30 * SECOND),
        (1, 60, MINUTE),
        (1, 120, 2 * MINUTE),
        (1, 121, 2 * MINUTE),
        (1, 10**9, 2 * MINUTE),
        (2, 300, 5 * MINUTE),
        (5, 24 * 3600 + 1, DAY),
        (6, None, DAY),
        (6, 10**9, DAY),
    ],
)
def test_retry_after_is_honoured_up_to_the_next_step(attempt: int, asked_seconds: int | None, least: int) -> None:
    """A receiver can ask for a longer wait up to the schedule's next step, and not for a shorter one."""
    wait = delivery.retry_wait(attempt, asked_seconds, chance())
    assert least <= wait <= least + least // 10


def test_retry_after_reaches_the_schedule_from_the_answer() -> None:
    """The header of a 429 moves the due time of the next attempt."""
    busy = answered(429, retry_after="90", now=NOW)
    state = delivery.after_attempt(queued(NOW), 1, busy, now=NOW, entropy=chance())
    assert state.due_at is not None
    assert NOW + 90 * SECOND <= state.due_at <= NOW + 99 * SECOND
