"""The invariants of events and deliveries.

A delivery has its event and, while it waits, its endpoint and its due time; an event has a delivery. Each player whom an
event names besides those in its own row has a mention, and each mention has its event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Event
from livecore.webhooks.mentions import EVENT_MENTIONS, MENTIONS_OF_EVENT, EventMention, named_in
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS, EVENTS, OF_EVENT, Delivery, StoredEvent, names_further
from livecore.webhooks.waiting import DISCARD

_WAITING: Final = ("pending", "held")


def _delivery_needs(delivery: Delivery) -> Iterator[AnyRead]:
    yield Get(EVENTS, (delivery.event_id,))
    if delivery.status in _WAITING:
        yield Get(ENDPOINTS, (delivery.endpoint_id,))
        yield Get(DUE, (DISCARD.kind, delivery.endpoint_id))


def _judge_delivery(reader: Reader, delivery: Delivery) -> Iterator[str]:
    if reader.get(EVENTS, (delivery.event_id,)) is None:
        yield "delivers an event that does not exist"
    gone = delivery.status in _WAITING and reader.get(ENDPOINTS, (delivery.endpoint_id,)) is None
    if gone and reader.get(DUE, (DISCARD.kind, delivery.endpoint_id)) is None:
        yield "waits for an endpoint that does not exist"
    if (delivery.status == "pending") != (delivery.due_at is not None):
        yield f"is {delivery.status}, which does not go with the time at which it is due"


def _event_needs(event: StoredEvent) -> Iterator[AnyRead]:
    yield Scan(OF_EVENT, (event.event_id,))
    if names_further(event):
        yield Scan(MENTIONS_OF_EVENT, (event.event_id,))


def _judge_event(kinds: Mapping[str, type[Event]], reader: Reader, event: StoredEvent) -> Iterator[str]:
    if not all_under(reader, OF_EVENT, event.event_id):
        yield "has no delivery, so that nothing will ever forget it"
    kind = kinds.get(event.kind)
    if kind is not None and event.personal == "kept" and names_further(event):
        mentions = {row.player_id for row in all_under(reader, MENTIONS_OF_EVENT, event.event_id)}
        if not {event.player_id, event.other_player_id, *mentions}.issuperset(named_in(kind, event.data)):
            yield "names players with whom it would not be emptied"


def _judge_mention(reader: Reader, row: EventMention) -> Iterator[str]:
    event = reader.get(EVENTS, (row.event_id,))
    if event is None or event.personal == "gone":
        yield "mentions a player in an event that does not exist"


def rules_over(areas: Areas) -> tuple[Rule[Any], ...]:
    """The rules; whom an event names is read by the classes of the areas that emit it."""
    return (
        Rule(table=DELIVERIES, needs=_delivery_needs, judge=_judge_delivery),
        Rule(table=EVENTS, needs=_event_needs, judge=partial(_judge_event, areas.events)),
        Rule(table=EVENT_MENTIONS, needs=lambda row: [Get(EVENTS, (row.event_id,))], judge=_judge_mention),
    )
