"""What members do about deliveries: find them, look at one, send one or many again.

Sending many again is a job: the request does its first step, and the others follow even if the process dies. The filter
travels in the job's cursor, so that nothing is left when it is done.
"""

from __future__ import annotations

import json
from typing import Final, cast

import attrs

from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Change, Unit
from livecore.webhooks import endpoints
from livecore.webhooks.backlog import count_matching, counting_reads
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.delivery_rows import (
    DeliveriesPage,
    DeliveriesReplayed,
    DeliveryAttempt,
    DeliveryGiven,
    DeliveryRequest,
    DeliveryShown,
    GetDelivery,
    ListDeliveries,
    ReplayDeliveries,
    ReplayDelivery,
)
from livecore.webhooks.envelope import body_of, plain_headers
from livecore.webhooks.history import DeliveryFilter, replay_step
from livecore.webhooks.listing import list_deliveries, listing_reads
from livecore.webhooks.outbox import ENDPOINT_BY_KEY, ENDPOINTS, EVENTS, Delivery, require_delivery
from livecore.webhooks.showing import delivery_row, delivery_rows, shown_url
from livecore.webhooks.signature import SIGNATURE_HEADER

# -- looking --------------------------------------------------------------------------------------------------------------


def list_page(unit: Unit, args: ListDeliveries, *, player_id: str | None) -> DeliveriesPage:
    """A page of deliveries, of those alone that name the player with this id if one is given."""
    wanted = _filter(unit, args, player_id)
    unit.tx.read_lists(listing_reads(wanted, args.cursor, args.limit), counting_reads(wanted))
    rows, following = list_deliveries(unit, wanted, args.cursor, args.limit)
    return DeliveriesPage(
        deliveries=delivery_rows(unit, rows), next_cursor=following, total=count_matching(unit.tx, wanted)
    )


def get(unit: Unit, args: GetDelivery) -> DeliveryShown:
    """A delivery, with what is sent and how its attempts went. Raises `WebhookDeliveryNotFound`."""
    row = require_delivery(unit, args.delivery_id)
    return DeliveryShown(delivery=delivery_row(unit, row), request=_request(unit, row), attempts=_attempts(row))


def _filter(unit: Unit, args: ListDeliveries | ReplayDeliveries, player_id: str | None) -> DeliveryFilter:
    return DeliveryFilter(
        status=args.status,
        endpoint_id=None if args.endpoint is None else _endpoint_id(unit, args.endpoint),
        kind=args.kind,
        player_id=player_id,
    )


def _endpoint_id(unit: Unit, ref: str) -> str:
    """The id of the endpoint with this id or key; any other text may be the id of one that has been removed."""
    if unit.tx.get(ENDPOINTS, ref) is not None:
        return ref
    endpoint = unit.tx.find(ENDPOINT_BY_KEY, ref)
    return ref if endpoint is None else endpoint.endpoint_id


def _request(unit: Unit, row: Delivery) -> DeliveryRequest:
    event, endpoint = unit.tx.read_together(Get(EVENTS, (row.event_id,)), Get(ENDPOINTS, (row.endpoint_id,)))
    body = None
    if event is not None and event.personal == "kept":
        body = body_of(
            event_id=event.event_id,
            kind=event.kind,
            studio_id=unit.studio_id,
            game_id=unit.scope.game_id,
            occurred_at=event.occurred_at,
            delivery_attempt=max(row.attempt, 1),
            data=event.data,
        ).decode()
    return DeliveryRequest(
        url=None if endpoint is None else shown_url(unit, endpoint),
        headers={**plain_headers(sample=row.sample), SIGNATURE_HEADER: "[hidden]"},
        body=body,
    )


def _attempts(row: Delivery) -> tuple[DeliveryAttempt, ...]:
    if row.tried is not None:
        return tuple(
            DeliveryAttempt(number=number, at=Timestamp(at), status=status, error=error)
            for number, at, status, error in json.loads(row.tried)
        )
    if row.attempted_at is None:
        return ()
    # A delivery of an earlier release, which kept the last attempt alone.
    at = Timestamp(row.attempted_at)
    return (DeliveryAttempt(number=row.attempt, at=at, status=row.last_status, error=row.last_error),)


# -- sending again --------------------------------------------------------------------------------------------------------


def replay(unit: Unit, args: ReplayDelivery) -> DeliveryGiven:
    """Send a delivery again.

    Raises `WebhookDeliveryNotFound`, `WebhookEndpointNotFound` if the endpoint was removed since, `WebhookStateConflict`.
    """
    before = require_delivery(unit, args.delivery_id)
    after = endpoints.replay(unit, before.delivery_id)
    unit.change = Change(_shown_for_audit(before), _shown_for_audit(after))
    return DeliveryGiven(delivery=delivery_row(unit, after))


def replay_many(unit: Unit, args: ReplayDeliveries, *, player_id: str | None) -> DeliveriesReplayed:
    """Send all deliveries that fit and were queued before now again, in steps; `player_id` as for `list_page`."""
    # A replay sets `queued_at` to now or later, so no delivery is taken a second time.
    wanted = attrs.evolve(_filter(unit, args, player_id), before=unit.now)
    step = replay_step(unit, wanted, most=MOST_ROWS)
    if step.position is not None:
        REPLAY.resume(unit, unit.new_id("rpl"), _cursor(wanted, step.position))
    unit.player_id = wanted.player_id
    unit.audit_metadata = {
        "endpointId": wanted.endpoint_id,
        "kind": wanted.kind,
        "status": wanted.status,
        "queued": step.count,
        "goesOn": step.position is not None,
    }
    return DeliveriesReplayed(queued=step.count, goes_on=step.position is not None)


def _cursor(wanted: DeliveryFilter, place: Key) -> Cursor:
    return (*place, wanted.before, wanted.status, wanted.endpoint_id, wanted.kind, wanted.player_id)


def _replay_step(unit: Unit, _ref: str, cursor: Cursor) -> Cursor | None:
    if not cursor:
        return None  # started without a filter, which nobody does
    queued_at, delivery_id, before, status, endpoint_id, kind, player_id = cursor
    wanted = DeliveryFilter(
        status=cast("DeliveryStatus", status),
        endpoint_id=cast("str | None", endpoint_id),
        kind=cast("str | None", kind),
        player_id=cast("str | None", player_id),
        before=cast("int", before),
    )
    step = replay_step(unit, wanted, (queued_at, delivery_id), most=MOST_ROWS)
    return None if step.position is None else _cursor(wanted, step.position)


REPLAY: Final = Job("webhooks.replay", _replay_step)
"""Sends the deliveries of a filter again, from the place that its cursor names."""


def _shown_for_audit(row: Delivery) -> JsonObject:
    return {"status": row.status, "attempts": row.attempt, "endpointId": row.endpoint_id}
