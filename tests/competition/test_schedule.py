"""The spans of a schedule: each one is found from any moment, in order, without overlap and without end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from livecore.events.definition import Schedule, ScheduledWindow
from livecore.events.schedule import Span, first_span
from livecore.kernel.time import Timestamp

MOMENTS = st.integers(0, 2_000_000)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """A list of windows, or windows that recur."""
    if draw(st.booleans()):
        bounds = sorted(draw(st.sets(MOMENTS, min_size=2, max_size=12)))
        pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
        windows = tuple(ScheduledWindow(starts_at=Timestamp(a), ends_at=Timestamp(b)) for a, b in pairs)
        return Schedule(windows=tuple(draw(st.permutations(windows))))
    every = draw(st.integers(1, 300))
    starts = draw(MOMENTS)
    until = draw(st.none() | st.integers(1, 2_000_000))
    return Schedule(
        starts_at=Timestamp(starts),
        every_seconds=every,
        duration_seconds=draw(st.integers(1, every)),
        until=None if until is None else Timestamp(starts + until),
    )


def all_spans(schedule: Schedule, before: int) -> list[Span]:
    """Every span that begins before a moment, computed in the simplest way."""
    if schedule.windows is not None:
        found = [Span(int(window.starts_at), int(window.ends_at)) for window in schedule.windows]
        return sorted((span for span in found if span.starts_at < before), key=lambda span: span.starts_at)
    assert schedule.starts_at is not None
    assert schedule.every_seconds is not None
    assert schedule.duration_seconds is not None
    end = before if schedule.until is None else min(before, int(schedule.until))
    starts = range(int(schedule.starts_at), end, schedule.every_seconds * 1_000)
    return [Span(at, at + schedule.duration_seconds * 1_000) for at in starts]


@given(schedules(), MOMENTS, MOMENTS)
def test_the_first_span_is_the_first_of_all(schedule: Schedule, ending_after: int, starting_from: int) -> None:
    """Found from its number, it is what going through all of them finds."""
    far = 5_000_000
    expected = [
        span for span in all_spans(schedule, far) if span.ends_at > ending_after and span.starts_at >= starting_from
    ]
    assert first_span(schedule, ending_after=ending_after, starting_from=starting_from) == next(iter(expected), None)


@given(schedules())
def test_following_one_another_they_are_all_there_once(schedule: Schedule) -> None:
    """The next after each is the next of all, and none overlaps with the one before."""
    expected = all_spans(schedule, 3_000_000)[:50]
    found: list[Span] = []
    end = 0
    while len(found) < len(expected):
        span = first_span(schedule, ending_after=end, starting_from=end)
        assert span is not None
        found.append(span)
        end = span.ends_at
    assert found == expected


def test_a_schedule_from_long_ago_is_found_at_once() -> None:
    """A window every second since 1970 is no reason to count to today."""
    schedule = Schedule(starts_at=Timestamp(0), every_seconds=1, duration_seconds=1)
    now = 1_767_225_600_500
    assert first_span(schedule, ending_after=now) == Span(now - 500, now + 500)


def test_no_span_lies_beyond_what_can_be_shown() -> None:
    """A schedule without end has its last one before the year 10000; one that begins too late has none."""
    decade = 315_360_000
    schedule = Schedule(
        starts_at=Timestamp.parse("9985-01-01T00:00:00Z"), every_seconds=decade, duration_seconds=decade
    )
    first = first_span(schedule, ending_after=0)
    assert first is not None
    assert Timestamp(first.ends_at).wire.startswith("9994-")
    assert first_span(schedule, ending_after=first.ends_at, starting_from=first.ends_at) is None
