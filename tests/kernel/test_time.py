"""Timestamps on the wire: what is read, what is written, and the arithmetic of days."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.time import DAY, MAX_MILLIS, Timestamp, day_number, next_midnight


@given(st.integers(-62_135_596_800_000, MAX_MILLIS))
def test_what_is_written_is_read_back(now: int) -> None:
    """Always UTC, always three decimals, for every instant of the calendar."""
    text = Timestamp(now).wire
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert Timestamp.parse(text) == now
    assert Timestamp.of(Timestamp(now).datetime) == now


@given(st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001 - hypothesis wants naive bounds
def test_the_wire_agrees_with_the_standard_library(moment: datetime) -> None:
    """The same text as `isoformat` gives."""
    aware = moment.replace(tzinfo=UTC, microsecond=moment.microsecond // 1000 * 1000)
    assert Timestamp.of(aware).wire == aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31T09:30:00.5Z", "2026-01-31T09:30:00.500Z"),
        ("2026-01-31T09:30:00.123999999Z", "2026-01-31T09:30:00.123Z"),
        ("2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00.000Z"),
        ("2026-01-31T00:30:00.000+01:00", "2026-01-30T23:30:00.000Z"),
        ("2024-02-29T12:00:00-00:30", "2024-02-29T12:30:00.000Z"),
    ],
)
def test_other_spellings_are_read(text: str, wire: str) -> None:
    """Fewer or more decimals and other zones; finer fractions are cut off."""
    assert Timestamp.parse(text).wire == wire


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-01-31T09:30Z", "2026-1-31T09:30:00Z",
        "2026-02-30T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00.Z",
        "2026-01-31T09:30:00z", "2026-01-31T09:30:00.000Z ", "\uff12026-01-31T09:30:00Z", "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "2026-01-31T09:30:00+24:00",
    ],
)  # fmt: skip
def test_what_is_no_instant(text: str) -> None:
    """One error, `ValueError`, for all of it."""
    with pytest.raises(ValueError, match=r"must|year|month|day|hour|second|zone|offset|Invalid|range"):
        Timestamp.parse(text)


def test_a_timestamp_is_a_number_that_reads_well() -> None:
    """It adds like one and prints as on the wire."""
    start = Timestamp.parse("2026-01-01T00:00:00Z")
    later = start + DAY
    assert (str(later), repr(later)) == ("2026-01-02T00:00:00.000Z", "Timestamp('2026-01-02T00:00:00.000Z')")
    assert later - start == DAY


@given(st.integers(0, MAX_MILLIS - DAY))
def test_days_end_at_midnight(now: int) -> None:
    """The next midnight is at most a day ahead, ends this day and begins the next."""
    midnight = next_midnight(now)
    assert now < midnight <= now + DAY
    assert day_number(midnight) == day_number(now) + 1
    assert day_number(midnight - 1) == day_number(now)
