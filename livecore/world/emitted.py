"""What happens in a world: its events, kept for tests to look at, or only handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final, Literal, TypeAlias, TypeVar

import attrs

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY, ENVIRONMENTS
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.values import value
from livecore.kernel.wire import encode
from livecore.world.checks import hint

E = TypeVar("E", bound=Event)
Environments: TypeAlias = Literal["test", "live", "*"]
"""One environment, or all: `*`."""
EVERY: Final = "*"


@value
class Emitted:
    """An event of the world: time, scope, kind, and the payload as the catalog's class and as JSON data."""

    at: Timestamp
    environment: str
    kind: str
    payload: Event = attrs.field(repr=False)

    @cached_property
    def data(self) -> JsonObject:
        """The payload as JSON data."""
        data = encode(self.payload)
        assert isinstance(data, dict)  # noqa: S101 - a payload is an object
        return data

    def __repr__(self) -> str:
        return f"Emitted(at={self.at!r}, environment={self.environment!r}, kind={self.kind!r}, data={self.data!r})"


class EventLog:
    """The events of a world: kept, oldest first, or handed on alone."""

    def __init__(self, *, keep: bool, on_event: Callable[[Emitted], None] | None) -> None:
        self.keeps = keep
        self.kept: list[Emitted] = []
        self._on_event = on_event
        self._meanwhile: list[Emitted] | None = None

    def note(self, events: Sequence[Event], environment: str, at: Timestamp) -> None:
        """Take what a committed unit of work has emitted."""
        if not events or not (self.keeps or self._on_event is not None or self._meanwhile is not None):
            return
        emitted = [Emitted(at, environment, event.kind, event) for event in events]
        if self.keeps:
            self.kept += emitted
        if self._meanwhile is not None:
            self._meanwhile += emitted
        if self._on_event is not None:
            for event in emitted:
                self._on_event(event)

    @contextmanager
    def collected(self) -> Iterator[list[Emitted]]:
        """The events from now on until the block ends, whether or not they are kept."""
        outer, inner = self._meanwhile, list[Emitted]()
        self._meanwhile = inner
        try:
            yield inner
        finally:
            self._meanwhile = outer
            if outer is not None:
                outer += inner

    def of_kind(self, kind: str, kinds: Sequence[str], environment: str) -> list[JsonObject]:
        """The payloads of one kind, as JSON. Raises `LookupError` for another kind than `kinds`."""
        if kind not in kinds:
            raise LookupError(f"no event is of the kind {kind!r}{hint(kind, kinds)}")
        return [event.data for event in self._of(environment) if event.kind == kind]

    def of_class(self, kind: type[E], environment: str) -> list[E]:
        """The payloads of one class."""
        return [event.payload for event in self._of(environment) if isinstance(event.payload, kind)]

    def _of(self, environment: str) -> Iterator[Emitted]:
        if not self.keeps:
            raise RuntimeError("this world keeps no events (keep_events=False): take them with on_event")
        if environment not in (*ENVIRONMENTS, EVERY):
            raise ValueError(f"an environment is 'test' or 'live', or '*' for both, not {environment!r}")
        # What belongs to no single game belongs to neither environment.
        wanted = ENVIRONMENTS if environment == EVERY else (environment,)
        return (event for event in self.kept if event.environment in (*wanted, DIRECTORY.environment))
