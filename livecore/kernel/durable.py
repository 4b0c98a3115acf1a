"""Keys that stay unique for good: ledger entries, grants, gifts, purchases and migration rows.

The general record of an idempotent answer is kept for 24 hours. Rows that pay out keep the key themselves, so that a retry
after that still cannot pay twice: the operation finds its own earlier row, compares the fingerprint of the request, and
answers from the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar, cast

from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.store import Wanted
from livecore.kernel.tables import Unique
from livecore.kernel.unit import Unit

__all__ = ["earlier", "earlier_ahead", "namespaced"]

R = TypeVar("R")


class _Keyed(Protocol):
    @property
    def fingerprint(self) -> str | None: ...


def namespaced(unit: Unit) -> str | None:
    """The request's idempotency key, set apart by surface and, on the client surface, by player; `None` without a key."""
    if unit.idempotency_key is None:
        return None
    owner = unit.actor.ref if unit.actor.kind == "player" else "server"
    return f"{owner}:{unit.idempotency_key}"


def earlier_ahead(unit: Unit, by_key: Unique[Any]) -> Iterator[Wanted]:
    """What `earlier` is going to read."""
    key = namespaced(unit)
    if key is not None:
        yield by_key, (key,)


def earlier(unit: Unit, by_key: Unique[R]) -> R | None:
    """The row that an earlier request with this key made. Raises `IdempotencyConflict` where that was another request."""
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
