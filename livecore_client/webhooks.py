"""Receiving webhooks: verify that a delivery comes from the service, then read it as a typed event.

    from livecore.webhooks.catalog.friends import GiftClaimed

    event = webhooks.verify(request_body, request.headers.get("X-Signature"), secret)
    match event.data:
        case GiftClaimed(sender_external_player_id=sender, amount=amount):
            print(f"{amount} from {sender} arrived")

A receiver does three things in this order: verify the raw body, store the event's id in one transaction with the event's
effect (deliveries may come twice), and answer with any 2xx within ten seconds. A sample (see `is_sample`) is answered in the
same way, but has no effect, and its id is not stored. The payload classes are in `livecore.webhooks.catalog`, one file for
each subject.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

import attrs

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.shapes import Json, JsonObject, Timestamp
from livecore.kernel.wire import decode_lenient
from livecore.webhooks.catalog import CATALOG, Payload
from livecore.webhooks.envelope import Envelope
from livecore.webhooks.signature import (
    FUTURE_SECONDS,
    PAST_SECONDS,
    SAMPLE_HEADER,
    SIGNATURE_HEADER,
    SignatureInvalid,
    sign,
    verify_signature,
)
from livecore_client._failures import WebhookVerificationError

__all__ = [
    "SAMPLE_HEADER",
    "SIGNATURE_HEADER",
    "WebhookEvent",
    "WebhookVerificationError",
    "is_sample",
    "sign",
    "verify",
]


@attrs.frozen(kw_only=True)
class WebhookEvent:
    """One verified delivery.

    `id` is the same for every delivery of the event, so use it to detect repeats; `delivery_attempt` counts from 1. `data`
    is the typed payload of `event_name`, or the plain mapping where this release does not know the kind or the payload's
    form. `raw` is the whole envelope as it came, unknown fields included.
    """

    id: str
    event_name: str
    studio_id: str
    game_id: str
    occurred_at: Timestamp
    delivery_attempt: int
    data: Payload | Mapping[str, object]
    raw: Mapping[str, Json] = attrs.field(repr=False)


def verify(
    body: bytes,
    header: str | None,
    secrets: str | Sequence[str],
    *,
    now: float | None = None,
    tolerance_seconds: float = PAST_SECONDS,
    future_seconds: float = FUTURE_SECONDS,
) -> WebhookEvent:
    """The event of a delivery that was signed with any of `secrets`.

    `body` is the request's raw body, before any parsing; `header` its `X-Signature`, or `None` when it has none. While a
    secret is being rotated pass both, the old and the new. A delivery may be `tolerance_seconds` old, and `future_seconds`
    ahead of this machine's clock, both inclusive; `now` is that clock in Unix seconds.

    Raises `WebhookVerificationError` for every fault of the delivery, and no other exception.
    """
    try:
        verify_signature(
            body,
            header,
            secrets,
            now_seconds=time.time() if now is None else now,
            past_seconds=tolerance_seconds,
            future_seconds=future_seconds,
        )
    except SignatureInvalid as fault:
        raise WebhookVerificationError(str(fault)) from None
    return _event(body)


def is_sample(header: str | None) -> bool:
    """Whether a delivery is a sample that an operator has sent, whose values are made up: answer it, and do nothing else.

        if webhooks.is_sample(request.headers.get(webhooks.SAMPLE_HEADER)): ...

    `header` is the request's `X-Svc-Webhook-Test`, or `None` when it has none. Verify the delivery first; samples are signed
    as well. The header itself is not signed: it may make a receiver do less, but never more.
    """
    return header is not None and header.strip() == "1"


def _event(body: bytes) -> WebhookEvent:
    raw = _json_object(body)
    try:
        envelope = decode_lenient(Envelope, raw)
    except ValidationFailed as fault:
        raise WebhookVerificationError(f"the body is no event: {fault.message}") from None
    return WebhookEvent(
        id=envelope.id,
        event_name=envelope.event_name,
        studio_id=envelope.studio_id,
        game_id=envelope.game_id,
        occurred_at=envelope.occurred_at,
        delivery_attempt=envelope.delivery_attempt,
        data=_payload(envelope.event_name, envelope.data),
        raw=raw,
    )


def _json_object(body: bytes) -> JsonObject:
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise WebhookVerificationError("the body is not JSON") from None
    if not isinstance(value, dict):
        raise WebhookVerificationError("the body is no event: it is not a JSON object")
    return cast(JsonObject, value)


def _payload(kind: str, data: dict[str, object]) -> Payload | Mapping[str, object]:
    """The typed payload, or `data` itself, so that a verified event of a newer service is not lost because of its form."""
    payload = CATALOG.get(kind)
    if payload is None:
        return data
    try:
        return decode_lenient(payload, cast(Json, data))
    except ValidationFailed:
        return data
