"""The law of signatures: what was signed verifies, and whatever was changed afterwards does not."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from livecore.webhooks.signature import SignatureInvalid, sign, verify_signature

secrets_given = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4)
moments = st.integers(0, 10**12 - 1)


@given(secrets_given, moments, st.binary(), st.integers(-60, 300), st.data())
def test_signed_deliveries_verify(
    secrets: list[str], moment: int, body: bytes, late_seconds: int, data: st.DataObject
) -> None:
    """Whoever holds any one of the signing secrets accepts the delivery within the tolerance."""
    held = data.draw(st.sampled_from(secrets))
    header = sign(secrets, moment, body)
    assert verify_signature(body, header, [held], now_seconds=moment + late_seconds) == moment


@given(secrets_given, moments, st.binary(), st.binary())
def test_another_body_fails(secrets: list[str], moment: int, body: bytes, other: bytes) -> None:
    assume(body != other)
    with pytest.raises(SignatureInvalid):
        verify_signature(other, sign(secrets, moment, body), secrets, now_seconds=moment)


@given(secrets_given, moments, st.binary(), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_another_secret_fails(secrets: list[str], moment: int, body: bytes, other: str) -> None:
    # HMAC pads its key with zero bytes, so secrets that differ only there are the same key.
    assume(all(other.rstrip("\0") != secret.rstrip("\0") for secret in secrets))
    with pytest.raises(SignatureInvalid):
        verify_signature(body, sign(secrets, moment, body), [other], now_seconds=moment)


@given(moments, moments, st.binary())
def test_another_moment_fails(moment: int, other: int, body: bytes) -> None:
    """The moment is part of what is signed: it cannot be refreshed."""
    assume(moment != other)
    header = sign(["whsec_law"], moment, body).replace(f"t={moment},", f"t={other},")
    with pytest.raises(SignatureInvalid):
        verify_signature(body, header, ["whsec_law"], now_seconds=other)


@given(moments, st.binary(), st.data())
def test_any_changed_character_fails(moment: int, body: bytes, data: st.DataObject) -> None:
    """No single character of the header can be replaced."""
    header = sign(["whsec_law"], moment, body)
    place = data.draw(st.integers(0, len(header) - 1))
    letter = data.draw(st.characters())
    assume(header[place] != letter)
    changed = header[:place] + letter + header[place + 1 :]
    with pytest.raises(SignatureInvalid):
        verify_signature(body, changed, ["whsec_law"], now_seconds=moment)


@given(st.text() | st.none() | st.binary(), st.binary(), st.floats(), st.lists(st.text()))
def test_strangers_see_one_error(header: object, body: bytes, now: float, secrets: list[str]) -> None:
    """Nothing but the typed error leaves the verifier, whatever comes in."""
    with contextlib.suppress(SignatureInvalid):
        verify_signature(body, header, secrets, now_seconds=now)  # type: ignore[arg-type] # a stranger keeps no types
        raise AssertionError("a random header was accepted")
