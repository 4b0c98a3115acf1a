"""How a webhook proves where it comes from: an HMAC over the moment of sending and the raw body.

The sender puts `X-Signature: t=<unix seconds>,v1=<hex>` on each delivery. `v1` is HMAC-SHA256 over the bytes
`<t>.<raw body>`; its key is the whole text of the endpoint's secret (`whsec_…`, prefix included) in UTF-8. While two secrets
overlap after a rotation the header carries one `v1` for each, and either of them proves the delivery.

The moment is signed along, so that a recorded delivery is worthless five minutes later. Whatever is wrong with a delivery,
the receiver sees `SignatureInvalid` and never another exception: a header is a stranger's text until it is proven.

Standard library only, because the client library carries this module into studios' own backends. The rules are section 6.1
of the specification and "Delivery" of the wire contract.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from typing import Final

__all__ = [
    "FUTURE_SECONDS",
    "MAX_SIGNATURES",
    "PAST_SECONDS",
    "SAMPLE_HEADER",
    "SIGNATURE_HEADER",
    "SignatureInvalid",
    "sign",
    "verify_signature",
]

SIGNATURE_HEADER: Final = "X-Signature"
"""The header that `sign` fills and `verify_signature` reads."""
SAMPLE_HEADER: Final = "X-Svc-Webhook-Test"
"""The header, with the value `1`, that tells a sample delivery from a real one."""
PAST_SECONDS: Final = 300
"""How old a delivery may be when it arrives, unless the receiver says otherwise."""
FUTURE_SECONDS: Final = 60
"""How far the sender's clock may run ahead of the receiver's, unless the receiver says otherwise."""
MAX_SIGNATURES: Final = 8
"""The most `v1` signatures that one header may carry, so that a header cannot buy work."""

_MAX_TIMESTAMP: Final = 10**12 - 1
_MAX_HEADER_CHARACTERS: Final = 2048
_TIMESTAMP = re.compile(r"t=([0-9]{1,12})")
_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})")
_OTHER_VERSION = re.compile(r"v[0-9]{1,3}=[!-+\--~]+")
"""A signature of a version that we do not read: a sender may add one beside `v1` without breaking its receivers."""


class SignatureInvalid(ValueError):
    """The delivery is not proven: a missing or malformed header, a moment too far off, no fitting signature or no secret."""


def sign(secrets: Sequence[str], timestamp_seconds: int, body: bytes) -> str:
    """Return the header's value for `body` sent at `timestamp_seconds`, with one `v1` for each secret in the order given.

    Raises `ValueError` when there are no secrets, more than `MAX_SIGNATURES`, or the moment has no 1 to 12 digits.
    """
    keys = _keys(secrets)
    if len(keys) > MAX_SIGNATURES:
        raise ValueError(f"at most {MAX_SIGNATURES} secrets can sign one delivery")
    if not 0 <= timestamp_seconds <= _MAX_TIMESTAMP:
        raise ValueError("the timestamp must have 1 to 12 digits")
    digits = str(timestamp_seconds)
    return ",".join([f"t={digits}", *(f"v1={_digest(key, digits, body)}" for key in keys)])


def verify_signature(
    body: bytes,
    header: str | None,
    secrets: str | Sequence[str],
    *,
    now_seconds: float,
    past_seconds: float = PAST_SECONDS,
    future_seconds: float = FUTURE_SECONDS,
) -> int:
    """Return the moment of sending, in Unix seconds, of a delivery that any of `secrets` proves.

    `body` is the request's body exactly as it came, before any parsing. Both tolerances are inclusive. One secret may be
    given as a plain string. The comparison takes the same time wherever two signatures differ.

    Raises `SignatureInvalid` for everything else, and nothing else.
    """
    keys = _keys(secrets)
    if not _is_bytes(body):
        raise SignatureInvalid("the body must be the raw bytes that were received")
    digits, candidates = _parse(header)
    # Written as one chain so that a NaN from a broken clock refuses.
    if not -future_seconds <= now_seconds - int(digits) <= past_seconds:
        raise SignatureInvalid("the delivery was signed too long ago or too far ahead")
    if not _any_fits([_digest(key, digits, body) for key in keys], candidates):
        raise SignatureInvalid("no signature of the delivery fits a secret")
    return int(digits)


def _keys(secrets: str | Sequence[str]) -> list[bytes]:
    """The HMAC keys; an empty one would let anybody sign, so it is refused like none at all."""
    # A lone string is a sequence too: taken apart, each of its characters would become a secret of its own.
    given: Sequence[str] = [secrets] if isinstance(secrets, str) else secrets
    try:
        keys = [secret.encode() for secret in given]
    except (AttributeError, TypeError, UnicodeEncodeError):
        raise SignatureInvalid("a secret must be text") from None
    if not keys or not all(keys):
        raise SignatureInvalid("there is no secret to prove the delivery with")
    return keys


def _is_bytes(body: object) -> bool:
    return isinstance(body, bytes)


def _parse(header: object) -> tuple[str, list[str]]:
    """The digits of `t` and the `v1` signatures of a well-formed header."""
    if not isinstance(header, str) or not header:
        raise SignatureInvalid("the signature header is missing")
    if len(header) > _MAX_HEADER_CHARACTERS:
        raise SignatureInvalid("the signature header is too long")
    moments: list[str] = []
    signatures: list[str] = []
    for part in header.split(","):
        if moment := _TIMESTAMP.fullmatch(part):
            moments.append(moment[1])
        elif signature := _SIGNATURE.fullmatch(part):
            signatures.append(signature[1])
        elif part.startswith("v1=") or not _OTHER_VERSION.fullmatch(part):
            raise SignatureInvalid("the signature header is malformed")
    if len(moments) != 1 or not 1 <= len(signatures) <= MAX_SIGNATURES:
        raise SignatureInvalid(f"the signature header needs one t and 1 to {MAX_SIGNATURES} v1")
    return moments[0], signatures


def _digest(key: bytes, digits: str, body: bytes) -> str:
    return hmac.digest(key, digits.encode("ascii") + b"." + body, "sha256").hex()


def _any_fits(expected: list[str], candidates: list[str]) -> bool:
    """Whether any pair is equal; every pair is compared, so the time taken tells nothing about which."""
    fits = False
    for one in expected:
        for candidate in candidates:
            fits |= hmac.compare_digest(one, candidate)
    return fits
