"""Time is a number that the host passes in: whole milliseconds since 1970-01-01T00:00:00Z.

The core never reads a clock. In the core an instant is a plain `int` (`Millis`); on the wire and in rows it is a
`Timestamp`, an `int` that prints as `2026-01-31T09:30:00.000Z`.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import TypeAlias

Millis: TypeAlias = int
"""Milliseconds since the epoch, UTC."""

SECOND: Millis = 1_000
MINUTE: Millis = 60 * SECOND
HOUR: Millis = 60 * MINUTE
DAY: Millis = 24 * HOUR

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MIN_MILLIS: Millis = -62_135_596_800_000
MAX_MILLIS: Millis = 253_402_300_799_999
"""The last instant that the wire format can show: 9999-12-31T23:59:59.999Z."""

_WIRE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)


@lru_cache(maxsize=8192)
def _whole_second(second: int) -> str:
    return (_EPOCH + dt.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")


@lru_cache(maxsize=65536)
def wire_time(at: Millis) -> str:
    """An instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    second, milli = divmod(at, 1000)
    return f"{_whole_second(second)}.{milli:03d}Z"


class Timestamp(int):
    """An instant as clients see it: an `int` of milliseconds since the epoch that knows its wire form."""

    __slots__ = ()

    @property
    def wire(self) -> str:
        """The instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
        return wire_time(self)

    @property
    def datetime(self) -> dt.datetime:
        """The instant as an aware `datetime` in UTC."""
        return _EPOCH + dt.timedelta(milliseconds=int(self))

    def __str__(self) -> str:
        return self.wire

    def __repr__(self) -> str:
        return f"Timestamp({self.wire!r})"

    @classmethod
    def parse(cls, text: str) -> Timestamp:
        """Read an ISO 8601 instant with a zone; digits beyond milliseconds are cut off.

        Raises `ValueError` for anything else.
        """
        match = _WIRE.fullmatch(text)
        if match is None:
            raise ValueError("must be an ISO 8601 timestamp such as 2026-01-31T09:30:00.000Z")
        fraction = (match[7] or "").ljust(3, "0")[:3]
        zone = "+00:00" if match[8] == "Z" else match[8]
        moment = dt.datetime.fromisoformat(f"{text[:19]}{zone}")
        instant = cls.of(moment) + int(fraction)
        if not _MIN_MILLIS <= instant <= MAX_MILLIS:
            # A zone can move the first and the last hours of the calendar out of the range of the wire format.
            raise ValueError("must lie in the years 1 to 9999 in UTC")
        return instant

    @classmethod
    def of(cls, moment: dt.datetime) -> Timestamp:
        """The timestamp of an aware `datetime`."""
        return cls((moment - _EPOCH) // dt.timedelta(milliseconds=1))

    def __add__(self, other: int) -> Timestamp:
        return Timestamp(int(self) + int(other))


def stamp(at: Millis | None) -> Timestamp | None:
    """An instant as rows show it, or `None`."""
    return None if at is None else Timestamp(at)


def day_number(now: Millis) -> int:
    """The UTC day that `now` falls in, counted from the epoch."""
    return now // DAY


def next_hour(now: Millis) -> Millis:
    """The full hour that ends the hour of `now`."""
    return (now // HOUR + 1) * HOUR


def next_midnight(now: Millis) -> Millis:
    """The UTC midnight that ends the day of `now`."""
    return (now // DAY + 1) * DAY
