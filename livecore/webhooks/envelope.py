"""The envelope of a payload, and the exact bytes that are signed and sent.

A payload is written once, as text, when the event happens. Each attempt puts that text into a new envelope, because the
envelope holds the attempt's number; the bytes of two attempts differ only in that. Receivers recognise repeated deliveries
by `id`. The fields are those of section 6.1 of the specification.
"""

from __future__ import annotations

import json
from typing import Final, cast

import attrs

from livecore.kernel.errors import JsonObject, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import compact, encode
from livecore.version import VERSION
from livecore.webhooks.signature import SAMPLE_HEADER

_LONGEST_READ: Final = 1024 * 1024
"""The longest body that is read again in bytes, so that wrong deliveries cannot cause unlimited work."""


@shape
class Envelope:
    """A webhook as a receiver reads it: `data` is the payload of the kind `eventName`."""

    id: str
    event_name: str
    studio_id: str
    game_id: str
    occurred_at: Timestamp
    delivery_attempt: int
    data: dict[str, object]


_FIELDS: Final = tuple(camel(field.name) for field in attrs.fields(cast("type[attrs.AttrsInstance]", Envelope)))
"""The fields in the order in which `body_of` writes them."""


def plain_headers(*, sample: bool) -> dict[str, str]:
    """The headers of an attempt, without its signature."""
    headers = {"Content-Type": "application/json", "User-Agent": f"Livecore-Webhooks/{VERSION}"}
    return {**headers, SAMPLE_HEADER: "1"} if sample else headers


def data_text(payload: Event) -> str:
    """`payload` as compact JSON, the stored text of an event."""
    return compact(encode(payload))


def body_of(
    *,
    event_id: str,
    kind: str,
    studio_id: str,
    game_id: str,
    occurred_at: int,
    delivery_attempt: int,
    data: str,
) -> bytes:
    """Return the body of one attempt: compact JSON in UTF-8, its fields in the specification's order.

    `occurred_at` is in milliseconds since the epoch, `delivery_attempt` counts from 1, `data` is the result of `data_text`.
    """
    head: JsonObject = {
        "id": event_id,
        "eventName": kind,
        "studioId": studio_id,
        "gameId": game_id,
        "occurredAt": Timestamp(occurred_at).wire,
        "deliveryAttempt": delivery_attempt,
    }
    return f'{compact(head)[:-1]},"data":{data}}}'.encode()


def is_rewritten(body: bytes) -> bool:
    """Whether `body` is a JSON object that was not written by `body_of`, such as one that was parsed and written again.

    The spelling shows it (spaces, escapes, a byte order mark), and the order of the envelope's fields. `False` for what is
    no JSON object, and for a body of more than 1 MiB, which is not read.
    """
    if len(body) > _LONGEST_READ:
        return False
    try:
        value = json.loads(body)
        if not isinstance(value, dict):
            return False
        if compact(value).encode() != body:
            return True
    except (ValueError, RecursionError):
        return False
    return [name for name in value if name in _FIELDS] != [name for name in _FIELDS if name in value]
