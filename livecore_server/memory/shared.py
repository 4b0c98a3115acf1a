"""The common part of shared memories: a copy of the facts in each process, and updates between processes.

    put here ──> own copy ──> update ──> every other process: joined with its own copy

Reading a fact never waits. `put` passes an update to `publish`, which a subclass implements; received updates go to
`receive`, in the order of the medium. A medium keeps updates only for a while: a process that has missed some drops its
facts, because by then they are in the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import attrs
import orjson

from livecore.api.areas import AREAS
from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore.kernel.volatile import Allowance, FactKind, Facts, Volatile

__all__ = ["MOST_UPDATES", "SharedMemory", "Update", "allowance"]

V = TypeVar("V")
MOST_UPDATES: Final = 100_000
"""How many updates a medium keeps, the latest ones."""
_COUNT: Final = "count"


@attrs.frozen(slots=True)
class Update:
    """A changed fact; `value` is JSON, `null` for a dropped fact. Published counts are updates too."""

    kind: str
    scope: str
    ref: str
    value: str


class _SharedFacts(Facts[V]):
    """One process's copy of a family."""

    __slots__ = ("_fields", "_kind", "_memory")

    def __init__(self, kind: FactKind[V], memory: SharedMemory) -> None:
        super().__init__(kind.capacity)
        self._kind = kind
        self._memory = memory
        record: Any = kind.record
        self._fields = () if record is None else tuple(field.name for field in attrs.fields(record))

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True, at_once: bool = False) -> None:
        """Remember a fact, and publish it."""
        super().put(scope, ref, value, keep=keep)
        packed: Any = {name: getattr(value, name) for name in self._fields} if self._fields else value
        self._memory.publish(Update(self._kind.name, scope.id, ref, orjson.dumps(packed).decode()), at_once=at_once)

    def drop(self, scope: Scope, ref: str) -> None:
        """Drop a fact, here and in the other processes."""
        super().drop(scope, ref)
        self._memory.publish(Update(self._kind.name, scope.id, ref, "null"), at_once=False)

    def receive(self, update: Update) -> None:
        """Apply another process's update."""
        scope, packed = Scope.parse(update.scope), orjson.loads(update.value)
        if packed is None:
            super().drop(scope, update.ref)
            return
        try:
            value: V = packed if self._kind.record is None else self._kind.record(**packed)
        except TypeError:
            return  # from a release with other fields; the rows will have the values
        held = self.get(scope, update.ref)
        joined = value if held is None else self._kind.join(held, value)
        super().put(scope, update.ref, joined, keep=False)


class SharedMemory(Volatile, ABC):
    """One process's part of a memory that several share; `kinds` are the families of facts that it receives."""

    def __init__(self, *, counters: int = 200_000, kinds: Iterable[FactKind[Any]] = AREAS.facts.keys()) -> None:
        super().__init__(counters=counters)
        self._families: dict[str, _SharedFacts[Any]] = {}
        for kind in kinds:
            self.facts(kind)

    def _make_facts(self, kind: FactKind[V]) -> Facts[V]:
        facts = self._families[kind.name] = _SharedFacts(kind, self)
        return facts

    @abstractmethod
    def publish(self, update: Update, *, at_once: bool) -> None:
        """Publish an update to the other processes soon; with `at_once`, before this returns."""

    def receive(self, update: Update) -> None:
        """Apply an update of another process; an unknown family is ignored."""
        if update.kind == _COUNT:
            ends_at, used = orjson.loads(update.value)
            self._learn(update.ref, ends_at, used, 0)
            return
        family = self._families.get(update.kind)
        if family is not None:
            family.receive(update)

    def publish_count(self, name: str, used: int, ends_at: Millis) -> None:
        """Publish the count of a window."""
        self.publish(Update(_COUNT, "", name, orjson.dumps((ends_at, used)).decode()), at_once=False)

    def missed(self, windows: Mapping[str, tuple[Millis, int]]) -> None:
        """Updates were lost, or deleted before this process received them, so its facts are no longer complete.

        `windows` are the published windows: when each of them ends, and its count.
        """
        for family in self._families.values():
            family.forget_written()
        for name, (ends_at, used) in windows.items():
            self._learn(name, ends_at, used, 0)


def allowance(place: int, limit: int, ends_at: Millis, now: Millis) -> Allowance:
    """The allowance of the request with number `place` in its window, counted from 1."""
    return Allowance(place <= limit, limit, max(0, limit - place), max(1, -((now - ends_at) // 1000)))
