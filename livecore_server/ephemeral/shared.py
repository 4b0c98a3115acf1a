"""The common part of shared states: a copy of the values in each process, and updates between processes.

    put here ──> own copy ──> update ──> every other process: joined with its own copy

Reading a value never waits. `put` passes an update to `publish`, which a subclass implements; received updates go to
`receive`, in the order of the medium. A medium keeps updates only for a while: a process that has missed some drops its
values, because by then they are in the rows.

    forget ──> own copy ──> emptied in the medium: what any process has published about the id
                      └──> update ──> every other process: its copy

Names of windows say who is counted and from which address, so what leaves a process is their keyed hash (`hidden`). Its
last part is the hash of the name's last part, by which an id is forgotten.

An emptied update keeps its number, so that nobody takes it for a lost one. A process that has noted something about the id
before it hears of this does the same once more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, TypeVar

import attrs
import orjson

from livecore.api.areas import AREAS
from livecore.kernel.scope import Scope
from livecore.kernel.time import HOUR, Millis
from livecore.kernel.units.ephemeral import Allowance, EphemeralKind, EphemeralState, EphemeralValues

V = TypeVar("V")
MOST_UPDATES: Final = 30_000
"""How many updates a medium keeps, the latest ones. Each has at most about a kilobyte."""
OLDEST_UPDATE: Final[Millis] = HOUR
"""For how long a medium keeps an update. The latest one stays without contents, as `OUTDATED`."""
FORGET: Final = "forget"
"""The kind of an update that tells the other processes to forget an id."""
EMPTIED: Final = "emptied"
"""The kind of an update about an id that was forgotten. Nobody receives it, nor does a release that does not know it."""
OUTDATED: Final = "outdated"
"""The kind of the latest update, once it is old. A process that had not received it has missed it, and perhaps others."""
_COUNT: Final = "count"
_HASH_BYTES: Final = 16


@attrs.frozen(slots=True)
class Update:
    """A changed value; `value` is JSON. Published counts and forgotten ids are updates too.

    `null` is a value that a process of an earlier release has dropped.
    """

    kind: str
    scope: str
    ref: str
    value: str


class _SharedValues(EphemeralValues[V]):
    """One process's copy of a family."""

    __slots__ = ("_ephemeral", "_fields", "_kind")

    def __init__(self, kind: EphemeralKind[V], ephemeral: SharedEphemeralState) -> None:
        super().__init__(kind.capacity)
        self._kind = kind
        self._ephemeral = ephemeral
        record: Any = kind.record
        self._fields = () if record is None else tuple(field.name for field in attrs.fields(record))

    def put(self, scope: Scope, ref: str, value: V, *, keep: bool = True, at_once: bool = False) -> None:
        """Remember a value, and publish it."""
        super().put(scope, ref, value, keep=keep)
        packed: Any = {name: getattr(value, name) for name in self._fields} if self._fields else value
        self._ephemeral.publish(Update(self._kind.name, scope.id, ref, orjson.dumps(packed).decode()), at_once=at_once)

    def receive(self, update: Update) -> None:
        """Apply another process's update."""
        scope, packed = Scope.parse(update.scope), orjson.loads(update.value)
        if packed is None:
            self.drop(scope, update.ref)
            return
        try:
            value: V = packed if self._kind.record is None else self._kind.record(**packed)
        except TypeError:
            return  # from a release with other fields; the rows will have the values
        held = self.get(scope, update.ref)
        joined = value if held is None else self._kind.join(held, value)
        super().put(scope, update.ref, joined, keep=False)


class SharedEphemeralState(EphemeralState, ABC):
    """One process's part of a state that several share; `kinds` are the families of values that it receives."""

    def __init__(
        self, *, counters: int = 200_000, kinds: Iterable[EphemeralKind[Any]] = AREAS.ephemeral.keys()
    ) -> None:
        super().__init__(counters=counters)
        self._families: dict[str, _SharedValues[Any]] = {}
        self._key = b""
        for kind in kinds:
            self.values(kind)

    def _make_values(self, kind: EphemeralKind[V]) -> EphemeralValues[V]:
        values = self._families[kind.name] = _SharedValues(kind, self)
        return values

    def hide_names(self, key: bytes) -> None:
        """Use this key from now on."""
        self._key = key

    def hidden(self, name: str) -> str:
        """The name of a window outside of the process: its kind in clear, which names nobody, and two keyed hashes."""
        kind, _, rest = name.partition(":")
        return f"{kind}:{self._hash(rest)}:{self._hash(rest.rpartition(':')[2])}"

    def _hash(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=_HASH_BYTES).hexdigest()

    def peek(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """The state of a window that `hit_published` counts, without counting."""
        return super().peek(self.hidden(name), limit, window, now)

    def _forget_windows(self, ref: str) -> None:
        super()._forget_windows(self._hash(ref))

    @abstractmethod
    def publish(self, update: Update, *, at_once: bool) -> None:
        """Publish an update to the other processes soon; with `at_once`, before this returns."""

    @abstractmethod
    def empty(self, ref: str) -> None:
        """Remove from the medium all about an id: what was published, and the windows whose names end with it.

        Once the next update with `at_once` is published, this has been done.
        """

    def forget(self, scope: Scope, ref: str) -> None:
        """Forget all about an id, here, in the medium and in the other processes."""
        super().forget(scope, ref)
        self._forget_there(Update(FORGET, scope.id, ref, "null"), at_once=True)

    def _forget_there(self, update: Update, *, at_once: bool = False) -> None:
        # The first one is for values, and for windows that a process of an earlier release has counted in.
        self.empty(update.ref)
        self.empty(self._hash(update.ref))
        self.publish(update, at_once=at_once)

    def receive(self, update: Update) -> None:
        """Apply an update of another process; an unknown family is ignored."""
        if update.kind == _COUNT:
            ends_at, used = orjson.loads(update.value)
            self._learn(update.ref, ends_at, used, 0)
            return
        if update.kind == FORGET:
            # Whoever told this may not know the key of the names, such as a command that erases players.
            self.empty(self._hash(update.ref))
            # What this process noted before it heard of this may have been published afterwards, so the others hear once
            # more. That ends: by then nobody has anything to be flushed.
            if self._forget_here(Scope.parse(update.scope), update.ref):
                self._forget_there(update)
            return
        family = self._families.get(update.kind)
        if family is not None:
            family.receive(update)

    def publish_count(self, name: str, used: int, ends_at: Millis) -> None:
        """Publish the count of a window."""
        self.publish(Update(_COUNT, "", name, orjson.dumps((ends_at, used)).decode()), at_once=False)

    def missed(self, windows: Mapping[str, tuple[Millis, int]]) -> None:
        """Updates were lost, or deleted before this process received them, so its values are no longer complete.

        `windows` are the published windows: when each of them ends, and its count.
        """
        for family in self._families.values():
            family.forget_written()
        for name, (ends_at, used) in windows.items():
            self._learn(name, ends_at, used, 0)


def is_about(update: Update, ref: str) -> bool:
    """Whether an update tells something about an id: a value, or the count of one of its windows."""
    return update.kind != FORGET and (update.ref == ref or update.ref.endswith(f":{ref}"))


def allowance(place: int, limit: int, ends_at: Millis, now: Millis) -> Allowance:
    """The allowance of the request with number `place` in its window, counted from 1."""
    return Allowance(place <= limit, limit, max(0, limit - place), max(1, -((now - ends_at) // 1000)))
