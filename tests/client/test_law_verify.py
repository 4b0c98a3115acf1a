"""Law: whatever a stranger sends, verifying it raises the one error and never another exception."""

from __future__ import annotations

import hashlib
import hmac
import json

from hypothesis import given
from hypothesis import strategies as st

from livecore.api.areas import AREAS
from livecore_client.webhooks import WebhookEvent, WebhookVerificationError, verify

SECRET = "whsec_law"
NOW = 1_769_850_000
DIGITS = st.text("0123456789٣²", max_size=14)
HEX = st.text("0123456789abcdefABCDEF", min_size=60, max_size=66)
PART = st.one_of(
    st.builds("t={}".format, DIGITS),
    st.builds("v1={}".format, HEX),
    st.builds("v0={}".format, HEX),
    st.sampled_from([f"t={NOW}", "v1=", "t=", "", " ", "=", "v1=é", f"t={NOW} "]),
)
HEADERS = st.one_of(st.none(), st.text(), st.lists(PART, max_size=12).map(",".join))
SECRETS = st.one_of(st.text(), st.lists(st.text(), max_size=3))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
JSON = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
)


def _signed(body: bytes) -> str:
    digest = hmac.new(SECRET.encode(), f"{NOW}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={NOW},v1={digest}"


@given(body=st.binary(max_size=64), header=HEADERS, secrets=SECRETS, now=st.floats() | st.integers(0, 2**40))
def test_law_arbitrary_deliveries_raise_the_one_error(
    body: bytes, header: str | None, secrets: str | list[str], now: float
) -> None:
    """No bytes, header, secrets or clock make it raise anything else, and none of these is ever accepted."""
    try:
        verify(body, header, secrets, now=now)
    except WebhookVerificationError:
        return
    raise AssertionError("an unsigned delivery was accepted")


@given(body=st.binary(max_size=200))
def test_law_arbitrary_signed_bodies_raise_the_one_error(body: bytes) -> None:
    """Somebody who holds the secret can send nonsense too; it is refused in the same way."""
    try:
        verify(body, _signed(body), SECRET, now=NOW)
    except WebhookVerificationError:
        return
    raise AssertionError("random bytes are no event")


@given(
    kind=st.sampled_from(sorted(AREAS.events)) | st.text(max_size=12),
    data=st.dictionaries(st.sampled_from(["giftId", "amount", "kind", "by", "cost", "claimedAt"]) | st.text(), JSON),
    attempt=LEAVES,
    occurred_at=st.just("2026-01-31T09:00:00.000Z") | LEAVES,
)
def test_law_any_json_object_in_an_envelope_is_an_event_or_the_one_error(
    kind: str, data: dict[str, object], attempt: object, occurred_at: object
) -> None:
    """Whatever JSON stands in the fields, the answer is an event with its id and data, or the one error."""
    envelope = {
        "id": "evt_1",
        "eventName": kind,
        "studioId": "std_1",
        "gameId": "gam_1",
        "occurredAt": occurred_at,
        "deliveryAttempt": attempt,
        "data": data,
    }
    body = json.dumps(envelope).encode()
    try:
        event = verify(body, _signed(body), SECRET, now=NOW)
    except WebhookVerificationError:
        return
    assert isinstance(event, WebhookEvent)
    assert event.id == "evt_1"


@given(body=st.binary(min_size=1, max_size=64), place=st.integers(0, 63), bit=st.integers(0, 7))
def test_law_one_changed_bit_breaks_the_proof(body: bytes, place: int, bit: int) -> None:
    envelope = json.dumps({"id": "evt_1", "note": body.hex()}).encode()
    changed = bytearray(envelope)
    changed[place % len(changed)] ^= 1 << bit
    try:
        verify(bytes(changed), _signed(envelope), SECRET, now=NOW)
    except WebhookVerificationError as refused:
        assert "no signature" in str(refused)  # noqa: PT017 - the law allows no other outcome
        return
    raise AssertionError("a changed body was accepted")
