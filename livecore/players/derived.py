"""Player secrets that can be given again although they are not stored: they are derived for each request.

A secret is HMAC-SHA256, keyed by a secret of the deployment, over the scope, the operation, the player, the instant at
which it was made, the caller's idempotency key and, if a member of the studio has made it, the member. A caller who repeats
the request with that key gets the same secret again. It cannot be derived from the database, which holds neither the
deployment's secret nor the caller's key. The database holds a record without an answer: when the secret was made and for
which request. The name of that record also takes the deployment's secret to compute.

As long as the request may be repeated, the caller's key gives access to the secret. So a key that could be guessed derives
nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis

LEAST_KEY: Final = 22
"""The least length of a key in characters: 16 random bytes in base64."""


def derived_bytes(deployment: bytes, scope: Scope, what: str, player_id: str, key: str, made_at: Millis) -> bytes:
    """The 32 bytes that a secret encodes; `what` is the operation that makes it, and for a member's one also who."""
    return _mac(deployment, "secret", scope.id, what, player_id, str(made_at), key)


def record_name(deployment: bytes, scope: Scope, player_id: str, key: str) -> str:
    """The name of a secret's record. It gives no means to guess the key."""
    return _mac(deployment, "record", scope.id, player_id, key).hex()


def _mac(deployment: bytes, *parts: str) -> bytes:
    # The parts hold no control characters, so two different lists never give the same text.
    return hmac.digest(deployment, "\x00".join(parts).encode(), hashlib.sha256)
