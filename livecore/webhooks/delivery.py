"""The state machine of a delivery: one event on its way to one endpoint.

A delivery is *pending* until an attempt succeeds. The first attempt is made at once; after each failure the delivery waits
for the next step of the schedule, and when the sixth retry has failed too, it has *failed*. If it becomes due while its
endpoint is paused, it is *held* until the pause ends, and *discarded* if it has waited for thirty days by then. At the end
of a pause the deliveries that wait for a retry are held too, and then all are released, so that all are sent at once and in
one order. Removing the endpoint also discards waiting deliveries. An operator can replay a delivery that succeeded or
failed: the same event with the same id; the attempts are counted further, and there are no automatic retries.

Delivery is at least once. A sender leases a delivery by moving its due time ahead. A sender that dies loses its lease, and
the same attempt is made again. So an outcome names its attempt, and a late outcome for an attempt that is already recorded
changes nothing.

    pending ──succeeded──> delivered ──replay──> pending
       │ └────exhausted──> failed ─────replay──> pending
      hold
       └──> held ──release──> pending
              └──age_out──> discarded <──abandon── pending, held

The rules are sections 3.7 and 8 of the specification and "Delivery" of the wire contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import DAY, HOUR, MINUTE, SECOND, Millis
from livecore.webhooks.outcome import Outcome

RETRY_SCHEDULE: Final[tuple[Millis, ...]] = (30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR)
"""The wait before each retry, after the previous failure."""
KEPT_FOR: Final[Millis] = 30 * DAY
"""How long a delivery waits for the end of a pause, counted from its event."""
LEASE: Final[Millis] = MINUTE
"""The time of a sender's lease of a delivery: well over the ten seconds that an attempt may take."""

DeliveryStatus: TypeAlias = Literal["pending", "held", "delivered", "failed", "discarded"]
DeliveryTrigger: TypeAlias = Literal[
    "succeeded", "failed", "exhausted", "hold", "release", "age_out", "abandon", "replay"
]
"""The triggers: an attempt succeeds, fails with a retry left, or fails with none left (`exhausted`); for the others see
above."""

TRANSITIONS: Final[Mapping[tuple[DeliveryStatus, DeliveryTrigger], DeliveryStatus]] = MappingProxyType(
    {
        ("pending", "succeeded"): "delivered",
        ("pending", "failed"): "pending",
        ("pending", "exhausted"): "failed",
        ("pending", "hold"): "held",
        ("pending", "abandon"): "discarded",
        # An attempt that was being made when the endpoint was paused still counts.
        ("held", "succeeded"): "delivered",
        ("held", "failed"): "held",
        ("held", "exhausted"): "failed",
        ("held", "release"): "pending",
        ("held", "age_out"): "discarded",
        ("held", "abandon"): "discarded",
        ("delivered", "replay"): "pending",
        ("failed", "replay"): "pending",
    }
)
"""All transitions of a delivery; a pair that is not here is forbidden."""


class IllegalTransition(Exception):
    """The trigger is not allowed in this state; call `allows` first where a caller can cause it."""

    def __init__(self, status: str, trigger: str) -> None:
        super().__init__(f"{trigger!r} is not possible in the state {status!r}")


@attrs.frozen(kw_only=True)
class DeliveryState:
    """The state of a delivery: the part of its record that the rules decide.

    `attempt` counts the finished attempts. `queued_at` is when the delivery, or its last replay, was queued; `due_at` is
    when the next attempt is due, `None` if there is none.
    """

    status: DeliveryStatus = "pending"
    attempt: int = 0
    automatic: bool = True
    """Whether failures are retried by schedule; those of a replay are not."""
    queued_at: Millis
    due_at: Millis | None


def queued(now: Millis, *, paused: bool = False) -> DeliveryState:
    """A new delivery, due at once or, for a paused endpoint, held."""
    return DeliveryState(status="held" if paused else "pending", queued_at=now, due_at=None if paused else now)


def allows(state: DeliveryState, trigger: DeliveryTrigger) -> bool:
    """Whether `trigger` can happen to a delivery in this state."""
    return (state.status, trigger) in TRANSITIONS


def leased(state: DeliveryState, now: Millis) -> DeliveryState:
    """Give the next attempt to one sender for the time of a lease; its number is `state.attempt + 1`."""
    if state.status != "pending":
        raise IllegalTransition(state.status, "lease")
    return attrs.evolve(state, due_at=now + LEASE)


def after_attempt(
    state: DeliveryState,
    attempt: int,
    outcome: Outcome,
    *,
    now: Millis,
    entropy: Entropy,
    schedule: Sequence[Millis] = RETRY_SCHEDULE,
) -> DeliveryState:
    """Return the state after attempt number `attempt` ended in `outcome`; unchanged if that is already recorded.

    Raises `IllegalTransition` for an attempt that cannot have been made.
    """
    if attempt <= state.attempt:
        return state
    if attempt != state.attempt + 1:
        raise IllegalTransition(state.status, f"attempt {attempt}")
    trigger = _trigger(state, attempt, outcome, schedule)
    status = _next(state, trigger)
    due_at: Millis | None = None
    if status == "pending":
        due_at = now + retry_wait(attempt, outcome.retry_after_seconds, entropy, schedule)
    return attrs.evolve(state, status=status, attempt=attempt, due_at=due_at)


def held(state: DeliveryState) -> DeliveryState:
    """Hold a delivery that became due while its endpoint is paused, or that waits for a retry when the pause ends."""
    return attrs.evolve(state, status=_next(state, "hold"), due_at=None)


def released(state: DeliveryState, now: Millis) -> DeliveryState:
    """Make a held delivery due when the pause ends.

    It counts as due since it was queued. So a sender that takes deliveries in the order of `due_at` sends the oldest first,
    and all of them before later events.
    """
    return attrs.evolve(state, status=_next(state, "release"), due_at=min(now, state.queued_at))


def discarded(state: DeliveryState, now: Millis) -> DeliveryState:
    """Discard a held delivery that has waited for thirty days; a younger one stays unchanged."""
    status = _next(state, "age_out")
    if now < state.queued_at + KEPT_FOR:
        return state
    return attrs.evolve(state, status=status, due_at=None)


def abandoned(state: DeliveryState) -> DeliveryState:
    """Discard a delivery whose endpoint is removed."""
    return attrs.evolve(state, status=_next(state, "abandon"), due_at=None)


def replayed(state: DeliveryState, now: Millis) -> DeliveryState:
    """Send a delivered or failed delivery again, at once and without automatic retries."""
    return attrs.evolve(state, status=_next(state, "replay"), automatic=False, queued_at=now, due_at=now)


def brought_forward(state: DeliveryState, now: Millis, schedule: Sequence[Millis] = RETRY_SCHEDULE) -> DeliveryState:
    """Make a delivery due now if it waits longer than the rules allow, because the clock was set back; else unchanged.

    The longest wait is a lease or, after a failure, the longest wait that a receiver may ask for (see `retry_wait`).
    """
    longest = LEASE
    if state.attempt > 0:
        step = schedule[min(state.attempt, len(schedule) - 1)]
        longest = max(longest, step + step // 10)
    if state.due_at is None or state.due_at <= now + longest:
        return state
    return attrs.evolve(state, due_at=now)


def retry_wait(
    attempt: int,
    retry_after_seconds: int | None,
    entropy: Entropy,
    schedule: Sequence[Millis] = RETRY_SCHEDULE,
) -> Millis:
    """How long to wait after attempt number `attempt` failed, in milliseconds.

    The receiver can ask for a longer wait than the schedule's step, up to the step after it, but not for a shorter one. A
    random part of up to a tenth is added, so that deliveries that failed together are not retried together.
    """
    step = schedule[attempt - 1]
    most = schedule[attempt] if attempt < len(schedule) else step
    wait = max(step, min((retry_after_seconds or 0) * SECOND, most))
    return wait + wait * entropy.below(1001) // 10_000


def _trigger(
    state: DeliveryState, attempt: int, outcome: Outcome, schedule: Sequence[Millis]
) -> Literal["succeeded", "failed", "exhausted"]:
    if outcome.delivered:
        return "succeeded"
    return "failed" if state.automatic and attempt <= len(schedule) else "exhausted"


def _next(state: DeliveryState, trigger: DeliveryTrigger) -> DeliveryStatus:
    try:
        return TRANSITIONS[state.status, trigger]
    except KeyError:
        raise IllegalTransition(state.status, trigger) from None
