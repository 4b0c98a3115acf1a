"""What a player's timeline shows of webhooks: the events that name the player, each with its deliveries.

The body of an event may name other players, so it is not shown; it is found by the ids of the deliveries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, get_args

from livecore.kernel.declarations.timeline import TimelineSource, Track
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.unit import Unit
from livecore.webhooks.mentions import MENTIONS_OF_PLAYER, EventMention
from livecore.webhooks.outbox import EVENTS, EVENTS_OF_OTHER, EVENTS_OF_PLAYER, OF_EVENT, Personal, StoredEvent

_EVENT: Final = "evt"


def _tracks(player_id: str) -> Iterator[Track[Any]]:
    for index in (EVENTS_OF_PLAYER, EVENTS_OF_OTHER):
        for personal in get_args(Personal):
            yield Track(index, (player_id, personal))
    yield Track(MENTIONS_OF_PLAYER, (player_id,), ids=_EVENT)


def _further(_unit: Unit, row: StoredEvent | EventMention, _: str) -> Iterable[AnyRead]:
    return [Get(EVENTS, (row.event_id,)), Scan(OF_EVENT, (row.event_id,))]


def _event(_: Unit, __: StoredEvent | EventMention, found: Sequence[Any]) -> JsonObject:
    event, of_event = found
    deliveries: list[Json] = [
        {
            "deliveryId": delivery.delivery_id,
            "endpointId": delivery.endpoint_id,
            "status": delivery.status,
            "attempt": delivery.attempt,
        }
        for delivery in of_event
    ]
    return {"eventName": None if event is None else event.kind, "deliveries": deliveries}


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="webhook",
        about="An event that names the player was sent to the studio, with its deliveries; kept for thirty days.",
        thing="event",
        covers=("waitingWebhooks",),
        tracks=_tracks,
        further=_further,
        show=_event,
    ),
)
