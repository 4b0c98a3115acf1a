"""The history of deliveries: finding them, and replaying many of them.

An environment can have millions of deliveries, so every function here reads a bounded number of them and returns the
position where to continue. The caller continues in another unit of work:

    step = run_unit(partial(replay_step, wanted=wanted))
    while step.position is not None:
        step = run_unit(partial(replay_step, wanted=wanted, beyond=step.position))

A replay sets `queued_at` of a delivery, so the delivery leaves the range that `before` bounds. An interrupted replay can
therefore be run again with the same filter, and it sends no delivery twice. A dry run is the same step in a unit whose
writes are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.mentions import EVENT_MENTIONS
from livecore.webhooks.outbox import (
    ALL_ENDPOINTS,
    DELIVERIES,
    DELIVERIES_BY_TIME,
    DELIVERIES_OF_STATUS,
    HELD,
    Delivery,
    StoredEvent,
    delivery_state,
    events_of,
    names_further,
    with_delivery_state,
)

CURSOR: Final = (int, str)
"""The columns of a position in the list: when a delivery was queued, and its id."""
_LOOKED_AT: Final = 1_000
_REPLAYED_AT_ONCE: Final = 200


@attrs.frozen(kw_only=True)
class DeliveryFilter:
    """A filter of deliveries: those that match all given fields.

    `since` (inclusive) and `before` (exclusive) bound when a delivery, or its last replay, was queued; `player_id` is one
    of the players whom its event names.
    """

    status: DeliveryStatus | None = None
    endpoint_id: str | None = None
    kind: str | None = None
    player_id: str | None = None
    since: Millis | None = None
    before: Millis | None = None

    @property
    def start(self) -> Key | None:
        """The position where the matching deliveries begin."""
        return None if self.since is None else (self.since,)

    @property
    def stop(self) -> Key | None:
        """The position before which they end."""
        return None if self.before is None else (self.before,)

    def fits(self, row: Delivery) -> bool:
        """Whether a delivery may match, by its own row."""
        return (self.status is None or row.status == self.status) and (
            self.endpoint_id is None or row.endpoint_id == self.endpoint_id
        )

    def fits_event(self, event: StoredEvent | None, *, mentioned: bool = False) -> bool:
        """Whether a delivery matches, by its event; `mentioned` says that an `EventMention` names the player."""
        if event is None:
            return self.kind is None and self.player_id is None
        named = mentioned or self.player_id in (None, event.player_id, event.other_player_id)
        return named and self.kind in (None, event.kind)


@attrs.frozen
class Found:
    """Deliveries in the order of the list, and the position after which to continue; `None` at the end."""

    rows: Sequence[Delivery]
    position: Key | None


@attrs.frozen
class Replayed:
    """How many deliveries were replayed, and the position after which to continue; `None` at the end."""

    count: int
    position: Key | None


def find_deliveries(unit: Unit, wanted: DeliveryFilter, beyond: Key | None = None, *, limit: int = 50) -> Found:
    """Up to `limit` matching deliveries after a position, newest first; fewer do not mean that it is the end."""
    stop = wanted.stop if beyond is None else beyond
    index, prefix = _narrowest(wanted)
    rows = unit.tx.scan(index, *prefix, start=wanted.start, stop=stop, reverse=True, limit=_LOOKED_AT)
    meant = _meant(unit, wanted, rows)
    if len(meant) >= limit:
        return Found(meant[:limit], DELIVERIES_BY_TIME.position_of(meant[limit - 1]))
    return Found(meant, _position_of(rows, _LOOKED_AT))


def replay_step(
    unit: Unit, wanted: DeliveryFilter, beyond: Key | None = None, *, most: int = _REPLAYED_AT_ONCE
) -> Replayed:
    """Replay the next matching deliveries, oldest first: the same event, attempts counted further, no retries.

    It reads at most `most` deliveries.

    `wanted.before` must be given. Samples are left out, and so are deliveries that cannot be replayed: pending or discarded
    ones, and those whose endpoint was removed or whose event's body was removed by an erasure.
    """
    start = wanted.start if beyond is None else None
    index, prefix = _narrowest(wanted)
    rows, endpoints = unit.tx.read_together(
        Scan(index, prefix, start=start, after=beyond, stop=wanted.stop, limit=most), Scan(ALL_ENDPOINTS, ())
    )
    there = {endpoint.endpoint_id for endpoint in endpoints}
    ready = [row for row in rows if row.endpoint_id in there and not row.sample]
    ready = [row for row in ready if delivery_rules.allows(delivery_state(row), "replay")]
    count = 0
    meant = _meant(unit, wanted, ready)
    for row, event in zip(meant, events_of(unit.tx, meant), strict=True):
        if event is not None and event.personal == "kept":
            state = delivery_rules.replayed(delivery_state(row), unit.now)
            unit.tx.put(DELIVERIES, with_delivery_state(row, state))
            count += 1
    return Replayed(count, _position_of(rows, most))


def _narrowest(wanted: DeliveryFilter) -> tuple[Index[Delivery], tuple[str, ...]]:
    """The index, and the beginning of its keys, by which the fewest deliveries are read in the order of time."""
    if wanted.status is None:
        return DELIVERIES_BY_TIME, ()
    if wanted.endpoint_id is None:
        return DELIVERIES_OF_STATUS, (wanted.status,)
    return HELD, (wanted.endpoint_id, wanted.status)


def _meant(unit: Unit, wanted: DeliveryFilter, rows: Sequence[Delivery]) -> list[Delivery]:
    fitting = [row for row in rows if wanted.fits(row)]
    if wanted.kind is None and wanted.player_id is None:
        return fitting
    events = [*zip(fitting, events_of(unit.tx, fitting), strict=True)]
    if wanted.player_id is None:
        return [row for row, event in events if wanted.fits_event(event)]
    further = sorted({row.event_id for row, event in events if event is not None and names_further(event)})
    mentions = unit.tx.read_all(Get(EVENT_MENTIONS, (event_id, wanted.player_id)) for event_id in further)
    naming = {mention.event_id for mention in mentions if mention is not None}
    return [row for row, event in events if wanted.fits_event(event, mentioned=row.event_id in naming)]


def _position_of(rows: Sequence[Delivery], asked: int) -> Key | None:
    return DELIVERIES_BY_TIME.position_of(rows[-1]) if len(rows) == asked else None
