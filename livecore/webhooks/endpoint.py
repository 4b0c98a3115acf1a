"""The state machine of an endpoint: active, or paused until an operator unpauses it.

A breaker pauses an endpoint that keeps failing. It counts the distinct deliveries with a failed attempt since the last 2xx.
A delivery that fails several times counts once, so that a single bad event does not stop all others. Each failure with an
answer counts. An attempt that found nobody counts at most once a minute for an endpoint: while a receiver is restarted, a
burst of events fails within a second, and that must not pause it until a person comes. A receiver that nobody reaches while
events flow is paused by the fifth count, after four minutes at the earliest. A receiver that answers 410 is paused at once.
Attempts that are being made when a pause begins may finish, but they do not trip the breaker again or end the pause: only an
operator ends it.

Sample deliveries are an operator's test. Their outcomes do not change the endpoint.

The rules are sections 3.7 and 8 of the specification and "Delivery" of the wire contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import attrs

from livecore.kernel.time import MINUTE, Millis
from livecore.webhooks.delivery import IllegalTransition
from livecore.webhooks.outcome import Outcome

BREAKER_THRESHOLD: Final = 5
"""How many deliveries in a row may fail before the endpoint is paused: the default of a deployment."""
_ABSENCE_SPACING: Final[Millis] = MINUTE
"""The shortest time between two counted attempts that found nobody."""
MAX_IN_FLIGHT: Final = 4
"""How many attempts may be made to one endpoint at the same time, so that a slow receiver delays only itself."""

EndpointStatus: TypeAlias = Literal["active", "paused"]
EndpointTrigger: TypeAlias = Literal["pause", "trip", "gone", "unpause"]
"""An operator pauses; the breaker trips; the receiver answers 410; an operator unpauses."""
PauseReason: TypeAlias = Literal["operator", "consecutive_failures", "gone"]

TRANSITIONS: Final[Mapping[tuple[EndpointStatus, EndpointTrigger], EndpointStatus]] = MappingProxyType(
    {
        ("active", "pause"): "paused",
        ("active", "trip"): "paused",
        ("active", "gone"): "paused",
        ("paused", "unpause"): "active",
    }
)
"""All transitions of an endpoint; a pair that is not here is forbidden."""

_REASONS: Mapping[EndpointTrigger, PauseReason] = MappingProxyType(
    {"pause": "operator", "trip": "consecutive_failures", "gone": "gone"}
)


@attrs.frozen
class BreakerState:
    """The deliveries that failed since the last 2xx, each once, in the order of their failures."""

    failing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The state for one column: ids with spaces between them."""
        return " ".join(self.failing)

    @classmethod
    def parse(cls, text: str) -> BreakerState:
        """The state with this `text`."""
        return cls(tuple(text.split()))


@attrs.frozen(kw_only=True)
class EndpointState:
    """The state of an endpoint: the part of its record that the rules decide.

    `absence_counted_at` is when the breaker last counted an attempt that found nobody. It stays when the count begins anew.
    """

    status: EndpointStatus = "active"
    pause_reason: PauseReason | None = None
    paused_at: Millis | None = None
    breaker: BreakerState = BreakerState()
    absence_counted_at: Millis | None = None


@attrs.frozen(kw_only=True)
class Tripped:
    """The breaker has just paused the endpoint: data for the event `webhook.endpoint.failed` to the other endpoints."""

    consecutive_failures: int
    threshold: int
    last_status: int | None
    last_error: str | None


def allows(state: EndpointState, trigger: EndpointTrigger) -> bool:
    """Whether `trigger` can happen to an endpoint in this state."""
    return (state.status, trigger) in TRANSITIONS


def paused(state: EndpointState, now: Millis) -> EndpointState:
    """Pause, by an operator. Raises `IllegalTransition` if the endpoint is already paused."""
    return _paused(state, "pause", now)


def unpaused(state: EndpointState) -> EndpointState:
    """End a pause and reset the breaker. Raises `IllegalTransition` if there is no pause."""
    return EndpointState(status=_next(state, "unpause"), absence_counted_at=state.absence_counted_at)


def after_attempt(
    state: EndpointState,
    delivery_id: str,
    outcome: Outcome,
    *,
    sample: bool = False,
    now: Millis,
    threshold: int = BREAKER_THRESHOLD,
) -> tuple[EndpointState, Tripped | None]:
    """Return the endpoint's state after an attempt, and `Tripped` if this attempt tripped the breaker.

    If nothing changed, the state is the same object.
    """
    if sample or state.status == "paused":
        return state, None
    if outcome.delivered:
        return (attrs.evolve(state, breaker=BreakerState()) if state.breaker.failing else state), None
    if outcome.gone:
        return _paused(state, "gone", now), None
    return _after_failure(state, delivery_id, outcome, now=now, threshold=threshold)


def _after_failure(
    state: EndpointState, delivery_id: str, outcome: Outcome, *, now: Millis, threshold: int
) -> tuple[EndpointState, Tripped | None]:
    counted = _counted(state, delivery_id, outcome, now)
    failing = counted.breaker.failing
    if len(failing) < threshold:
        return counted, None
    tripped = Tripped(
        consecutive_failures=len(failing),
        threshold=threshold,
        last_status=outcome.status,
        last_error=outcome.error,
    )
    return _paused(counted, "trip", now), tripped


def _counted(state: EndpointState, delivery_id: str, outcome: Outcome, now: Millis) -> EndpointState:
    """The state with this failure in the breaker, unless it does not count."""
    if delivery_id in state.breaker.failing:
        return state
    counted = attrs.evolve(state, breaker=BreakerState((*state.breaker.failing, delivery_id)))
    if not outcome.absent:
        return counted
    last = state.absence_counted_at
    # A count that lies ahead was made before the clock was set back, and keeps nothing from counting.
    if last is not None and last <= now < last + _ABSENCE_SPACING:
        return state
    return attrs.evolve(counted, absence_counted_at=now)


def _paused(state: EndpointState, trigger: EndpointTrigger, now: Millis) -> EndpointState:
    return attrs.evolve(state, status=_next(state, trigger), pause_reason=_REASONS[trigger], paused_at=now)


def _next(state: EndpointState, trigger: EndpointTrigger) -> EndpointStatus:
    try:
        return TRANSITIONS[state.status, trigger]
    except KeyError:
        raise IllegalTransition(state.status, trigger) from None
