"""Ephemeral state: what is not worth a durable write each, such as rate counters, presence and last-seen values.

`EphemeralState` is in the process, is bounded, and is passed to every unit beside the transaction. *Counters* are windows
that expire. *Values* are small values by scope and id; the host flushes changed values to the store in batches every few
seconds. A crash therefore loses only the counters and the last few seconds of values: a player may get a few more requests
than the limit, and a presence label may be a few heartbeats old.

Several processes that serve together share it, which a host implements. Three calls exist for that, and cost
a single process nothing: `refresh` receives the changes of other processes; `put(at_once=True)` and `hit_published` publish
a change before the caller is answered. Counts are exact over all processes. Each process holds a copy of the values; where
two processes have different values under the same id, `EphemeralKind.join` combines them, in any order.

`forget` removes all about one id, in every process and from what they share. `tidy`, which the host calls every minute,
removes what is too old to matter.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore.kernel.values import value

V = TypeVar("V")
HeldValue: TypeAlias = tuple[Scope, str, Any, "int | None"]
"""A value with its scope and id, and its place among those that wait to be flushed."""
_KEPT_TURNS: Final = 30
"""For how many calls of `tidy`, which the host makes every minute, values stay that nobody has put and that are flushed."""


@value
class Allowance:
    """The result of counting a request: whether it is within the limit, what remains, and when the window ends."""

    allowed: bool
    limit: int
    remaining: int
    reset_seconds: int


def _latter(_: V, other: V) -> V:
    return other


@attrs.frozen(eq=False)
class EphemeralKind(Generic[V]):
    """A family of values, declared by the area that owns it, which names it in its `Area`."""

    name: str
    capacity: int = 100_000
    """How many values a process holds. Each is small, at most about a kilobyte, so this bounds the memory as well."""
    record: type[V] | None = None
    """The attrs class of the values, its fields texts, numbers or `None`; without one, they are such values."""
    join: Callable[[V, V], V] = _latter
    """Combines the value that a process holds with one that it receives. The order of values must not matter."""


class EphemeralValues(Generic[V]):
    """Values of one family by scope and id.

    A value is *changed* until it is taken to be flushed, and then *clean*. Clean values that nobody has put for half an hour
    are dropped, and the oldest of them earlier where there are too many values: the store has them, or another process will
    flush them. Every call costs the same however many values there are.
    """

    __slots__ = ("_capacity", "_clean", "_dirty", "_turn", "_values")

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: dict[tuple[Scope, str], V] = {}
        # Linked lists: the first key of a dict that was emptied from its front is found only behind all that was removed.
        self._dirty: OrderedDict[tuple[Scope, str], None] = OrderedDict()
        self._clean: OrderedDict[tuple[Scope, str], int] = OrderedDict()
        """The clean ones, each with the turn in which it was put or taken; the oldest first."""
        self._turn = 0

    def get(self, scope: Scope, ref: str) -> V | None:
        """The value, if one is known."""
        return self._values.get((scope, ref))

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True, at_once: bool = False) -> None:  # noqa: ARG002 - for shared memories
        """Remember a value; with `keep` it will also be flushed to the store.

        Other processes receive it soon; with `at_once`, every request that they begin after this call sees it.
        """
        key = (scope, ref)
        if key not in self._values:
            self._make_room(1)
        self._values[key] = value
        if keep:
            self._dirty[key] = None
            self._clean.pop(key, None)
        elif key not in self._dirty:
            self._mark_clean(key)

    def drop(self, scope: Scope, ref: str) -> bool:
        """Drop a value of this process; `forget` drops it in all of them. Whether it was still to be flushed."""
        key = (scope, ref)
        waiting = key in self._dirty
        self._values.pop(key, None)
        self._dirty.pop(key, None)
        self._clean.pop(key, None)
        return waiting

    def take_dirty(self, most: int) -> list[tuple[Scope, str, V]]:
        """Values that changed since they were last taken, at most `most`, oldest change first."""
        count = min(most, len(self._dirty))
        # What was taken before has been written by now, so there may be too many clean ones.
        self._make_room(0, most=count)
        taken = [self._dirty.popitem(last=False)[0] for _ in range(count)]
        for key in taken:
            self._mark_clean(key)
        return [(scope, ref, self._values[scope, ref]) for scope, ref in taken]

    def give_back(self, taken: list[tuple[Scope, str, V]]) -> None:
        """Mark taken values as changed again, because writing them failed."""
        for scope, ref, _ in taken:
            key = (scope, ref)
            if key in self._values:
                self._dirty[key] = None
                self._clean.pop(key, None)

    def held(self) -> list[tuple[Scope, str, V, int | None]]:
        """All values, each with its place among those that wait to be flushed; the clean ones first, in their order."""
        clean: list[HeldValue] = [(*key, self._values[key], None) for key in self._clean]
        return clean + [(*key, self._values[key], place) for place, key in enumerate(self._dirty)]

    def hold(self, values: Sequence[tuple[Scope, str, V, int | None]]) -> None:
        """Take over values that another memory has given."""
        self._values.update(((scope, ref), value) for scope, ref, value, _ in values)
        waiting: dict[int, tuple[Scope, str]] = {}
        for scope, ref, _, place in values:
            if place is None:
                self._mark_clean((scope, ref))
            else:
                waiting[place] = (scope, ref)
        self._dirty.update((waiting[place], None) for place in sorted(waiting))

    def forget_written(self) -> None:
        """Drop values that are not waiting to be flushed: the store has them, or another process will flush them."""
        self._values = {key: self._values[key] for key in self._dirty}
        self._clean.clear()

    def tidy(self) -> None:
        """Drop values that have been clean for `_KEPT_TURNS` calls of this, but at most a tenth of the capacity at once.

        The calls count and not the time, because the clock may be set back.
        """
        self._turn += 1
        oldest = self._turn - _KEPT_TURNS
        for _ in range(max(1, self._capacity // 10)):
            if not self._clean or next(iter(self._clean.values())) >= oldest:
                return
            self._drop_oldest()

    def _mark_clean(self, key: tuple[Scope, str]) -> None:
        self._clean[key] = self._turn
        self._clean.move_to_end(key)

    def _make_room(self, new: int, most: int = 2) -> None:
        """Drop clean values, at most `most`, until there is room for `new` ones."""
        for _ in range(min(most, len(self._values) + new - self._capacity, len(self._clean))):
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        key, _ = self._clean.popitem(last=False)
        del self._values[key]

    def __len__(self) -> int:
        return len(self._values)


@attrs.define(slots=True)
class _Window:
    ends_at: Millis
    used: int

    def runs(self, now: Millis, window: Millis) -> bool:
        """Whether a request at `now` is counted in it.

        The second comparison ends a window that is in the future because the clock was set back. It still allows requests
        that are counted in another order than they arrived.
        """
        return now < self.ends_at <= now + 2 * window


class EphemeralState:
    """The process's ephemeral state."""

    def __init__(self, *, counters: int = 200_000) -> None:
        self._capacity = counters
        self._windows: dict[str, _Window] = {}
        self._values: dict[EphemeralKind[Any], EphemeralValues[Any]] = {}

    def values(self, kind: EphemeralKind[V]) -> EphemeralValues[V]:
        """The values of one family."""
        values: EphemeralValues[V] | None = self._values.get(kind)
        if values is None:
            values = self._values[kind] = self._make_values(kind)
        return values

    def _make_values(self, kind: EphemeralKind[V]) -> EphemeralValues[V]:
        return EphemeralValues(kind.capacity)

    @property
    def windows(self) -> int:
        """How many windows are held."""
        return len(self._windows)

    def held(self) -> tuple[dict[EphemeralKind[Any], list[HeldValue]], dict[str, tuple[Millis, int]]]:
        """All that it knows: the values of each family, and of each window its end and its count."""
        values = {kind: known.held() for kind, known in self._values.items()}
        return values, {name: (window.ends_at, window.used) for name, window in self._windows.items()}

    def hold(
        self, values: Mapping[EphemeralKind[Any], Sequence[HeldValue]], windows: Mapping[str, tuple[Millis, int]]
    ) -> None:
        """Take over what another memory knows."""
        for kind, known in values.items():
            self.values(kind).hold(known)
        self._windows.update((name, _Window(ends_at, used)) for name, (ends_at, used) in windows.items())

    def copy(self) -> EphemeralState:
        """A memory of this process alone that knows the same."""
        copied = EphemeralState(counters=self._capacity)
        copied.hold(*self.held())
        return copied

    def hide_names(self, key: bytes) -> None:
        """Where names of windows leave the process, write their keyed hashes instead: they say who is counted, and where.

        Processes that share it are given the same key of 16 to 64 bytes, before they count anything.
        """

    def close(self) -> None:
        """Release its resources."""

    def refresh(self) -> None:
        """Receive everything that other processes have published so far; called at the start of every request."""

    def tidy(self, now: Millis) -> None:
        """Remove windows that have ended, because their names say who was counted and from where, and old flushed values."""
        self._end_windows(now)
        for values in self._values.values():
            values.tidy()

    def forget(self, scope: Scope, ref: str) -> None:
        """Forget all about an id such as a player's: values of every family, and the windows that count for it.

        The names of those windows end with a colon and the id. When this returns, other processes have been told and what
        the processes share has nothing of it, unless the caller is one that cannot wait. It does no harm if the unit of
        work that calls it does not commit: values that were not written yet are lost, as they are by a crash.
        """
        self._forget_here(scope, ref)

    def _forget_here(self, scope: Scope, ref: str) -> bool:
        """Forget an id in this process; whether it had noted something about it that was still to be flushed."""
        waiting = [values.drop(scope, ref) for values in self._values.values()]
        self._forget_windows(ref)
        return any(waiting)

    def _forget_windows(self, ref: str) -> None:
        ending = f":{ref}"
        for name in [name for name in self._windows if name.endswith(ending)]:
            del self._windows[name]

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`; the window starts with its first request."""
        entry = self._window(name, window, now)
        allowed = entry.used < limit
        if allowed:
            entry.used += 1
        return Allowance(allowed, limit, limit - entry.used, max(1, -((now - entry.ends_at) // 1000)))

    def hit_several(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows, given with their limits; where counting waits, it waits once."""
        return {name: self.hit(name, limit, window, now) for name, limit in limits.items()}

    def hit_published(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows, given with their limits.

        `peek` sees it in this process at once, and in every request that any process begins after this call.
        """
        return {name: self.hit(name, limit, window, now) for name, limit in limits.items()}

    def peek(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """The state of a window that `hit_published` counts, without counting."""
        entry = self._windows.get(name)
        if entry is None or not entry.runs(now, window):
            return Allowance(limit > 0, limit, limit, max(1, window // 1000))
        return Allowance(
            entry.used < limit, limit, max(0, limit - entry.used), max(1, -((now - entry.ends_at) // 1000))
        )

    def _learn(self, name: str, ends_at: Millis, used: int, now: Millis) -> None:
        """Take over the count of a window that other processes count too; the highest count is the latest."""
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
        """Make room for a tenth of the windows: those that end first, and of these the oldest.

        A flood of short ones must not end the limits of a day. This takes some time, but only once in many new windows.
        """
        self._end_windows(now)
        excess = len(self._windows) - self._capacity * 9 // 10
        if excess <= 0:
            return
        ends = sorted(entry.ends_at for entry in self._windows.values())
        last = ends[excess - 1]
        # As many of the windows that end at this time are dropped as are among the excess.
        of_last = excess - bisect_left(ends, last)
        kept: dict[str, _Window] = {}
        for name, entry in self._windows.items():
            if entry.ends_at > last or (entry.ends_at == last and of_last <= 0):
                kept[name] = entry
            elif entry.ends_at == last:
                of_last -= 1
        self._windows = kept

    def _end_windows(self, now: Millis) -> None:
        self._windows = {name: entry for name, entry in self._windows.items() if entry.ends_at > now}
