"""When the windows of an event are open, from its schedule alone: pure functions on instants.

A *span* is the time from the beginning of a window to its end; the end itself is no part of it. A schedule that recurs has
any number of spans without a row for any of them: each is computed from its number, up to the last instant that can be
shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from livecore.events.definition import Schedule
from livecore.kernel.time import MAX_MILLIS, Millis
from livecore.kernel.values import value


@value
class Span:
    """The time of one window."""

    starts_at: Millis
    ends_at: Millis

    def contains(self, moment: Millis) -> bool:
        """Whether the window is open at this moment."""
        return self.starts_at <= moment < self.ends_at


def first_span(schedule: Schedule, *, ending_after: Millis, starting_from: Millis = 0) -> Span | None:
    """The first span that ends after one moment and begins at another or later; `None` where the schedule has no more."""
    return next(
        (
            span
            for span in _spans(schedule, max(ending_after, starting_from))
            if span.ends_at > ending_after and span.starts_at >= starting_from
        ),
        None,
    )


def _spans(schedule: Schedule, around: Millis) -> Iterator[Span]:
    """The spans in their order; of a schedule that recurs those from shortly before `around` on."""
    if schedule.windows is not None:
        spans = [Span(int(window.starts_at), int(window.ends_at)) for window in schedule.windows]
        yield from sorted(spans, key=lambda span: span.starts_at)
        return
    # The configuration was refused if it had neither.
    first, every = int(schedule.starts_at or 0), (schedule.every_seconds or 1) * 1_000
    number = max(0, (around - first) // every - 1)
    while True:
        starts_at = first + number * every
        ends_at = starts_at + (schedule.duration_seconds or 0) * 1_000
        if (schedule.until is not None and starts_at >= schedule.until) or ends_at > MAX_MILLIS:
            return
        yield Span(starts_at, ends_at)
        number += 1
