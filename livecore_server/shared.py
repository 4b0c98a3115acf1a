"""The short memory for units that run on several threads at once: the same memory, one caller at a time."""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore.kernel.volatile import Allowance, FactKind, Facts, Volatile

__all__ = ["SharedVolatile"]

V = TypeVar("V")


class _SharedFacts(Facts[V]):
    """Facts behind a lock. Looking one up is a single step and needs none."""

    __slots__ = ("_lock",)

    def __init__(self, capacity: int, lock: RLock) -> None:
        super().__init__(capacity)
        self._lock = lock

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True) -> None:
        """Remember a fact; with `keep` it will also be flushed to the store."""
        with self._lock:
            super().put(scope, ref, value, keep=keep)

    def drop(self, scope: Scope, ref: str) -> None:
        """Forget a fact."""
        with self._lock:
            super().drop(scope, ref)

    def take_dirty(self, most: int) -> list[tuple[Scope, str, V]]:
        """Facts that changed since they were last taken."""
        with self._lock:
            return super().take_dirty(most)

    def give_back(self, taken: list[tuple[Scope, str, V]]) -> None:
        """Mark taken facts as changed again."""
        with self._lock:
            super().give_back(taken)


class SharedVolatile(Volatile):
    """A short memory that threads share."""

    def __init__(self, *, counters: int = 200_000) -> None:
        super().__init__(counters=counters)
        self._lock = RLock()

    def facts(self, kind: FactKind[V]) -> Facts[V]:
        """The facts of one family."""
        facts: Facts[V] | None = self._facts.get(kind)
        if facts is None:
            with self._lock:
                made: Facts[Any] = _SharedFacts(kind.capacity, self._lock)
                facts = self._facts.setdefault(kind, made)
        return facts

    def hit(self, name: str, limit: int, window: Millis, now: Millis, *, count: int = 1) -> Allowance:
        """Count one request in the fixed window `name`."""
        with self._lock:
            return super().hit(name, limit, window, now, count=count)
