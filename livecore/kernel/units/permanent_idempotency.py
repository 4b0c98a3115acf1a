"""Idempotency keys that never expire: those of ledger entries, grants, gifts, purchases and migration rows.

The general record of an idempotent answer is kept for 24 hours. Rows that pay out hold the key themselves, so that a later
retry cannot pay twice either: the operation finds its own earlier row, compares the fingerprint of the request, and answers
from the row.

The row holds a hash of the key. The hash names no player, so it stays when the player is erased. The fingerprint is removed
then: a later retry matches no fingerprint and is refused.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Protocol, TypeVar, cast

from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.scope import Scope
from livecore.kernel.storage.tables import Unique
from livecore.kernel.units.unit import Unit

R = TypeVar("R")


class _Keyed(Protocol):
    @property
    def fingerprint(self) -> str | None: ...


def hidden(scope: Scope, *parts: str) -> str:
    """A hash of texts, to find a row again without storing texts that may name a player. It differs from scope to scope.

    The texts hold no control characters, so no two lists of them are alike.
    """
    return blake2b("\x00".join((scope.id, *parts)).encode(), digest_size=20).hexdigest()


def namespaced(unit: Unit) -> str | None:
    """A hash of the request's idempotency key with its surface and, on the client surface, its player; or `None`."""
    if unit.idempotency_key is None:
        return None
    owner = unit.actor.ref if unit.actor.kind == "player" else "admin" if unit.actor.kind == "member" else "server"
    return hidden(unit.scope, owner, unit.idempotency_key)


def earlier(unit: Unit, by_key: Unique[R]) -> R | None:
    """The row that an earlier request with this key made.

    Raises `IdempotencyConflict` where that request was a different one, or its player has been erased since.
    """
    key = namespaced(unit)
    if key is None:
        return None
    row = unit.tx.find(by_key, key)
    if row is None:
        return None
    if cast(_Keyed, row).fingerprint != unit.fingerprint:
        raise IdempotencyConflict
    unit.replayed = True
    return row
