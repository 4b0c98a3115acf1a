"""Deliveries on the wire, as operators see them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor, ExternalPlayerId, Id, IdempotencyKey, Limit, Text

Status = Literal["pending", "held", "delivered", "failed", "discarded"]
_Word = Annotated[str, Text(1, 64)]


@shape
class ListDeliveries:
    """Deliveries of an environment, newest first; `player` is the external id of one whom their events name."""

    endpoint: _Word | None = None
    kind: _Word | None = None
    status: Status | None = None
    player: ExternalPlayerId | None = None
    limit: Limit = 50
    cursor: Cursor | None = None

    example: ClassVar = {"status": "failed"}


@shape
class GetDelivery:
    """A delivery with its request and its attempts."""

    delivery_id: Id


@shape
class ReplayDelivery:
    """Send a delivery again."""

    delivery_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class ReplayDeliveries:
    """Send many deliveries again."""

    endpoint: _Word | None = None
    kind: _Word | None = None
    status: Literal["failed", "delivered"] = "failed"
    player: ExternalPlayerId | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"endpoint": "backend", "status": "failed"}


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
    status: Status
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


@shape
class DeliveriesPage:
    """Deliveries, the newest first. A page may be shorter than its limit and have a next one nevertheless.

    `total` is how many deliveries match, on all pages together; up to 100,000 are counted. It is null where `kind` or
    `player` is given.
    """

    deliveries: tuple[DeliveryRow, ...]
    next_cursor: str | None
    total: int | None


@shape
class DeliveryRequest:
    """The request of the latest attempt, or of the first one where none was made yet.

    `url` is where the endpoint sends now, null where it has been removed; its query is shown as in lists of endpoints.
    `body` is the exact text; null where a player whom it named has been erased. Each attempt has its own signature,
    which is not kept.
    """

    url: str | None
    headers: dict[str, str]
    body: str | None


@shape
class DeliveryAttempt:
    """A finished attempt: the status of the answer, or what went wrong."""

    number: int
    at: Timestamp
    status: int | None
    error: str | None


@shape
class DeliveryShown:
    """A delivery with its request and its latest attempts, the oldest first."""

    delivery: DeliveryRow
    request: DeliveryRequest
    attempts: tuple[DeliveryAttempt, ...]


@shape
class DeliveriesReplayed:
    """How many deliveries were queued again at once, and whether the rest follows in the background."""

    queued: int
    goes_on: bool
