"""Signatures of webhooks: an HMAC over the time of sending and the raw body proves the sender.

The sender puts `X-Signature: t=<unix seconds>,v1=<hex>` on each delivery. `v1` is HMAC-SHA256 over the bytes
`<t>.<raw body>`; its key is the whole text of the endpoint's secret (`whsec_…`, prefix included) in UTF-8. While two secrets
overlap after a rotation the header carries one `v1` for each, and either of them proves the delivery.

The signature includes the time, so that a recorded delivery cannot be replayed after five minutes. A wrong delivery always
raises `SignatureInvalid` and no other exception, because an attacker can send any header.

It uses only the standard library, because the client library brings this module into studios' own backends. The rules are
section 6.1 of the specification and "Delivery" of the wire contract.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from typing import Final

SIGNATURE_HEADER: Final = "X-Signature"
"""The header that `sign` fills and `verify_signature` reads."""
SAMPLE_HEADER: Final = "X-Svc-Webhook-Test"
"""The header, with the value `1`, that marks a sample delivery."""
PAST_SECONDS: Final = 300
"""How old a delivery may be when it arrives: the receiver's default."""
FUTURE_SECONDS: Final = 60
"""How far the sender's clock may be ahead of the receiver's: the receiver's default."""
MAX_SIGNATURES: Final = 8
"""The most `v1` signatures that one header may carry, so that a header cannot cause unlimited work."""

_MAX_TIMESTAMP: Final = 10**12 - 1
_MAX_HEADER_CHARACTERS: Final = 2048
_TIMESTAMP = re.compile(r"t=([0-9]{1,12})")
_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})")
_OTHER_VERSION = re.compile(r"v[0-9]{1,3}=[!-+\--~]+")
"""A signature of another version, which is ignored: a sender may add one beside `v1` without breaking receivers."""


class SignatureInvalid(ValueError):
    """The delivery is not authentic: a missing or malformed header, a wrong time, no matching signature, or no secret."""


class NothingFits(SignatureInvalid):
    """The header is well-formed and of the right time, but none of its signatures fits the body with any secret."""


def sign(secrets: Sequence[str], timestamp_seconds: int, body: bytes) -> str:
    """Return the header's value for `body` sent at `timestamp_seconds`, with one `v1` for each secret in the order given.

    Raises `ValueError` when there are no secrets, more than `MAX_SIGNATURES`, or the time does not have 1 to 12 digits.
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
    """Return the time of sending, in Unix seconds, of a delivery that one of `secrets` has signed.

    `body` is the request's body exactly as received, before any parsing. Both tolerances are inclusive. One secret may be
    given as a plain string. The comparison takes constant time.

    Raises `SignatureInvalid` for everything else, and nothing else.
    """
    keys = _keys(secrets)
    if not _is_bytes(body):
        raise SignatureInvalid(f"the body must be the raw bytes that were received, and not a {type(body).__name__}")
    digits, candidates = _parse(header)
    # One chained comparison, so that a NaN from a broken clock is refused.
    if not -future_seconds <= now_seconds - int(digits) <= past_seconds:
        raise SignatureInvalid("the delivery was signed too long ago or too far ahead")
    if not _any_fits([_digest(key, digits, body) for key in keys], candidates):
        raise NothingFits("no signature of the delivery fits a secret")
    return int(digits)


def _keys(secrets: str | Sequence[str]) -> list[bytes]:
    """The HMAC keys. An empty secret would let anybody sign, so it is refused like a missing one."""
    # A string is a sequence too: without this, each of its characters would become a secret.
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
    """Whether any pair is equal. Every pair is compared, so the time taken does not reveal which."""
    fits = False
    for one in expected:
        for candidate in candidates:
            fits |= hmac.compare_digest(one, candidate)
    return fits
