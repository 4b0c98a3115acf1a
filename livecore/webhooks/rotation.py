"""The secrets of an endpoint: random, and rotated with an overlap of 24 hours.

A rotation gives the endpoint a new secret at once. The previous one also signs for one more day, so that a studio can
deploy the new one without losing a delivery. Another rotation within that day adds one more: each old secret signs for its
whole day, and a delivery carries one signature for each secret that still signs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Final

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.storage.records import JsonText
from livecore.kernel.time import DAY, Millis
from livecore.kernel.wire import compact
from livecore.webhooks.signature import MAX_SIGNATURES

_OVERLAP: Final[Millis] = DAY
"""How long a secret signs after it was replaced."""
_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what every secret begins with is none
"""The prefix by which people recognise a webhook secret; it is part of the HMAC key."""
SECRET_BYTES: Final = 32
"""The random bytes from which a secret is spelled."""
_ALPHABET = ascii_letters + digits
_LENGTH = 40


@attrs.frozen
class EndpointSecret:
    """One secret of an endpoint, in plain text or sealed; `retires_at` is when it stops signing."""

    text: str = attrs.field(repr=False)
    retires_at: Millis | None = None


def new_secret(entropy: Entropy) -> str:
    """A fresh secret such as `whsec_r4Nd…`, of over 230 random bits."""
    return _SECRET_PREFIX + entropy.text(_ALPHABET, _LENGTH)


def spelled(secret: bytes) -> str:
    """The secret of these random bytes; it looks like any other."""
    return new_secret(Entropy(secret))


def signing(secrets: Sequence[EndpointSecret], now: Millis) -> tuple[EndpointSecret, ...]:
    """The secrets that sign at `now`, in the order given; keep the newest first."""
    return tuple(secret for secret in secrets if secret.retires_at is None or now < secret.retires_at)


def rotated(secrets: Sequence[EndpointSecret], text: str, now: Millis) -> tuple[EndpointSecret, ...]:
    """The endpoint's secrets with `text` as the new first one; an old secret signs for a day from its own rotation.

    The newest `MAX_SIGNATURES` are kept, because no verifier reads more.
    """
    older = [
        attrs.evolve(secret, retires_at=now + _OVERLAP) if secret.retires_at is None else secret
        for secret in signing(secrets, now)
    ]
    return (EndpointSecret(text), *older)[:MAX_SIGNATURES]


def secrets_text(secrets: Sequence[EndpointSecret]) -> JsonText:
    """The secrets as the text in an endpoint's row."""
    return JsonText(compact([{"text": secret.text, "retiresAt": secret.retires_at} for secret in secrets]))


def secrets_of(text: JsonText) -> tuple[EndpointSecret, ...]:
    """The secrets from an endpoint's row, newest first."""
    return tuple(EndpointSecret(entry["text"], entry["retiresAt"]) for entry in json.loads(text))
