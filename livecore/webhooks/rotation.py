"""The secrets of an endpoint: made from chance, rotated with an overlap of 24 hours.

A rotation gives the endpoint a new secret at once; the one before it goes on signing beside it for a day, so that a studio
can roll out the new one without missing a delivery. Rotating again within that day retires one more: each secret has its
whole day, and a delivery carries one signature for each that is still alive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Final

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.records import JsonText
from livecore.kernel.time import DAY, Millis
from livecore.kernel.wire import compact
from livecore.webhooks.signature import MAX_SIGNATURES

__all__ = [
    "OVERLAP",
    "SECRET_PREFIX",
    "EndpointSecret",
    "new_secret",
    "rotated",
    "secrets_of",
    "secrets_text",
    "signing",
]

OVERLAP: Final[Millis] = DAY
"""How long a secret signs after it was replaced."""
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what every secret begins with is none
"""How a reader knows a webhook secret; the prefix is part of the HMAC key."""
_ALPHABET = ascii_letters + digits
_LENGTH = 40


@attrs.frozen
class EndpointSecret:
    """One secret of an endpoint, in clear or as its ciphertext; `retires_at` is when it stops signing."""

    text: str = attrs.field(repr=False)
    retires_at: Millis | None = None


def new_secret(entropy: Entropy) -> str:
    """A fresh secret such as `whsec_r4Nd…`, of over 230 random bits."""
    return SECRET_PREFIX + entropy.text(_ALPHABET, _LENGTH)


def signing(secrets: Sequence[EndpointSecret], now: Millis) -> tuple[EndpointSecret, ...]:
    """The secrets that sign at `now`, in the order given; keep the newest first."""
    return tuple(secret for secret in secrets if secret.retires_at is None or now < secret.retires_at)


def rotated(secrets: Sequence[EndpointSecret], text: str, now: Millis) -> tuple[EndpointSecret, ...]:
    """The endpoint's secrets with `text` as the new first one; what still signs does so for a day from its own rotation.

    At most `MAX_SIGNATURES` are kept, the newest: no verifier reads more.
    """
    older = [
        attrs.evolve(secret, retires_at=now + OVERLAP) if secret.retires_at is None else secret
        for secret in signing(secrets, now)
    ]
    return (EndpointSecret(text), *older)[:MAX_SIGNATURES]


def secrets_text(secrets: Sequence[EndpointSecret]) -> JsonText:
    """The secrets as an endpoint's row keeps them."""
    return JsonText(compact([{"text": secret.text, "retiresAt": secret.retires_at} for secret in secrets]))


def secrets_of(text: JsonText) -> tuple[EndpointSecret, ...]:
    """The secrets that a row keeps, newest first."""
    return tuple(EndpointSecret(entry["text"], entry["retiresAt"]) for entry in json.loads(text))
