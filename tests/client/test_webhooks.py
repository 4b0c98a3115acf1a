"""Verified deliveries as typed events; that the signature rule itself holds is tested where the rule stands."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pytest

from livecore.api.areas import AREAS
from livecore.kernel.errors import Json
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import compact, encode
from livecore.social.webhook_events import GiftClaimed
from livecore.webhooks.envelope import body_of, data_text
from livecore_client import webhooks
from livecore_client.webhooks import WebhookVerificationError, verify
from tests.samples import sample

SECRET = "whsec_test"
NOW = 1_769_850_000
EVENTS_PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference" / "events").glob("*.md"))
GIFT: dict[str, Json] = {
    "giftId": "01900000-0000-7000-8000-000000000001",
    "grantId": "01900000-0000-7000-8000-000000000002",
    "senderPlayerId": "plr_1",
    "senderExternalPlayerId": "anna",
    "recipientPlayerId": "plr_2",
    "recipientExternalPlayerId": "bea",
    "type": "currency",
    "resourceKey": "gold",
    "amount": 25,
    "claimedAt": "2026-01-31T09:00:00.000Z",
}


def _envelope(kind: str = "gift.claimed", data: object = None, **more: object) -> dict[str, object]:
    return {
        "id": "evt_1",
        "eventName": kind,
        "studioId": "std_1",
        "gameId": "gam_1",
        "occurredAt": "2026-01-31T09:00:00.000Z",
        "deliveryAttempt": 2,
        "data": GIFT if data is None else data,
        **more,
    }


def _signed(body: bytes, *secrets: str, at: int = NOW) -> str:
    """A header by the specification's words (6.1), with nothing of ours in it."""
    digests = [hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest() for secret in secrets]
    return f"t={at}," + ",".join(f"v1={digest}" for digest in digests)


def _verified(envelope: object) -> webhooks.WebhookEvent:
    body = json.dumps(envelope).encode()
    return verify(body, _signed(body, SECRET), SECRET, now=NOW)


def test_a_proven_delivery_is_a_typed_event() -> None:
    """Every field of the envelope is there in Python's spelling, and the payload is the class of its kind."""
    event = _verified(_envelope())
    assert (event.id, event.event_name, event.studio_id, event.game_id) == ("evt_1", "gift.claimed", "std_1", "gam_1")
    assert event.occurred_at == Timestamp.parse("2026-01-31T09:00:00.000Z")
    assert event.delivery_attempt == 2
    assert isinstance(event.data, GiftClaimed)
    assert (event.data.recipient_external_player_id, event.data.amount) == ("bea", 25)
    assert event.raw == _envelope()


def test_an_unknown_kind_passes_through_as_it_is() -> None:
    """A newer service may send kinds that this release has no class for; they are events all the same."""
    event = _verified(_envelope("weather.changed", {"sky": "green"}))
    assert event.event_name == "weather.changed"
    assert event.data == {"sky": "green"}


def test_unknown_fields_pass_through_in_the_raw_envelope() -> None:
    """Additive changes come without notice (specification 9): they break nothing and can be read."""
    event = _verified(_envelope(data={**GIFT, "wrapping": "red"}, region="eu"))
    assert isinstance(event.data, GiftClaimed)
    assert event.raw["region"] == "eu"
    assert isinstance(event.raw["data"], Mapping)
    assert event.raw["data"]["wrapping"] == "red"


def test_a_known_kind_in_a_form_that_is_not_known_is_not_lost() -> None:
    """A proven event is delivered to the program even where its payload does not fit the class: as the plain mapping."""
    event = _verified(_envelope(data={"giftId": "1"}))
    assert event.data == {"giftId": "1"}


@pytest.mark.parametrize("kind", sorted(AREAS.events))
def test_the_sample_of_each_kind_is_read_as_its_class(kind: str) -> None:
    """What the service sends of a kind is what the receiver gets, field by field."""
    payload = sample(kind)
    event = _verified(_envelope(kind, encode(payload)))
    assert event.data == payload


@pytest.mark.parametrize("kind", sorted(AREAS.events))
def test_the_class_of_each_kind_is_exported_and_named_in_the_reference(kind: str) -> None:
    """A receiver needs one import, and the reference says which: `from livecore_client.webhooks import GiftSent`."""
    payload = AREAS.events[kind]
    assert payload.__name__ in webhooks.__all__
    assert getattr(webhooks, payload.__name__) is payload
    (page,) = [text for page in EVENTS_PAGES if f"\n## {kind}\n" in (text := page.read_text("utf-8"))]
    section = page.split(f"\n## {kind}\n")[1].split("\n## ")[0]
    assert f"Class: `from livecore_client.webhooks import {payload.__name__}`" in section


@pytest.mark.parametrize(
    ("at", "accepted"),
    [(NOW - 301, False), (NOW - 300, True), (NOW, True), (NOW + 60, True), (NOW + 61, False)],
)
def test_the_moment_of_sending_may_be_300_seconds_back_and_60_ahead(at: int, accepted: bool) -> None:
    """Both bounds are inclusive (wire contract, Delivery)."""
    body = json.dumps(_envelope()).encode()
    if accepted:
        assert verify(body, _signed(body, SECRET, at=at), SECRET, now=NOW).id == "evt_1"
    else:
        with pytest.raises(WebhookVerificationError):
            verify(body, _signed(body, SECRET, at=at), SECRET, now=NOW)


def test_the_tolerance_can_be_chosen() -> None:
    """A queue in front of the receiver may hold deliveries for longer."""
    body = json.dumps(_envelope()).encode()
    header = _signed(body, SECRET, at=NOW - 900)
    assert verify(body, header, SECRET, now=NOW, tolerance_seconds=900).id == "evt_1"
    early = _signed(body, SECRET, at=NOW + 90)
    assert verify(body, early, SECRET, now=NOW, future_seconds=90).id == "evt_1"


def test_while_a_secret_is_rotated_either_proves() -> None:
    """The sender signs with both for a day, and the receiver may know either or both."""
    body = json.dumps(_envelope()).encode()
    both = _signed(body, "whsec_old", "whsec_new")
    for known in ("whsec_old", "whsec_new", ["whsec_new", "whsec_old"], ["whsec_other", "whsec_old"]):
        assert verify(body, both, known, now=NOW).id == "evt_1"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"{}",
        b"[" * 100_000,
        b"9" * 5000,
        json.dumps(_envelope(id=7)).encode(),
        json.dumps(_envelope(data=[])).encode(),
        json.dumps(_envelope(occurredAt="yesterday")).encode(),
        json.dumps(_envelope(deliveryAttempt=True)).encode(),
        json.dumps(_envelope()).encode("utf-16"),
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_signed_body_that_is_no_event_is_refused_with_the_one_error(body: bytes) -> None:
    """A receiver handles one exception, whatever was sent to it, even by somebody who has the secret."""
    with pytest.raises(WebhookVerificationError):
        verify(body, _signed(body, SECRET), SECRET, now=NOW)


def test_the_raw_body_counts_and_not_its_meaning() -> None:
    """Parsing and writing the JSON again changes bytes, and bytes are what was signed."""
    body = json.dumps(_envelope()).encode()
    with pytest.raises(WebhookVerificationError):
        verify(json.dumps(json.loads(body), indent=1).encode(), _signed(body, SECRET), SECRET, now=NOW)


def _sent(kind: str = "gift.claimed") -> bytes:
    """A body as the service sends it."""
    data = data_text(sample(kind)) if kind != "gift.claimed" else compact({**GIFT, "note": "für dich 🎁"})
    return body_of(
        event_id="evt_1",
        kind=kind,
        studio_id="std_1",
        game_id="gam_1",
        occurred_at=NOW * 1000,
        delivery_attempt=1,
        data=data,
    )


@pytest.mark.parametrize(
    "rewritten",
    [
        json.dumps,
        lambda sent: json.dumps(sent, indent=2),
        lambda sent: json.dumps(sent, separators=(",", ":")),
        lambda sent: json.dumps(sent, separators=(",", ":"), ensure_ascii=False, sort_keys=True),
        lambda sent: json.dumps(sent, separators=(",", ":"), ensure_ascii=False) + "\n",
    ],
    ids=["json.dumps", "indented", "escaped", "sorted", "a line"],
)
def test_a_body_that_was_parsed_and_written_again_is_named_as_such(rewritten: Callable[[object], str]) -> None:
    """`json.dumps(request.json())` is the usual mistake of a first receiver, and "no signature fits" does not tell it."""
    body = _sent()
    header = _signed(body, SECRET)
    assert verify(body, header, SECRET, now=NOW).id == "evt_1"
    with pytest.raises(WebhookVerificationError) as caught:
        verify(rewritten(json.loads(body)).encode(), header, SECRET, now=NOW)
    assert str(caught.value) == (
        "no signature of the delivery fits a secret: the body is JSON that is not spelled as the service spells it, "
        "so it was probably parsed and written again; pass the raw bytes that were received"
    )


@pytest.mark.parametrize("kind", sorted(AREAS.events))
def test_a_wrong_secret_is_not_blamed_on_the_body(kind: str) -> None:
    """A body of the service itself is spelled as the service spells it, whatever its kind."""
    body = _sent(kind)
    with pytest.raises(WebhookVerificationError, match=r"^no signature of the delivery fits a secret$"):
        verify(body, _signed(body, "whsec_other"), SECRET, now=NOW)


@pytest.mark.parametrize("body", [b"", b"\xff", b"[ ]", b"a=1&b=2", b'{"a":NaN}', b"[" * 100_000, b'{"a": "\\ud800"}'])
def test_nothing_is_said_of_a_body_that_is_no_json_object(body: bytes) -> None:
    """Anybody can send such a body, and the one exception comes for each."""
    with pytest.raises(WebhookVerificationError, match=r"^no signature of the delivery fits a secret$"):
        verify(body, _signed(b"{}", SECRET), SECRET, now=NOW)


def test_the_spelling_is_said_only_after_the_signature_was_looked_at() -> None:
    """A body in another spelling whose signature fits is an event, and a recorded one is only told its age."""
    body = json.dumps(_envelope()).encode()
    assert verify(body, _signed(body, SECRET), SECRET, now=NOW).id == "evt_1"
    with pytest.raises(WebhookVerificationError, match=r"^the delivery was signed too long ago or too far ahead$"):
        verify(body, _signed(body, "whsec_other", at=NOW - 900), SECRET, now=NOW)


def test_a_body_that_is_not_bytes_is_refused() -> None:
    """A framework that hands out text has decoded it already, perhaps not as it was sent."""
    body = json.dumps(_envelope())
    with pytest.raises(
        WebhookVerificationError, match=r"^the body must be the raw bytes that were received, and not a dict"
    ):
        verify(_envelope(), _signed(body.encode(), SECRET), SECRET, now=NOW)  # type: ignore[arg-type] # the same
    with pytest.raises(WebhookVerificationError):
        verify(body, _signed(body.encode(), SECRET), SECRET, now=NOW)  # type: ignore[arg-type] # the mistake under test


def test_the_machines_own_clock_is_used_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The everyday call has three arguments."""
    body = json.dumps(_envelope()).encode()
    monkeypatch.setattr("livecore_client.webhooks.time.time", lambda: float(NOW))
    assert verify(body, _signed(body, SECRET), SECRET).id == "evt_1"
    monkeypatch.setattr("livecore_client.webhooks.time.time", lambda: float(NOW + 301))
    with pytest.raises(WebhookVerificationError):
        verify(body, _signed(body, SECRET), SECRET)


def test_a_studio_can_sign_deliveries_for_its_own_tests() -> None:
    """The signing side is exported too, and the event cannot be changed by accident."""
    body = json.dumps(_envelope()).encode()
    event = verify(body, webhooks.sign([SECRET], NOW, body), SECRET, now=NOW)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        event.id = "evt_2"  # type: ignore[misc] # the same


@pytest.mark.parametrize(
    ("header", "told"), [("1", True), (" 1 ", True), (None, False), ("", False), ("0", False), ("true", False)]
)
def test_a_sample_is_told_by_its_header(header: str | None, *, told: bool) -> None:
    """By the value that the server sends, and by no other."""
    assert webhooks.is_sample(header) is told
