"""The life of one delivery: one event on its way to one endpoint.

A delivery is *pending* until an attempt succeeds. The first attempt is made at once; each failure waits for the next step of
the schedule, and when the sixth retry has failed too, the delivery has *failed*. If its time comes while its endpoint is
paused, it is *held* until the pause ends, and *discarded* when it has waited for thirty days by then. A pause that ends
holds what waits for a retry as well, and then releases all of it, so that everything goes at once and in one order. Removing
the endpoint discards what is still waiting, too. What was delivered or has failed can be replayed by an operator: the same
event with the same id, its attempts counted on, and no automatic retries, because somebody is watching.

Senders work at least once. One leases a delivery by moving its due time ahead; a sender that dies loses its lease, and the
same attempt is made again. An outcome therefore names the attempt it is of, and one that comes late, for an attempt that is
already recorded, changes nothing.

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

__all__ = [
    "KEPT_FOR",
    "LEASE",
    "RETRY_SCHEDULE",
    "TRANSITIONS",
    "DeliveryState",
    "DeliveryStatus",
    "DeliveryTrigger",
    "IllegalTransition",
    "abandoned",
    "after_attempt",
    "allows",
    "brought_forward",
    "discarded",
    "held",
    "leased",
    "queued",
    "released",
    "replayed",
    "retry_wait",
]

RETRY_SCHEDULE: Final[tuple[Millis, ...]] = (30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR)
"""How long each retry waits after the failure before it."""
KEPT_FOR: Final[Millis] = 30 * DAY
"""How long a delivery waits for a pause to end, counted from its event."""
LEASE: Final[Millis] = MINUTE
"""How long a sender has a delivery to itself: well over the ten seconds that an attempt may take."""

DeliveryStatus: TypeAlias = Literal["pending", "held", "delivered", "failed", "discarded"]
DeliveryTrigger: TypeAlias = Literal[
    "succeeded", "failed", "exhausted", "hold", "release", "age_out", "abandon", "replay"
]
"""What can happen: an attempt succeeds, fails with a retry left, or fails with none (`exhausted`); the rest is above."""

TRANSITIONS: Final[Mapping[tuple[DeliveryStatus, DeliveryTrigger], DeliveryStatus]] = MappingProxyType(
    {
        ("pending", "succeeded"): "delivered",
        ("pending", "failed"): "pending",
        ("pending", "exhausted"): "failed",
        ("pending", "hold"): "held",
        ("pending", "abandon"): "discarded",
        # An attempt that was under way when the endpoint was paused still counts.
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
"""Every move that a delivery can make; a pair that is not here is forbidden."""


class IllegalTransition(Exception):
    """A state was told of something that cannot happen to it; ask `allows` before, where a caller can cause it."""

    def __init__(self, status: str, trigger: str) -> None:
        super().__init__(f"{trigger!r} cannot happen to what is {status!r}")


@attrs.frozen(kw_only=True)
class DeliveryState:
    """Where a delivery stands: the part of its record that the rules decide.

    `attempt` counts the attempts that are over. `queued_at` is when the delivery, or its last replay, began to wait;
    `due_at` is when the next attempt is due, `None` where none is.
    """

    status: DeliveryStatus = "pending"
    attempt: int = 0
    automatic: bool = True
    """Whether failures are retried by schedule; a replay's are not."""
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
    """Return the state after attempt number `attempt` ended in `outcome`; unchanged where that is recorded already.

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
    """Keep a delivery that came due while its endpoint is paused, or that waits for a retry when the pause ends."""
    return attrs.evolve(state, status=_next(state, "hold"), due_at=None)


def released(state: DeliveryState, now: Millis) -> DeliveryState:
    """Make a held delivery due when the pause ends.

    It counts as due since it was queued, so whoever takes deliveries in the order of `due_at` sends the oldest first, and
    all of them before what happens from now on.
    """
    return attrs.evolve(state, status=_next(state, "release"), due_at=min(now, state.queued_at))


def discarded(state: DeliveryState, now: Millis) -> DeliveryState:
    """Give up a held delivery that has waited for thirty days; unchanged while it is younger."""
    status = _next(state, "age_out")
    if now < state.queued_at + KEPT_FOR:
        return state
    return attrs.evolve(state, status=status, due_at=None)


def abandoned(state: DeliveryState) -> DeliveryState:
    """Give up a delivery whose endpoint is removed."""
    return attrs.evolve(state, status=_next(state, "abandon"), due_at=None)


def replayed(state: DeliveryState, now: Millis) -> DeliveryState:
    """Send once more what was delivered or has failed, at once and without automatic retries."""
    return attrs.evolve(state, status=_next(state, "replay"), automatic=False, queued_at=now, due_at=now)


def brought_forward(state: DeliveryState, now: Millis, schedule: Sequence[Millis] = RETRY_SCHEDULE) -> DeliveryState:
    """Make a delivery due now that waits longer than it can have to, because the clock was set back; else unchanged.

    The longest wait is a lease, or after a failure the step that a receiver may ask for (see `retry_wait`).
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

    The receiver can ask for more than the schedule's step, up to the step after it, and never for less. Up to a tenth is
    added by chance, so that what failed together does not come back together.
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
