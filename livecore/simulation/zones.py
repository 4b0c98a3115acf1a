"""Time zones of the real world, with daylight saving, the same on every platform.

Their rules come from the package `tzdata` where it is installed, so that a run can say which release of them it has used.
Without it they are those of the operating system, and the version is unknown. Like modules, they are read once and never
change while a program runs.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from importlib import import_module
from typing import Any, Final
from zoneinfo import ZoneInfo

from livecore.kernel.time import SECOND, Millis

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LONGEST_NAME: Final = 64
_PLAIN: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")


class UnknownZone(LookupError):
    """No time zone has this name."""


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The time zone with an IANA name such as `Europe/Berlin`. Raises `UnknownZone`."""
    # A name is part of a path, so nothing but a plain one is looked up.
    if len(name) > _LONGEST_NAME or _PLAIN.fullmatch(name) is None:
        raise UnknownZone(name)
    try:
        return _from_package(name) if zones_version() is not None else ZoneInfo(name)
    except (ImportError, LookupError, OSError, ValueError):
        raise UnknownZone(name) from None


def zones_version() -> str | None:
    """The release of the time zones that are used, such as `2026a`; `None` where they are the operating system's."""
    try:
        return str(import_module("tzdata").IANA_VERSION)
    except ImportError:
        return None


def _from_package(name: str) -> ZoneInfo:
    folder, _, last = name.rpartition("/")
    module = import_module(".".join(filter(None, ("tzdata.zoneinfo", *folder.split("/")))))
    loader: Any = module.__spec__ and module.__spec__.loader
    with loader.get_resource_reader(module.__name__).open_resource(last) as data:
        return ZoneInfo.from_file(data, key=name)


# -- local time -----------------------------------------------------------------------------------------------------------


def local_day(name: str, at: Millis) -> int:
    """The number of the local calendar day at an instant."""
    return (_EPOCH + dt.timedelta(milliseconds=at)).astimezone(zone(name)).date().toordinal()


def weekday_of(day: int) -> int:
    """The weekday of a calendar day; Monday is 0."""
    return (day + 6) % 7


def instant(name: str, day: int, second: int) -> Millis:
    """When a clock on the wall shows `second` seconds after midnight of a calendar day.

    A time that occurs twice, when clocks go back, is the first of the two; one that does not occur, when they go forward, is
    as much later as the clocks were moved.
    """
    wall = dt.datetime.combine(dt.date.fromordinal(day), dt.time(), zone(name)) + dt.timedelta(seconds=second)
    return round((wall - _EPOCH).total_seconds()) * SECOND
