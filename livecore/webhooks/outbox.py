"""The outbox: events and their deliveries, written in the transaction that caused them, and kept for thirty days.

An event is stored once, as the text of its payload, and only if an endpoint of the scope is subscribed at that moment; each
subscribed endpoint gets a delivery. Senders take deliveries through `livecore.webhooks.dispatch`. `delivery` and `endpoint`
hold the state machines; `waiting` handles waiting deliveries when an operator unpauses or removes an endpoint. This file
holds the rows, how they are written, and the due work that deletes old ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, next_midnight
from livecore.kernel.units.unit import Event, Unit
from livecore.kernel.values import keyword_value as record
from livecore.webhooks.delivery import KEPT_FOR, DeliveryState, queued
from livecore.webhooks.endpoint import BreakerState, EndpointState
from livecore.webhooks.envelope import data_text
from livecore.webhooks.mentions import (
    IN_ROW,
    MENTIONS_OF_EVENT,
    EventMention,
    forget_mentions,
    mention_all,
    players_named,
)
from livecore.webhooks.refusals import WebhookDeliveryNotFound
from livecore.webhooks.subscription import is_subscribed
from livecore.webhooks.webhook_events import WebhookEndpointFailed


@record
class Endpoint:
    """A URL where a studio receives events. `secrets` holds the sealed signing secrets, newest first, as JSON."""

    endpoint_id: str
    key: str
    url: str
    events: JsonText
    secrets: JsonText
    created_at: Millis
    status: Literal["active", "paused"] = "active"
    pause_reason: Literal["operator", "consecutive_failures", "gone"] | None = None
    paused_at: Millis | None = None
    breaker: str = ""
    absence_counted_at: Millis | None = None


Personal: TypeAlias = Literal["kept", "going", "gone"]
"""The personal data of an event: kept; to be removed once it is delivered (`going`); or removed (`gone`)."""


@record
class StoredEvent:
    """An event: the text that is sent, and the first two players whom it names.

    Any further players are in `livecore.webhooks.mentions`.
    """

    event_id: str
    kind: str
    occurred_at: Millis
    data: JsonText
    player_id: PlayerId | None = None
    other_player_id: PlayerId | None = None
    personal: Personal = "kept"


@record
class Delivery:
    """One event on its way to one endpoint; see `livecore.webhooks.delivery` for its states."""

    delivery_id: str
    event_id: str
    endpoint_id: str
    sample: bool = False
    status: Literal["pending", "held", "delivered", "failed", "discarded"]
    attempt: int = 0
    automatic: bool = True
    queued_at: Millis
    due_at: Millis | None = None
    leased_until: Millis | None = None
    attempted_at: Millis | None = None
    last_status: int | None = None
    last_error: str | None = None
    tried: JsonText | None = None
    """The latest finished attempts, the oldest first: of each its number, time, status and error."""


ENDPOINTS = Table("webhook_endpoints", Endpoint, key=("endpoint_id",))
ALL_ENDPOINTS = ENDPOINTS.index("all", order=("created_at",))
_ENDPOINTS: Final[Scan[Endpoint]] = Scan(ALL_ENDPOINTS, ())
ENDPOINT_BY_KEY = ENDPOINTS.unique("key")

EVENTS = Table(
    "webhook_events",
    StoredEvent,
    key=("event_id",),
    players={
        "player_id": PlayerColumn(Merge.RETAIN, Erase.ANONYMISE),
        "other_player_id": PlayerColumn(Merge.RETAIN, Erase.ANONYMISE),
    },
    export="waitingWebhooks",
)
EVENTS_OF_PLAYER = EVENTS.index("of_player", prefix=("player_id", "personal"), order=("occurred_at",))
EVENTS_OF_KIND = EVENTS.index("of_kind", prefix=("kind",), order=("occurred_at",))
EVENTS_OF_OTHER = EVENTS.index("of_other_player", prefix=("other_player_id", "personal"), order=("occurred_at",))

DELIVERIES = Table("webhook_deliveries", Delivery, key=("delivery_id",))
DUE = DELIVERIES.index("due", order=("due_at",))
DUE_IN_ANY_SCOPE = DELIVERIES.time_index("due_at")
DUE_OF_ENDPOINT = DELIVERIES.index("due_of_endpoint", prefix=("endpoint_id",), order=("due_at", "queued_at"))
LEASED = DELIVERIES.index("leased", prefix=("endpoint_id",), order=("leased_until",))
HELD = DELIVERIES.index("held", prefix=("endpoint_id", "status"), order=("queued_at",))
DELIVERIES_BY_TIME = DELIVERIES.index("by_time", order=("queued_at",))
DELIVERIES_OF_STATUS = DELIVERIES.index("of_status", prefix=("status",), order=("queued_at",))
OF_EVENT = DELIVERIES.index("of_event", prefix=("event_id",), order=("delivery_id",))


# -- states ---------------------------------------------------------------------------------------------------------------


def endpoint_state(endpoint: Endpoint) -> EndpointState:
    """The part of an endpoint's row that the rules decide."""
    return EndpointState(
        status=endpoint.status,
        pause_reason=endpoint.pause_reason,
        paused_at=endpoint.paused_at,
        breaker=BreakerState.parse(endpoint.breaker),
        absence_counted_at=endpoint.absence_counted_at,
    )


def with_endpoint_state(endpoint: Endpoint, state: EndpointState) -> Endpoint:
    """The row with another state."""
    return evolve(
        endpoint,
        status=state.status,
        pause_reason=state.pause_reason,
        paused_at=state.paused_at,
        breaker=state.breaker.text,
        absence_counted_at=state.absence_counted_at,
    )


def delivery_state(row: Delivery) -> DeliveryState:
    """The part of a delivery's row that the rules decide."""
    return DeliveryState(
        status=row.status, attempt=row.attempt, automatic=row.automatic, queued_at=row.queued_at, due_at=row.due_at
    )


def with_delivery_state(row: Delivery, state: DeliveryState) -> Delivery:
    """The row with another state."""
    return evolve(
        row,
        status=state.status,
        attempt=state.attempt,
        automatic=state.automatic,
        queued_at=state.queued_at,
        due_at=state.due_at,
    )


# -- writing --------------------------------------------------------------------------------------------------------------


def record_event(unit: Unit, event: Event, about: str | None = None) -> None:
    """Store an event and a delivery for each endpoint that is subscribed to it now.

    It is found by the players whom it names, and by the one whom it is `about` unnamed.
    """
    endpoints = unit.tx.scanned(_ENDPOINTS)
    if not endpoints:
        return
    kind = event.kind
    excluded = event.endpoint_id if isinstance(event, WebhookEndpointFailed) else None
    wanted = [
        endpoint for endpoint in endpoints if endpoint.endpoint_id != excluded and _subscribes_to(endpoint.events, kind)
    ]
    if wanted:
        named = players_named(event)
        stored = _store(unit, kind, data_text(event), named if about is None or about in named else (*named, about))
        for endpoint in wanted:
            _queue(unit, stored, endpoint)


@lru_cache(maxsize=4_096)
def _subscribes_to(events: JsonText, kind: str) -> bool:
    return is_subscribed(json.loads(events), kind)


def _store(unit: Unit, kind: str, data: str, named: tuple[str, ...] = ()) -> StoredEvent:
    players = [PlayerId(player_id) for player_id in named]
    event_id = unit.new_id("evt")
    mention_all(unit.tx, event_id, players[IN_ROW:])
    return unit.tx.insert(
        EVENTS,
        StoredEvent(
            event_id=event_id,
            kind=kind,
            occurred_at=unit.now,
            data=JsonText(data),
            player_id=players[0] if players else None,
            other_player_id=players[1] if len(players) > 1 else None,
        ),
    )


def _queue(unit: Unit, event: StoredEvent, endpoint: Endpoint, *, sample: bool = False) -> Delivery:
    state = queued(unit.now, paused=endpoint.status == "paused" and not sample)
    return unit.tx.insert(
        DELIVERIES,
        Delivery(
            delivery_id=unit.new_id("whd"),
            event_id=event.event_id,
            endpoint_id=endpoint.endpoint_id,
            sample=sample,
            status=state.status,
            automatic=not sample,
            queued_at=state.queued_at,
            due_at=state.due_at,
        ),
    )


def queue_sample(unit: Unit, endpoint: Endpoint, kind: str, data: str) -> Delivery:
    """Queue a sample to one endpoint, whatever its subscription. It is signed and sent like any event."""
    return _queue(unit, _store(unit, kind, data), endpoint, sample=True)


def empty(unit: Unit, event: StoredEvent, mentions: Iterable[EventMention]) -> None:
    """Empty the body of an event, and forget its further mentions; its kind and time stay."""
    unit.tx.put(EVENTS, evolve(event, data=JsonText("{}"), personal="gone"))
    forget_mentions(unit.tx, mentions)


def empty_or_mark(unit: Unit, events: Sequence[StoredEvent]) -> None:
    """Empty the bodies of events now; of those that still wait to be delivered, once they are delivered or have failed."""
    for event, waiting, mentions in _with_deliveries(unit, events):
        if waiting:
            unit.tx.put(EVENTS, evolve(event, personal="going"))
        else:
            empty(unit, event, mentions)


def _with_deliveries(
    unit: Unit, events: Sequence[StoredEvent]
) -> list[tuple[StoredEvent, bool, Sequence[EventMention]]]:
    """Each event, whether it still has a waiting delivery, and whom it names further."""
    further = [event for event in events if names_further(event)]
    found: list[list[Any]] = unit.tx.read_all(
        (
            *(Scan(OF_EVENT, (event.event_id,)) for event in events),
            *(Scan(MENTIONS_OF_EVENT, (event.event_id,)) for event in further),
        )
    )
    mentions = {event.event_id: rows for event, rows in zip(further, found[len(events) :], strict=True)}
    return [
        (event, any(row.status in ("pending", "held") for row in rows), mentions.get(event.event_id, ()))
        for event, rows in zip(events, found, strict=False)
    ]


def names_further(event: StoredEvent) -> bool:
    """Whether an event may name more players than its own row does."""
    return event.other_player_id is not None


def ended(unit: Unit, events: Iterable[StoredEvent | None]) -> None:
    """Deliveries of these events have ended: empty the bodies that were only kept for delivery."""
    going = {event.event_id: event for event in events if event is not None and event.personal == "going"}
    for event, waiting, mentions in _with_deliveries(unit, [*going.values()]):
        if not waiting:
            empty(unit, event, mentions)


def events_of(tx: Transaction, rows: Iterable[Delivery | EventMention]) -> list[StoredEvent | None]:
    """The event of each row, if it is still there."""
    return tx.read_all(Get(EVENTS, (row.event_id,)) for row in rows)


def require_delivery(unit: Unit, delivery_id: str) -> Delivery:
    """The delivery with this id. Raises `WebhookDeliveryNotFound`."""
    row = unit.tx.get(DELIVERIES, delivery_id)
    if row is None:
        raise WebhookDeliveryNotFound.of(delivery_id)
    return row


# -- due work -------------------------------------------------------------------------------------------------------------


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(DELIVERIES_BY_TIME, stop=(unit.now - KEPT_FOR,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(DELIVERIES, row.delivery_id)
    ids = [*dict.fromkeys(row.event_id for row in rows)]
    left = unit.tx.read_all(Scan(OF_EVENT, (event_id,), limit=1) for event_id in ids)
    over = [Get(EVENTS, (event_id,)) for event_id, deliveries in zip(ids, left, strict=True) if not deliveries]
    events = [event for event in unit.tx.read_all(over) if event is not None]
    further = (Scan(MENTIONS_OF_EVENT, (event.event_id,)) for event in events if names_further(event))
    forget_mentions(unit.tx, unit.tx.scan_all(further))
    for event in events:
        unit.tx.delete(EVENTS, event.event_id)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("webhooks.sweep", _sweep, recurs=next_midnight)
"""Deletes each day deliveries that were queued more than thirty days ago, and events without deliveries."""
