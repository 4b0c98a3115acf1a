"""Keys that stay unique for good: ledger entries, grants, gifts, purchases and migration rows.

The general record of an idempotent answer is kept for 24 hours. Rows that pay out keep the key themselves, so that a retry
after that still cannot pay twice: the operation finds its own earlier row, compares the fingerprint of the request, and
answers from the row.

What is kept is a hash of the key. It names nobody, so it outlives the erasure of the player whom the request was about, and
the fingerprint does not: a retry after that matches nothing any more and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Protocol, TypeVar, cast

from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.scope import Scope
from livecore.kernel.store import Wanted
from livecore.kernel.tables import Unique
from livecore.kernel.unit import Unit

__all__ = ["earlier", "earlier_ahead", "hidden", "namespaced"]

R = TypeVar("R")


class _Keyed(Protocol):
    @property
    def fingerprint(self) -> str | None: ...


def hidden(scope: Scope, *parts: str) -> str:
    """A hash by which something is found again that its texts may name: the same in one scope, another in each other scope.

    The texts hold no control characters, so no two lists of them are alike.
    """
    return blake2b("\x00".join((scope.id, *parts)).encode(), digest_size=20).hexdigest()


def namespaced(unit: Unit) -> str | None:
    """The request's idempotency key, set apart by surface and, on the client surface, by player, and hidden; or `None`."""
    if unit.idempotency_key is None:
        return None
    owner = unit.actor.ref if unit.actor.kind == "player" else "admin" if unit.actor.kind == "member" else "server"
    return hidden(unit.scope, owner, unit.idempotency_key)


def earlier_ahead(unit: Unit, by_key: Unique[Any]) -> Iterator[Wanted]:
    """What `earlier` is going to read."""
    key = namespaced(unit)
    if key is not None:
        yield by_key, (key,)


def earlier(unit: Unit, by_key: Unique[R]) -> R | None:
    """The row that an earlier request with this key made.

    Raises `IdempotencyConflict` where that was another request, or about a player who has been erased since.
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
