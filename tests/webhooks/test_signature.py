"""The signature of a delivery: golden vectors, what a verifier takes, and every way in which it must refuse."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from livecore.webhooks.signature import MAX_SIGNATURES, SignatureInvalid, sign, verify_signature

SECRET = "whsec_fixed-for-the-golden-vector"
OTHER = "whsec_another"
BODY = '{"id":"evt_1","data":{"message":"für dich"}}'.encode()
T = 1_767_225_600


def by_hand(secret: str, digits: str, body: bytes) -> str:
    """The signature as the specification words it, written down a second time."""
    return hmac.new(secret.encode("utf-8"), f"{digits}.".encode() + body, hashlib.sha256).hexdigest()


V1 = by_hand(SECRET, str(T), BODY)


def refuses(header: object, *, body: object = BODY, secrets: object = (SECRET,), now: float = T) -> None:
    """Assert that the one typed error comes, whatever was handed in."""
    with pytest.raises(SignatureInvalid):
        verify_signature(cast(bytes, body), cast(str, header), cast("tuple[str, ...]", secrets), now_seconds=now)


def test_golden_vector() -> None:
    """One known delivery, its digest computed with `openssl dgst -hmac`, is fixed to the last digit."""
    expected = "t=1,v1=7aaed73a0f45f657eacd5c9b580562745d6023b1e3e6d17dce076b81940aa046"
    assert sign(["whsec_a"], 1, b"{}") == expected


def test_key_is_the_whole_text_of_the_secret() -> None:
    """The prefix `whsec_` is part of the HMAC key, and nothing is decoded."""
    assert sign([SECRET], T, BODY) == f"t={T},v1={V1}"


def test_two_secrets_give_two_signatures_in_order() -> None:
    """During the overlap of a rotation each secret signs, in the order given and without spaces."""
    assert sign([OTHER, SECRET], T, BODY) == f"t={T},v1={by_hand(OTHER, str(T), BODY)},v1={V1}"


@pytest.mark.parametrize("secrets", [(SECRET,), (OTHER,), (OTHER, "whsec_third"), SECRET])
def test_any_secret_proves(secrets: str | tuple[str, ...]) -> None:
    """One fitting pair of signature and secret is enough, and the moment of sending comes back."""
    assert verify_signature(BODY, sign([SECRET, OTHER], T, BODY), secrets, now_seconds=T) == T


@pytest.mark.parametrize(
    ("late_seconds", "accepted"), [(-61, False), (-60, True), (0, True), (300, True), (301, False)]
)
def test_tolerance_is_inclusive_on_both_sides(late_seconds: int, accepted: bool) -> None:
    """Five minutes back and one ahead still pass, a second more on either side does not."""
    header = sign([SECRET], T, BODY)
    if accepted:
        assert verify_signature(BODY, header, [SECRET], now_seconds=T + late_seconds) == T
    else:
        refuses(header, now=T + late_seconds)


def test_tolerance_is_configurable() -> None:
    """A receiver may be stricter or laxer than the default."""
    header = sign([SECRET], T, BODY)
    assert verify_signature(BODY, header, [SECRET], now_seconds=T + 900, past_seconds=900) == T
    assert verify_signature(BODY, header, [SECRET], now_seconds=T - 90, future_seconds=90) == T
    with pytest.raises(SignatureInvalid):
        verify_signature(BODY, header, [SECRET], now_seconds=T + 2, past_seconds=1)


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"t=1,v1=00",
        17,
        "",
        ",",
        "t=",
        "v1=",
        f"v1={V1}",
        f"t={T}",
        f"t={T},t={T},v1={V1}",
        f"t={T},v1={V1},t={T + 1}",
        f"t=0000000{T},v1={V1}",
        f"t=-{T},v1={V1}",
        f"t=+{T},v1={V1}",
        f"t={T}.0,v1={V1}",
        f"t={T}\n,v1={V1}",
        f"t=١٧٦٧٢٢٥٦٠٠,v1={V1}",
        f"t={T}, v1={V1}",
        f" t={T},v1={V1}",
        f"t={T},v1={V1} ",
        f"t={T},v1={V1},",
        f"t={T},,v1={V1}",
        f"t={T};v1={V1}",
        f"T={T},V1={V1}",
        f"t={T},v1={V1.upper()}",
        f"t={T},v1={V1[:-1]}",
        f"t={T},v1={V1}0",
        f"t={T},v1={V1}\n",
        f"t={T},v1={V1},v1=",
        f"t={T},v1={V1},v1=zz",
        f"t={T},v0={V1}",
        f"t={T},v2={V1}",
        f"t={T},v1={V1},nonsense",
        f"t={T},v1={V1},v2=",
        f"t={T},v1={V1},v2=a b",
        f"t={T},v1={V1}" + f",v1={V1}" * MAX_SIGNATURES,
        f"t={T},v1={V1}" + ",v2=0" * 1000,
        f"t={T},v1={'0' * 64}",
        "t=\udce9,v1=\udce9",
        "=" * 100_000,
    ],
)
def test_malformed_headers_are_refused(header: object) -> None:
    """Every header but the documented form raises the typed error, however strange its type or text."""
    refuses(header)


def test_eight_signatures_are_the_most() -> None:
    """Up to the cap every signature is read; the last one may be the one that fits."""
    wrong = f",v1={'0' * 64}" * (MAX_SIGNATURES - 1)
    assert verify_signature(BODY, f"t={T}{wrong},v1={V1}", [SECRET], now_seconds=T) == T
    refuses(f"t={T}{wrong},v1={'0' * 64},v1={V1}")


def test_order_of_the_parts_does_not_matter() -> None:
    """A sender elsewhere may write the signature before the moment."""
    assert verify_signature(BODY, f"v1={V1},t={T}", [SECRET], now_seconds=T) == T


def test_other_versions_pass_by() -> None:
    """A signature of another version beside `v1` does not disturb; alone it proves nothing."""
    assert verify_signature(BODY, f"t={T},v0=abc,v1={V1},v2=de+/=", [SECRET], now_seconds=T) == T


def test_digits_are_signed_as_written() -> None:
    """The signed text holds `t` as it stands in the header, leading zeros included."""
    digits = f"00{T}"
    assert verify_signature(BODY, f"t={digits},v1={by_hand(SECRET, digits, BODY)}", [SECRET], now_seconds=T) == T
    refuses(f"t={digits},v1={V1}")


@pytest.mark.parametrize("body", [BODY.decode(), None, {"id": "evt_1"}, 0])
def test_parsed_bodies_are_refused(body: object) -> None:
    """Only raw bytes can be proven: text or a parsed object is the receiver's mistake, told by the same error."""
    refuses(sign([SECRET], T, BODY), body=body)


@pytest.mark.parametrize("secrets", [(), "", ("",), (SECRET, ""), (None,), (b"whsec",), None, 5, ("\ud800",)])
def test_unusable_secrets_are_refused(secrets: object) -> None:
    """No secret, an empty one or one that is not text proves nothing: an unset variable must not accept everybody."""
    refuses(sign([SECRET], T, BODY), secrets=secrets)
    refuses(f"t={T},v1={hmac.new(b'', f'{T}.'.encode() + BODY, 'sha256').hexdigest()}", secrets=secrets)


def test_a_string_is_one_secret() -> None:
    """A secret given as a plain string is not taken apart into one-letter secrets."""
    refuses(sign(["w"], T, BODY), secrets=SECRET)


@pytest.mark.parametrize("now", [float("nan"), float("inf"), float("-inf")])
def test_a_broken_clock_refuses(now: float) -> None:
    """A clock that is no number never makes a delivery fresh."""
    refuses(sign([SECRET], T, BODY), now=now)


@pytest.mark.parametrize(
    ("secrets", "timestamp"), [([], T), ([SECRET] * 9, T), ([SECRET], -1), ([SECRET], 10**12), ([""], T)]
)
def test_signing_refuses_what_no_verifier_would_take(secrets: list[str], timestamp: int) -> None:
    """The sender cannot write a header that its own verifier would call malformed."""
    with pytest.raises(ValueError, match=r"."):
        sign(secrets, timestamp, BODY)


def test_import_brings_the_standard_library_only() -> None:
    """A studio's backend that verifies webhooks loads neither the catalog nor a dependency."""
    program = (
        "import sys; import livecore.webhooks.signature; "
        "print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names) - {'__main__'})); "
        "print(any(name.startswith('livecore.webhooks.payload') for name in sys.modules))"
    )
    command = [sys.executable, "-S", "-c", program]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.split("\n")[:2] == ["['livecore']", "False"]
