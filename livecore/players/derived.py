"""Player secrets that can be told again although they are not kept: derived whenever they are asked for.

A secret is HMAC-SHA256, keyed by a secret of the deployment, over the scope, the operation, the player, the instant at
which it was made and the key under which the caller asked for it. Who asks with that key again is given it again. Nobody
can derive it from what the database holds: neither the deployment's secret nor the caller's key is there. What is kept is a
record without an answer, of when the secret was made and for which request, found by a name that takes the same secret to
make.

The caller's key is as good as the secret for as long as it may be repeated, so a key that could be guessed derives nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis

__all__ = ["LEAST_KEY", "derived_bytes", "record_name"]

LEAST_KEY: Final = 22
"""The characters that a key has at least: 16 random bytes in base64."""


def derived_bytes(deployment: bytes, scope: Scope, what: str, player_id: str, key: str, made_at: Millis) -> bytes:
    """The 32 bytes that a secret is spelled from; `what` is the operation that makes it."""
    return _mac(deployment, "secret", scope.id, what, player_id, str(made_at), key)


def record_name(deployment: bytes, scope: Scope, player_id: str, key: str) -> str:
    """What the record of a secret is found by, under which the key itself cannot be tried out."""
    return _mac(deployment, "record", scope.id, player_id, key).hex()


def _mac(deployment: bytes, *parts: str) -> bytes:
    # The parts hold no control characters, so no two lists of them are alike.
    return hmac.digest(deployment, "\x00".join(parts).encode(), hashlib.sha256)
