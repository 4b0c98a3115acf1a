"""Dispatch: leases deliveries of the outbox to senders, and records how each attempt ended.

Senders are hosts: they get attempts from `lease_due`, make them, and pass each outcome to `record_attempt`. The rules of
`delivery` and `endpoint` decide the consequences. A body is signed when it is sent, with the secrets of that moment; the
event's id stays the same in all attempts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import attrs

from livecore.kernel.errors import Json
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks import endpoint as endpoint_rules
from livecore.webhooks.delivery import LEASE
from livecore.webhooks.endpoint import MAX_IN_FLIGHT, Tripped
from livecore.webhooks.envelope import body_of
from livecore.webhooks.outbox import (
    ALL_ENDPOINTS,
    DELIVERIES,
    DUE,
    DUE_OF_ENDPOINT,
    ENDPOINTS,
    EVENTS,
    LEASED,
    Delivery,
    Endpoint,
    StoredEvent,
    delivery_state,
    ended,
    endpoint_state,
    events_of,
    with_delivery_state,
    with_endpoint_state,
)
from livecore.webhooks.outcome import Outcome
from livecore.webhooks.rotation import secrets_of, signing
from livecore.webhooks.showing import without_query
from livecore.webhooks.webhook_events import WebhookEndpointFailed

_ATTEMPTS_KEPT: Final = 20
"""How many attempts of one delivery are remembered: all automatic ones, and those of a number of replays."""
_BATCH: Final = 500
"""How many deliveries of a paused endpoint are held at a time."""


@attrs.frozen(kw_only=True)
class Attempt:
    """One attempt to make now: the body's bytes, the URL, and the sealed secrets to sign with."""

    delivery_id: str
    endpoint_id: str
    url: str
    kind: str
    body: bytes
    number: int
    sample: bool
    sealed_secrets: tuple[str, ...]


def next_due(unit: Unit) -> Millis | None:
    """When the next delivery of this scope is due."""
    rows = unit.tx.scan(DUE, limit=1)
    return rows[0].due_at if rows else None


def lease_due(unit: Unit, most: int) -> list[Attempt]:
    """Lease up to `most` due attempts, oldest first for each endpoint, with at most four at a time to one endpoint.

    A delivery that becomes due while its endpoint is paused is held until the pause ends.
    """
    endpoints = unit.tx.scan(ALL_ENDPOINTS)
    leased = unit.tx.read_all(Count(LEASED, (row.endpoint_id,), start=(unit.now + 1,)) for row in endpoints)
    rooms = [(row, max(0, min(MAX_IN_FLIGHT - count, most))) for row, count in zip(endpoints, leased, strict=True)]
    rooms = [(endpoint, room) for endpoint, room in rooms if room or endpoint.status == "paused"]
    due = unit.tx.read_all(_due(endpoint, room, unit.now) for endpoint, room in rooms)
    taken: list[tuple[Endpoint, Delivery]] = []
    for (endpoint, room), found in zip(rooms, due, strict=True):
        rows = _held_but_samples(unit, found) if endpoint.status == "paused" else found
        taken += [(endpoint, row) for row in rows[: min(room, most - len(taken))]]
    events = events_of(unit.tx, (row for _, row in taken))
    return [_lease(unit, endpoint, row, event) for (endpoint, row), event in zip(taken, events, strict=True)]


def _due(endpoint: Endpoint, room: int, now: Millis) -> Scan[Delivery]:
    """The due deliveries of an endpoint, oldest first: as many as there is room for, of a paused one as are held at once."""
    most = _BATCH if endpoint.status == "paused" else room
    return Scan(DUE_OF_ENDPOINT, (endpoint.endpoint_id,), stop=(now + 1,), limit=most)


def _held_but_samples(unit: Unit, due: Sequence[Delivery]) -> list[Delivery]:
    """Hold the due deliveries of a paused endpoint; returns the samples, which may be sent to it."""
    samples: list[Delivery] = []
    for row in due:
        if row.sample:
            samples.append(row)
        else:
            unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.held(delivery_state(row))))
    return samples


def _lease(unit: Unit, endpoint: Endpoint, row: Delivery, event: StoredEvent | None) -> Attempt:
    state = delivery_rules.leased(delivery_state(row), unit.now)
    unit.tx.put(DELIVERIES, evolve(with_delivery_state(row, state), leased_until=unit.now + LEASE))
    assert event is not None  # noqa: S101 - events outlive their deliveries
    return Attempt(
        delivery_id=row.delivery_id,
        endpoint_id=endpoint.endpoint_id,
        url=endpoint.url,
        kind=event.kind,
        body=body_of(
            event_id=event.event_id,
            kind=event.kind,
            studio_id=unit.studio_id,
            game_id=unit.scope.game_id,
            occurred_at=event.occurred_at,
            delivery_attempt=state.attempt + 1,
            data=event.data,
        ),
        number=state.attempt + 1,
        sample=row.sample,
        sealed_secrets=tuple(secret.text for secret in signing(secrets_of(endpoint.secrets), unit.now)),
    )


def record_attempt(
    unit: Unit, delivery_id: str, number: int, outcome: Outcome, *, threshold: int = endpoint_rules.BREAKER_THRESHOLD
) -> Endpoint | None:
    """Record how an attempt ended, and return the endpoint if that paused it. A tripped breaker emits an event."""
    row = unit.tx.get(DELIVERIES, delivery_id)
    # The endpoint of a discarded delivery is removed, so its last answer does not matter.
    if row is None or row.status == "discarded" or number <= row.attempt:
        return None
    state = delivery_rules.after_attempt(delivery_state(row), number, outcome, now=unit.now, entropy=unit.entropy)
    unit.tx.put(
        DELIVERIES,
        evolve(
            with_delivery_state(row, state),
            leased_until=None,
            attempted_at=unit.now,
            last_status=outcome.status,
            last_error=outcome.error,
            tried=_tried(row, number, unit.now, outcome),
        ),
    )
    endpoint, event = unit.tx.read_together(Get(ENDPOINTS, (row.endpoint_id,)), Get(EVENTS, (row.event_id,)))
    if state.status in ("delivered", "failed"):
        ended(unit, [event])
    if endpoint is None:
        return None
    before = endpoint_state(endpoint)
    after, tripped = endpoint_rules.after_attempt(
        before, delivery_id, outcome, sample=row.sample, now=unit.now, threshold=threshold
    )
    if after is before:
        return None
    changed = unit.tx.put(ENDPOINTS, with_endpoint_state(endpoint, after))
    if tripped is not None:
        _emit_tripped(unit, endpoint, tripped)
    return changed if after.status == "paused" else None


def _tried(row: Delivery, number: int, now: Millis, outcome: Outcome) -> JsonText:
    """The row's latest attempts, with the one that has just ended."""
    earlier: list[Json] = [] if row.tried is None else json.loads(row.tried)
    ended: list[Json] = [number, now, outcome.status, outcome.error]
    return JsonText(compact([*earlier, ended][-_ATTEMPTS_KEPT:]))


def _emit_tripped(unit: Unit, endpoint: Endpoint, tripped: Tripped) -> None:
    unit.emit(
        WebhookEndpointFailed(
            endpoint_id=endpoint.endpoint_id,
            endpoint_key=endpoint.key,
            url=without_query(endpoint.url),
            consecutive_failures=tripped.consecutive_failures,
            threshold=tripped.threshold,
            last_status=tripped.last_status,
            last_error=tripped.last_error,
            reason="consecutive_failures",
        )
    )
