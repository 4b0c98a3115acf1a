"""Makes of a method's arguments what their shape holds: of a list a tuple, of a `datetime` a timestamp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast

from livecore.errors.families import InvalidArgument
from livecore.kernel.errors import JsonObject
from livecore.kernel.shapes import ABSENT, Absent
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import encode

__all__ = ["instant", "integers", "json_object", "listed", "tuple_or_absent", "written"]

T = TypeVar("T")
E = TypeVar("E", bound="None | Absent")
"""What an argument may be instead of a value."""


def tuple_or_absent(members: Sequence[str]) -> tuple[str, ...] | Absent:
    """A list in a query, which is left out where it has no member; one member may be given as a plain string."""
    return listed(members) or ABSENT


def listed(members: Sequence[T] | E) -> tuple[T, ...] | E:
    """A list as the shapes hold it; one text may be given as a plain string, `None` and `ABSENT` stay what they are."""
    if members is None or members is ABSENT:
        return members
    return (members,) if isinstance(members, str) else tuple(members)  # type: ignore[return-value] # a text is one


def written(rows: Sequence[object]) -> tuple[JsonObject, ...]:
    """Rows in their form on the wire, for a route that reads each row by itself."""
    return tuple(cast(JsonObject, encode(row)) for row in rows)


def json_object(members: Mapping[str, object] | E) -> JsonObject | E:
    """A free-form JSON object as the shapes hold it; whether it is valid JSON is checked when it is written."""
    return cast(JsonObject, dict(members)) if isinstance(members, Mapping) else members


def integers(values: Mapping[str, int]) -> dict[str, int]:
    """Whole numbers by name, as the shapes hold them."""
    return dict(values)


def instant(moment: datetime | Timestamp | E) -> Timestamp | E:
    """A moment as the wire's timestamp.

    Raises `InvalidArgument` for a `datetime` without a time zone: a guessed zone could change the moment.
    """
    if not isinstance(moment, datetime):
        return moment
    if moment.tzinfo is None:
        raise InvalidArgument("a moment needs a time zone: use datetime(…, tzinfo=UTC)")
    return Timestamp.of(moment)
