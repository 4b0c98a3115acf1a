"""Lists of deliveries for people: each filter reads about as many rows as it shows, however many deliveries there are.

Every list is read from an index that begins with what is asked for, newest first:

    nothing, a status, an endpoint     deliveries, by when they, or their last replay, were queued
    a kind, a player                   events, by when they happened, and the deliveries of each

An endpoint without a status is read as one list for each status, joined by time. A page of events ends after `_LOOKED_AT`
events, also where few of them had a matching delivery: it is short then, and the next page continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import merge
from itertools import islice
from typing import Final, get_args

from livecore.kernel.storage.paging import PageRequest, pack, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.history import DeliveryFilter
from livecore.webhooks.mentions import MENTIONS_OF_PLAYER
from livecore.webhooks.outbox import (
    DELIVERIES_BY_TIME,
    DELIVERIES_OF_STATUS,
    EVENTS_OF_KIND,
    EVENTS_OF_OTHER,
    EVENTS_OF_PLAYER,
    HELD,
    OF_EVENT,
    Delivery,
    StoredEvent,
    events_of,
)

_LOOKED_AT: Final = 200
_STATUSES: Final[tuple[str, ...]] = get_args(DeliveryStatus)


def list_deliveries(
    unit: Unit, wanted: DeliveryFilter, cursor: str | None, limit: int
) -> tuple[Sequence[Delivery], str | None]:
    """A page of the matching deliveries, newest first, and the cursor of the next one. Raises `ValidationFailed`.

    Of the filter, the bounds of time are not for lists.
    """
    if wanted.kind is None and wanted.player_id is None:
        return _by_time(unit, wanted, _page(cursor, limit))
    return _by_event(unit, wanted, unpack(cursor, (int, str, str)), limit)


# -- by time --------------------------------------------------------------------------------------------------------------


def _by_time(unit: Unit, wanted: DeliveryFilter, page: PageRequest) -> tuple[Sequence[Delivery], str | None]:
    parts = unit.tx.read_all(_scans(wanted, page))
    rows = list(islice(merge(*parts, key=_position_of, reverse=True), page.reach))
    if page.limit is None or len(rows) <= page.limit:
        return rows, None
    shown = rows[: page.limit]
    return shown, pack(_position_of(shown[-1]))


def listing_reads(wanted: DeliveryFilter, cursor: str | None, limit: int) -> list[Scan[Delivery]]:
    """The first reads of a list by time, to be read together with other things; another list begins with its events."""
    if wanted.kind is None and wanted.player_id is None:
        return _scans(wanted, _page(cursor, limit))
    return []


def _page(cursor: str | None, limit: int) -> PageRequest:
    return PageRequest(limit, unpack(cursor, (int, str)))


def _scans(wanted: DeliveryFilter, page: PageRequest) -> list[Scan[Delivery]]:
    """One scan, or for an endpoint one of each status."""
    endpoint = wanted.endpoint_id
    if endpoint is None:
        return [
            page.newest(DELIVERIES_BY_TIME)
            if wanted.status is None
            else page.newest(DELIVERIES_OF_STATUS, wanted.status)
        ]
    statuses = _STATUSES if wanted.status is None else (wanted.status,)
    return [Scan(HELD, (endpoint, status), stop=page.beyond, reverse=True, limit=page.reach) for status in statuses]


def _position_of(row: Delivery) -> tuple[int, str]:
    return row.queued_at, row.delivery_id


# -- by event -------------------------------------------------------------------------------------------------------------


def _by_event(
    unit: Unit, wanted: DeliveryFilter, beyond: Key | None, limit: int
) -> tuple[Sequence[Delivery], str | None]:
    events = _events(unit, wanted, beyond)
    fitting = [event for event in events if wanted.kind in (None, event.kind)]
    deliveries = unit.tx.read_all(Scan(OF_EVENT, (event.event_id,)) for event in fitting)
    shown: list[Delivery] = []
    last: tuple[int, str, str] | None = None
    for event, rows in zip(fitting, deliveries, strict=True):
        for row in reversed(rows):
            position = (event.occurred_at, event.event_id, row.delivery_id)
            if (beyond is not None and position >= beyond) or not wanted.fits(row):
                continue
            if len(shown) == limit:
                assert last is not None  # noqa: S101 - a page shows at least one
                return shown, pack(last)
            shown.append(row)
            last = position
    if len(events) < _LOOKED_AT:
        return shown, None
    return shown, pack((events[-1].occurred_at, events[-1].event_id, ""))


def _events(unit: Unit, wanted: DeliveryFilter, beyond: Key | None) -> list[StoredEvent]:
    """The next events of the kind and of the player, newest first, with the one at which the last page ended."""
    # A position ends in a delivery; the bound of the scans is just after its event, so that they find this event too.
    stop = None if beyond is None else (beyond[0], f"{beyond[1]}~")
    if wanted.player_id is None:
        return unit.tx.scan(EVENTS_OF_KIND, wanted.kind, stop=stop, reverse=True, limit=_LOOKED_AT)
    player = wanted.player_id
    until = None if stop is None else (stop[1],)
    own, other, mentions = unit.tx.read_together(
        Scan(EVENTS_OF_PLAYER, (player, "kept"), stop=stop, reverse=True, limit=_LOOKED_AT),
        Scan(EVENTS_OF_OTHER, (player, "kept"), stop=stop, reverse=True, limit=_LOOKED_AT),
        Scan(MENTIONS_OF_PLAYER, (player,), stop=until, reverse=True, limit=_LOOKED_AT),
    )
    mentioning = [event for event in events_of(unit.tx, mentions) if event is not None]
    return list(islice(merge(own, other, mentioning, key=_happened, reverse=True), _LOOKED_AT))


def _happened(event: StoredEvent) -> tuple[int, str]:
    return event.occurred_at, event.event_id
