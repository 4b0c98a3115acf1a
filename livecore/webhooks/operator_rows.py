"""Webhook endpoints on the wire, as operators see them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import attrs

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, Id, IdempotencyKey, Items, Text

EndpointKey = Annotated[str, Text(1, 64, name=True)]
"""A name for an endpoint, unique in its environment."""
Url = Annotated[str, Text(1, 2048)]
Kinds = Annotated[tuple[Annotated[str, Text(1, 64)], ...], Items(1, 200)]
"""Kinds of events, or `*` for all."""


@shape
class ListEndpoints:
    """The webhook endpoints of an environment."""


@shape
class CreateEndpoint:
    """Register a webhook endpoint."""

    url: Url
    key: EndpointKey | None = None
    events: Kinds = ("*",)
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"url": "https://example.com/webhooks", "key": "backend", "events": ("gift.sent",)}


@shape
class UpdateEndpoint:
    """Change a webhook endpoint; what is left out stays."""

    endpoint_id: Id
    url: Url | Absent = ABSENT
    key: EndpointKey | Absent = ABSENT
    events: Kinds | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"url": "https://example.com/webhooks"}


@shape
class RemoveEndpoint:
    """Remove a webhook endpoint."""

    endpoint_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class PauseEndpoint:
    """Stop sending to an endpoint."""

    endpoint_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class UnpauseEndpoint:
    """Send to an endpoint again."""

    endpoint_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class RotateEndpointSecret:
    """Give an endpoint a new secret."""

    endpoint_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class SendSample:
    """Send a sample of a kind of event to an endpoint."""

    endpoint_id: Id
    kind: Annotated[str, Text(1, 64)]
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"kind": "gift.sent"}


@shape
class EndpointRow:
    """A webhook endpoint, without its secret.

    `url` has its query, which may hold a token, only for members who are signed in and may manage endpoints of its
    environment. `failing` is how many deliveries have failed in a row; `previous_secret_until` is when the secret before the
    present one stops signing.

    `waiting` is how many deliveries wait, for their first attempt, for a retry or for the end of a pause; `held` is how many
    of these wait for the end of a pause. At most 100,000 of the held and 100,000 of the other ones are counted.
    `oldest_waiting_at` is when the oldest of them, or its last replay, was queued.
    """

    endpoint_id: str
    key: str
    environment: Literal["test", "live"]
    url: str
    events: tuple[str, ...]
    status: Literal["active", "paused"]
    pause_reason: Literal["operator", "consecutive_failures", "gone"] | None
    paused_at: Timestamp | None
    failing: int
    waiting: int
    held: int
    oldest_waiting_at: Timestamp | None
    previous_secret_until: Timestamp | None
    created_at: Timestamp

    example: ClassVar = {"events": ("gift.sent",), "failing": 0, "waiting": 3, "held": 0}


@shape
class EndpointsGiven:
    """Webhook endpoints, the oldest first."""

    endpoints: tuple[EndpointRow, ...]


@shape
class EndpointGiven:
    """A webhook endpoint."""

    endpoint: EndpointRow


@shape
class EndpointMade:
    """A webhook endpoint with its new `secret`, which is shown this once."""

    endpoint: EndpointRow
    secret: str = attrs.field(repr=False)

    example: ClassVar = {"secret": "whsec_sample"}


@shape
class EndpointRemoved:
    """The endpoint is removed."""

    removed: Literal[True]
