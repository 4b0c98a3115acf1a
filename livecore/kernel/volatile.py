"""What is worth remembering but not worth a durable write each: rate counters, presence, throttles, last-seen facts.

`Volatile` lives in the process, is bounded, and is handed to every unit beside the transaction. *Counters* are windows that
simply run out. *Facts* are small values by scope and id; those that changed are flushed to the store in groups every few
seconds by the host. A crash therefore costs the counters and the last few seconds of facts, and nothing else: a player may
get a few more requests than the limit, a presence label may be a few beats old.

Several processes that serve together share one short memory, whose keeper is a host. What the core says for their sake costs
a single process nothing: that it begins something that must know what others know (`hear`), and that others must know of a
change before the caller is answered (`told`, `hit_told`). Counts are exact over all processes. Of facts each process holds a
copy; where two have noted different things about the same, `FactKind.join` makes one of them, in whatever order they hear of
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore.kernel.values import value

__all__ = ["Allowance", "FactKind", "Facts", "Volatile"]

V = TypeVar("V")


@value
class Allowance:
    """How a counted request stands: within the limit or not, what is left, and when the window starts anew."""

    allowed: bool
    limit: int
    remaining: int
    reset_seconds: int


def _latter(_: V, heard: V) -> V:
    return heard


@attrs.frozen(eq=False)
class FactKind(Generic[V]):
    """A family of facts, declared by the area that owns it, which names it in its `Area`."""

    name: str
    capacity: int = 1_000_000
    record: type[V] | None = None
    """The attrs class of the facts, its fields texts, numbers or `None`; without one, they are such values."""
    join: Callable[[V, V], V] = _latter
    """One fact of what a process holds and what it hears. The order in which facts come must not matter."""


class Facts(Generic[V]):
    """Facts of one family by scope and id; the oldest that are already flushed make room when there are too many."""

    __slots__ = ("_capacity", "_dirty", "_values")

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: dict[tuple[Scope, str], V] = {}
        self._dirty: dict[tuple[Scope, str], None] = {}

    def get(self, scope: Scope, ref: str) -> V | None:
        """The fact, if one is known."""
        return self._values.get((scope, ref))

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True, told: bool = False) -> None:  # noqa: ARG002 - there is nobody to tell
        """Remember a fact; with `keep` it will also be flushed to the store.

        Other processes hear of it soon; with `told`, whatever they begin after this has returned knows of it.
        """
        key = (scope, ref)
        if key not in self._values and len(self._values) >= self._capacity:
            self._evict()
        self._values[key] = value
        if keep:
            self._dirty[key] = None

    def drop(self, scope: Scope, ref: str) -> None:
        """Forget a fact."""
        self._values.pop((scope, ref), None)
        self._dirty.pop((scope, ref), None)

    def take_dirty(self, most: int) -> list[tuple[Scope, str, V]]:
        """Facts that changed since they were last taken, at most `most`, oldest change first."""
        taken = list(self._dirty)[:most] if len(self._dirty) > most else list(self._dirty)
        for key in taken:
            del self._dirty[key]
        return [(scope, ref, self._values[scope, ref]) for scope, ref in taken]

    def give_back(self, taken: list[tuple[Scope, str, V]]) -> None:
        """Mark taken facts as changed again, because writing them failed."""
        for scope, ref, _ in taken:
            if (scope, ref) in self._values:
                self._dirty[scope, ref] = None

    def forget_written(self) -> None:
        """Forget what is not waiting to be flushed: the store knows it, or soon will."""
        self._values = {key: self._values[key] for key in self._dirty}

    def _evict(self) -> None:
        for key in list(self._values)[: max(1, self._capacity // 100)]:
            if key not in self._dirty:
                del self._values[key]

    def __len__(self) -> int:
        return len(self._values)


@attrs.define(slots=True)
class _Window:
    ends_at: Millis
    used: int

    def runs(self, now: Millis, window: Millis) -> bool:
        """Whether a request of this moment is counted in it.

        The second comparison frees a counter whose window lies in the future because the clock was set back. It leaves room
        for requests that are counted in another order than they came in.
        """
        return now < self.ends_at <= now + 2 * window


class Volatile:
    """The process's short memory."""

    def __init__(self, *, counters: int = 200_000) -> None:
        self._capacity = counters
        self._windows: dict[str, _Window] = {}
        self._facts: dict[FactKind[Any], Facts[Any]] = {}

    def facts(self, kind: FactKind[V]) -> Facts[V]:
        """The facts of one family."""
        facts: Facts[V] | None = self._facts.get(kind)
        if facts is None:
            facts = self._facts[kind] = self._make_facts(kind)
        return facts

    def _make_facts(self, kind: FactKind[V]) -> Facts[V]:
        return Facts(kind.capacity)

    @property
    def windows(self) -> int:
        """How many windows are remembered."""
        return len(self._windows)

    def close(self) -> None:
        """Let go of whatever the memory lives in."""

    def hear(self) -> None:
        """Know from here on what any process was told before; whatever answers somebody begins with it."""

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`; the window starts with its first request."""
        entry = self._window(name, window, now)
        allowed = entry.used < limit
        if allowed:
            entry.used += 1
        return Allowance(allowed, limit, limit - entry.used, max(1, -((now - entry.ends_at) // 1000)))

    def hit_told(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows, given with their limits.

        `peek` sees it in this process at once, and in whatever any process begins after this has returned.
        """
        return {name: self.hit(name, limit, window, now) for name, limit in limits.items()}

    def peek(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """How a window stands that is counted by `hit_told`, without counting."""
        entry = self._windows.get(name)
        if entry is None or not entry.runs(now, window):
            return Allowance(limit > 0, limit, limit, max(1, window // 1000))
        return Allowance(
            entry.used < limit, limit, max(0, limit - entry.used), max(1, -((now - entry.ends_at) // 1000))
        )

    def _know(self, name: str, ends_at: Millis, used: int, now: Millis) -> None:
        """Hold what a window that others count in has come to; of one window the highest count is the latest."""
        entry = self._windows.get(name)
        if entry is None or entry.ends_at != ends_at:
            if entry is None and len(self._windows) >= self._capacity:
                self._prune(now)
            self._windows[name] = _Window(ends_at, used)
        else:
            entry.used = max(entry.used, used)

    def _window(self, name: str, window: Millis, now: Millis) -> _Window:
        entry = self._windows.get(name)
        if entry is not None and entry.runs(now, window):
            return entry
        if entry is None and len(self._windows) >= self._capacity:
            self._prune(now)
        entry = self._windows[name] = _Window(now + window, 0)
        return entry

    def _prune(self, now: Millis) -> None:
        self._windows = {name: entry for name, entry in self._windows.items() if entry.ends_at > now}
        for name in list(self._windows)[: max(0, len(self._windows) - self._capacity * 9 // 10)]:
            del self._windows[name]
