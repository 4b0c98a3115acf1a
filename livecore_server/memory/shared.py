"""What any memory that processes share has in common: a copy of the facts in each process, and news of the others.

    put here ──> own copy ──> news ──> every other process: joined with its own copy

Reading a fact never waits. Whoever puts one hands it to `_tell`, which a medium implements; what comes in from the medium
goes to `heard`, in the order in which the medium keeps it. News are kept for a while only: a process that has missed some
forgets what it knew, because by then that is in the rows.
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

__all__ = ["MOST_NEWS", "News", "SharedMemory", "allowance"]

V = TypeVar("V")
MOST_NEWS: Final = 100_000
"""How many news a medium keeps, the latest ones."""
_COUNT: Final = "count"


@attrs.frozen(slots=True)
class News:
    """A fact as it travels; `value` is JSON, `null` for one that was dropped. Counts that others peek at travel likewise."""

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

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True, told: bool = False) -> None:
        """Remember a fact, and tell the others."""
        super().put(scope, ref, value, keep=keep)
        packed: Any = {name: getattr(value, name) for name in self._fields} if self._fields else value
        self._memory.publish(News(self._kind.name, scope.id, ref, orjson.dumps(packed).decode()), told=told)

    def drop(self, scope: Scope, ref: str) -> None:
        """Forget a fact, here and elsewhere."""
        super().drop(scope, ref)
        self._memory.publish(News(self._kind.name, scope.id, ref, "null"), told=False)

    def hear(self, news: News) -> None:
        """Take in what another process has put."""
        scope, packed = Scope.parse(news.scope), orjson.loads(news.value)
        if packed is None:
            super().drop(scope, news.ref)
            return
        try:
            value: V = packed if self._kind.record is None else self._kind.record(**packed)
        except TypeError:
            return  # of a release that knows other fields; the rows will tell
        held = self.get(scope, news.ref)
        joined = value if held is None else self._kind.join(held, value)
        super().put(scope, news.ref, joined, keep=False)


class SharedMemory(Volatile, ABC):
    """One process's part of a memory that several share; `kinds` are the families of facts that it can hear of."""

    def __init__(self, *, counters: int = 200_000, kinds: Iterable[FactKind[Any]] = AREAS.facts.keys()) -> None:
        super().__init__(counters=counters)
        self._families: dict[str, _SharedFacts[Any]] = {}
        for kind in kinds:
            self.facts(kind)

    def _make_facts(self, kind: FactKind[V]) -> Facts[V]:
        facts = self._families[kind.name] = _SharedFacts(kind, self)
        return facts

    @abstractmethod
    def publish(self, news: News, *, told: bool) -> None:
        """Let the other processes have it soon; with `told`, before this returns."""

    def heard(self, news: News) -> None:
        """Take in one piece of news of another process; a family of which this one knows nothing is passed over."""
        if news.kind == _COUNT:
            ends_at, used = orjson.loads(news.value)
            self._know(news.ref, ends_at, used, 0)
            return
        family = self._families.get(news.kind)
        if family is not None:
            family.hear(news)

    def publish_count(self, name: str, used: int, ends_at: Millis) -> None:
        """Let the other processes have what a window has come to."""
        self.publish(News(_COUNT, "", name, orjson.dumps((ends_at, used)).decode()), told=False)

    def missed(self, told: Mapping[str, tuple[Millis, int]]) -> None:
        """News were lost on the way, or gone before this process asked: what it knows is no longer complete.

        `told` are the windows of which processes tell each other: when each of them ends, and its count.
        """
        for family in self._families.values():
            family.forget_written()
        for name, (ends_at, used) in told.items():
            self._know(name, ends_at, used, 0)


def allowance(place: int, limit: int, ends_at: Millis, now: Millis) -> Allowance:
    """How the request stands that was the `place`-th of its window, the first being 1."""
    return Allowance(place <= limit, limit, max(0, limit - place), max(1, -((now - ends_at) // 1000)))
