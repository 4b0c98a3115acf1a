"""Makes of a method's arguments what their shape holds: of a list a tuple, of a `datetime` a timestamp.

What cannot be made so stays as it is: `livecore.surfaces.checking` finds it, and knows which argument it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.wire.shapes import ABSENT, Absent

__all__ = ["instant", "integers", "json_object", "listed", "tuple_or_absent", "written"]

T = TypeVar("T")
E = TypeVar("E", bound="None | Absent")
"""What an argument may be instead of a value."""


def tuple_or_absent(members: Sequence[str]) -> tuple[str, ...] | Absent:
    """A list in a query, which is left out where it has no member; one member may be given as a plain string."""
    return listed(members) or ABSENT


def listed(members: Sequence[T] | E) -> tuple[T, ...] | E:
    """A list as the shapes hold it; one text may be given as a plain string, `None` and `ABSENT` stay what they are."""
    if isinstance(members, str):
        return (members,)  # type: ignore[return-value] # a text is one
    # What is no list stays as well, and is named by `livecore.surfaces.checking`.
    return tuple(members) if isinstance(members, Iterable) and not isinstance(members, Mapping | bytes) else members


def written(rows: Sequence[object]) -> tuple[JsonObject, ...]:
    """Rows for a route that reads each row by itself: `livecore.surfaces.checking` brings them into the wire's form."""
    return cast("tuple[JsonObject, ...]", listed(rows))


def json_object(members: Mapping[str, object] | E) -> JsonObject | E:
    """A free-form JSON object as the shapes hold it; whether it is JSON is checked before it is sent."""
    return cast(JsonObject, dict(members)) if isinstance(members, Mapping) else members


def integers(values: Mapping[str, int]) -> dict[str, int]:
    """Whole numbers by name, as the shapes hold them."""
    return dict(values) if isinstance(values, Mapping) else values


def instant(moment: datetime | Timestamp | E) -> Timestamp | E:
    """A moment as the wire's timestamp; one without a time zone is refused before it is sent."""
    has_time_zone = isinstance(moment, datetime) and moment.tzinfo is not None
    return Timestamp.of(moment) if has_time_zone else moment  # type: ignore[arg-type, return-value] # as the line above says
