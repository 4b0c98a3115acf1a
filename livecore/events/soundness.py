"""The invariants of events and windows.

events   one that has a further window will open it
windows  each belongs to an event; an active one will close, and a closed one says when it did
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.events.window_records import EVENTS, WINDOWS, CompetitionEvent, EventWindow, declared
from livecore.events.windows import CLOSE, OPEN, next_span
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get
from livecore.kernel.units.due import DUE


def _window_needs(window: EventWindow) -> Iterator[AnyRead]:
    yield Get(EVENTS, (window.event_key,))
    yield Get(DUE, (CLOSE, window.window_id))


def _judge_window(reader: Reader, window: EventWindow) -> Iterator[str]:
    event = reader.get(EVENTS, (window.event_key,))
    if event is None or event.event_id != window.event_id:
        yield "belongs to an event that does not exist"
    if window.ends_at < window.starts_at:
        yield "ends before it begins"
    if (window.status == "closed") != (window.closed_at is not None):
        yield f"is {window.status}, and says otherwise when it closed"
    if window.status != "closed" and reader.get(DUE, (CLOSE, window.window_id)) is None:
        yield f"is {window.status} and will not close"


def _event_needs(event: CompetitionEvent) -> Iterator[AnyRead]:
    yield Get(DUE, (OPEN, event.event_key))


def _judge_event(reader: Reader, event: CompetitionEvent) -> Iterator[str]:
    definition = declared(event)
    if definition is None or next_span(event, definition.schedule) is None:
        return
    if reader.get(DUE, (OPEN, event.event_key)) is None:
        yield "has a further window, which will not open"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=EVENTS, needs=_event_needs, judge=_judge_event),
    Rule(table=WINDOWS, needs=_window_needs, judge=_judge_window),
)
