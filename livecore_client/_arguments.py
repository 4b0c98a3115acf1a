"""Converts a method's arguments to a call, and an answer to its row, by the service's own shapes only.

This module imports attrs and cattrs, so it is imported with the first resource that a program uses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast

import attrs

from livecore.errors.families import InvalidArgument
from livecore.kernel.errors import Json, JsonObject, ValidationFailed, camel
from livecore.kernel.shapes import ABSENT, Absent
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import decode_lenient, encode
from livecore_client._exchange import Call, path_segment
from livecore_client._failures import UnreadableAnswer

__all__ = ["build_call", "instant", "integers", "json_object", "listed", "read_row", "tuple_or_absent", "written"]

T = TypeVar("T")
E = TypeVar("E", bound="None | Absent")
"""What an argument may be instead of a value."""
_VARIABLE = re.compile(r"\{(\w+)\}")
_OUTLINES: dict[type, tuple[tuple[str, str, object], ...]] = {}
_IDEMPOTENCY_KEY = "idempotencyKey"
_WITHOUT_BODY = frozenset({"GET", "DELETE"})


def build_call(
    method: str,
    template: str,
    arguments: object,
    *,
    player: str | None = None,
    query: Collection[str] = (),
    needs_secret: bool = False,
    offers_secret: bool = False,
) -> Call:
    """The call with the shape `arguments`.

    Variables of the path template take the fields of their name; `externalId` takes the `player`. The other fields are sent
    in the query of a GET or DELETE and in the body of another method, except that the fields named by `query` are always
    sent in the query. A field that has its default is left out: the service has the same defaults, and an older service
    may not know the field.

    Raises `InvalidArgument` for a value that is not allowed in a path.
    """
    fields = _given(arguments)
    key = fields.get(_IDEMPOTENCY_KEY)
    if key is not None and not _insists_on_key(arguments):
        del fields[_IDEMPOTENCY_KEY]
    if player is not None and "{externalId}" in template:
        fields["externalId"] = player
    path = _VARIABLE.sub(lambda match: path_segment(match[1], str(fields.pop(match[1]))), template)
    wanted = {camel(name) for name in query}
    in_query = [name for name in fields if method in _WITHOUT_BODY or name in wanted]
    return Call(
        method=method,
        path=path,
        query=tuple((name, _query_text(fields.pop(name))) for name in in_query),
        body=None if method in _WITHOUT_BODY else fields,
        idempotency_key=cast("str | None", key),
        needs_secret=needs_secret,
        offers_secret=offers_secret,
    )


def _given(arguments: object) -> JsonObject:
    """The fields that differ from their default, in the wire's spelling and form."""
    written = cast(JsonObject, encode(arguments))
    given: JsonObject = {}
    for name, wire_name, default in _fields(arguments):
        if wire_name in written and getattr(arguments, name) != default:
            given[wire_name] = written[wire_name]
    return given


def _fields(arguments: object) -> tuple[tuple[str, str, object], ...]:
    """Each field of a shape: its name, its name on the wire and its default."""
    kind = type(arguments)
    if kind not in _OUTLINES:
        shape = cast("type[attrs.AttrsInstance]", kind)
        _OUTLINES[kind] = tuple((field.name, camel(field.name), field.default) for field in attrs.fields(shape))
    return _OUTLINES[kind]


def _insists_on_key(arguments: object) -> bool:
    """Whether the shape requires an idempotency key, and so has it in the body as well."""
    return ("idempotency_key", _IDEMPOTENCY_KEY, attrs.NOTHING) in _fields(arguments)


def _query_text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(str(member) for member in value)
    return str(value)


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


def read_row(kind: type[T], data: Json) -> T:
    """An answer's data as its row; unknown fields are ignored and unknown enumeration values are kept.

    Raises `UnreadableAnswer` where a field that the row needs is missing or has another type.
    """
    try:
        return decode_lenient(kind, data)
    except ValidationFailed as fault:
        raise UnreadableAnswer(f"the answer is no {kind.__name__}: {fault.message}") from None
