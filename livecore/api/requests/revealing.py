"""Answers that show a secret once: a repetition with the same idempotency key shows the same secret again.

A secret is never stored to be shown again. Under a key that cannot be guessed it is drawn from a stream of its own, which
is derived from a secret of the deployment, the scope, the caller, the idempotency key and the time. The stored answer has
everything but the secret; who repeats the request gets both. Under a key that could be guessed, or without a secret of the
deployment, the secret is random: the request still has one effect, and a repetition is told that the secret cannot be shown
again.
"""

from __future__ import annotations

import hashlib
import hmac
import json

from livecore.access.keys import key_hash
from livecore.api.requests.idempotency import KEPT_FOR, IdempotentAnswer
from livecore.api.table.operation import Reveals
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.players.derived import LEAST_KEY


def source_of_secret(unit: Unit, owner: str, key: str, at: Millis) -> Entropy | None:
    """The stream from which the secret of this request is drawn, if it can be derived again."""
    if len(key) < LEAST_KEY or not unit.deployment.secrets:
        return None
    return _source(unit.deployment.secrets[0], unit, owner, key, at)


def without_secret(body: bytes, reveals: Reveals) -> bytes:
    """An answer as it is stored: with the hash of the secret in its place."""
    answer = json.loads(body)
    answer["data"][reveals.field] = key_hash(answer["data"][reveals.field])
    return compact(answer).encode()


def revealed(unit: Unit, reveals: Reveals, owner: str, key: str, kept: IdempotentAnswer) -> IdempotentAnswer:
    """A stored answer with its secret. Raises `IdempotencyConflict` if the deployment's secret has been replaced since."""
    answer = json.loads(kept.body)
    data = answer["data"]
    for deployment in unit.deployment.secrets:
        source = _source(deployment, unit, owner, key, kept.expires_at - KEPT_FOR)
        secret = reveals.spell(data, source.bytes(reveals.size))
        if key_hash(secret) == data[reveals.field]:
            data[reveals.field] = secret
            return evolve(kept, body=compact(answer))
    raise IdempotencyConflict("The secret that was shown under this key cannot be shown again.")


def _source(deployment: bytes, unit: Unit, owner: str, key: str, at: Millis) -> Entropy:
    text = "\x00".join(("answer", unit.scope.id, owner, str(at), key))
    return Entropy(hmac.digest(deployment, text.encode(), hashlib.sha256))
