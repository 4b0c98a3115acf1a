"""Endpoints' URLs and deliveries as operators see them.

The query of a URL may hold a token of the receiver, which is a secret: only members see it who are signed in and can manage
endpoints of that environment. A personal key does not, since scripts and assistants keep what they read; and no event and no
audit entry has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from livecore.kernel.storage.reads import Get
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.webhooks.delivery_rows import DeliveryRow
from livecore.webhooks.outbox import ENDPOINTS, EVENTS, Delivery, Endpoint, StoredEvent


def shown_url(unit: Unit, endpoint: Endpoint) -> str:
    """Where an endpoint sends, as far as the caller may know it."""
    caller = unit.principal
    may = caller.holds("webhook.manage", unit.scope.environment) and caller.kind != "personal_key"
    return endpoint.url if may else without_query(endpoint.url)


def without_query(url: str) -> str:
    """A URL without what may hold a token: the part before the host, the query and the fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def delivery_rows(unit: Unit, rows: Sequence[Delivery]) -> tuple[DeliveryRow, ...]:
    """Several deliveries, whose events and endpoints are read together."""
    found: list[Any] = unit.tx.read_all(
        (
            *(Get(EVENTS, (row.event_id,)) for row in rows),
            *(Get[Any](ENDPOINTS, (row.endpoint_id,)) for row in rows),
        )
    )
    events, endpoints = found[: len(rows)], found[len(rows) :]
    return tuple(map(_row, rows, events, endpoints))


def delivery_row(unit: Unit, row: Delivery) -> DeliveryRow:
    """One delivery."""
    return delivery_rows(unit, [row])[0]


def _row(row: Delivery, event: StoredEvent | None, endpoint: Endpoint | None) -> DeliveryRow:
    return DeliveryRow(
        delivery_id=row.delivery_id,
        event_id=row.event_id,
        kind="" if event is None else event.kind,
        endpoint_id=row.endpoint_id,
        endpoint_key=None if endpoint is None else endpoint.key,
        sample=row.sample,
        status=row.status,
        attempts=row.attempt,
        retries=row.automatic,
        occurred_at=Timestamp(row.queued_at if event is None else event.occurred_at),
        queued_at=Timestamp(row.queued_at),
        due_at=_moment(row.due_at),
        attempted_at=_moment(row.attempted_at),
        last_status=row.last_status,
        last_error=row.last_error,
    )


def _moment(at: Millis | None) -> Timestamp | None:
    return None if at is None else Timestamp(at)
