"""Moments as people type them: an instant, a day, or how long ago."""

from __future__ import annotations

import re
from typing import Final

import click

from livecore.kernel.time import DAY, HOUR, MINUTE, SECOND, Millis, Timestamp
from livecore_server.system import now_millis

_SPANS: Final = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}


def parse_moment(text: str, now: Millis) -> Millis:
    """Read `2026-01-31T09:30:00Z`, the beginning of a UTC day `2026-01-31`, or a span before now, `90m`, `24h`, `7d`.

    Raises `ValueError`.
    """
    span = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if span is not None:
        return max(0, now - int(span[1]) * _SPANS[span[2]])
    day = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text)
    try:
        return int(Timestamp.parse(f"{text}T00:00:00Z" if day else text))
    except ValueError:
        raise ValueError(
            f"{text!r} is no moment; give one such as 2026-01-31T09:30:00Z, a day such as 2026-01-31, or 24h or 7d ago"
        ) from None


class _Moment(click.ParamType[Millis]):
    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        if isinstance(value, int):
            return value
        try:
            return parse_moment(str(value), now_millis())
        except ValueError as fault:
            self.fail(str(fault), param, ctx)


MOMENT: Final = _Moment()
"""An option's type: the moment in milliseconds."""
