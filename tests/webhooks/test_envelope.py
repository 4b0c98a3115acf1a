"""The envelope: its fields, and bytes that come out the same every time."""

from __future__ import annotations

import json

import pytest

from livecore.api.areas import AREAS
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import compact, decode, encode
from livecore.social.webhook_events import GiftSent
from livecore.webhooks.envelope import Envelope, body_of, data_text
from tests.samples import sample

OCCURRED = Timestamp.parse("2026-01-31T09:30:00.123Z")


def body(kind: str, data: str, attempt: int = 1) -> bytes:
    """The bytes of one attempt at a known event."""
    return body_of(
        event_id="evt_1",
        kind=kind,
        studio_id="std_1",
        game_id="gam_1",
        occurred_at=int(OCCURRED),
        delivery_attempt=attempt,
        data=data,
    )


def test_bytes_are_the_documented_ones() -> None:
    """One known body, to the byte: compact, UTF-8, the specification's names in its order."""
    expected = (
        '{"id":"evt_1","eventName":"gift.sent","studioId":"std_1","gameId":"gam_1",'
        '"occurredAt":"2026-01-31T09:30:00.123Z","deliveryAttempt":2,"data":{"message":"für dich 🎁"}}'
    )
    assert body("gift.sent", '{"message":"für dich 🎁"}', attempt=2) == expected.encode("utf-8")


@pytest.mark.parametrize("kind", AREAS.events)
def test_bytes_are_the_envelope_shape(kind: str) -> None:
    """What is sent reads back as the envelope with the sample's payload, for every kind."""
    payload = sample(kind)
    read = json.loads(body(kind, data_text(payload)))
    envelope = decode(Envelope, read)
    assert (envelope.event_name, envelope.occurred_at, envelope.delivery_attempt) == (kind, OCCURRED, 1)
    assert decode(AREAS.events[kind], read["data"]) == payload
    assert compact(encode(envelope)).encode() == body(kind, data_text(payload))


def test_attempts_differ_only_in_their_number() -> None:
    """A receiver may compare two attempts byte for byte but for the attempt's number."""
    data = data_text(sample("friend.removed"))
    first, second = body("friend.removed", data), body("friend.removed", data, attempt=2)
    assert first.replace(b'"deliveryAttempt":1', b'"deliveryAttempt":2') == second


def test_text_of_a_payload_cannot_leave_its_place() -> None:
    """A message that looks like JSON stays a string inside the data."""
    payload = json.loads(data_text(sample("gift.sent")))
    hostile = decode(GiftSent, {**payload, "message": '"},"id":"evt_2'})
    read = json.loads(body("gift.sent", data_text(hostile)))
    assert read["id"] == "evt_1"
    assert read["data"]["message"] == '"},"id":"evt_2'
