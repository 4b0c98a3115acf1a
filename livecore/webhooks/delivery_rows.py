"""Deliveries on the wire, as operators see them."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.shapes import Timestamp, shape

__all__ = ["DeliveryGiven", "DeliveryRow"]


@shape
class DeliveryRow:
    """One event on its way to one endpoint.

    `attempts` counts those that have ended; `retries` says whether a failure is retried by schedule. `endpoint_key` is null
    where the endpoint has been removed.
    """

    delivery_id: str
    event_id: str
    kind: str
    endpoint_id: str
    endpoint_key: str | None
    sample: bool
    status: Literal["pending", "held", "delivered", "failed", "discarded"]
    attempts: int
    retries: bool
    occurred_at: Timestamp
    queued_at: Timestamp
    due_at: Timestamp | None
    attempted_at: Timestamp | None
    last_status: int | None
    last_error: str | None

    example: ClassVar = {"kind": "gift.sent", "due_at": None, "last_error": None}


@shape
class DeliveryGiven:
    """A delivery."""

    delivery: DeliveryRow
