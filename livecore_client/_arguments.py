"""Makes a call of HTTP from the shape of its arguments, and a row from an answer, by the service's own shapes only.

This module imports attrs and cattrs, so it is imported with the first resource that a program uses.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TypeVar, cast

import attrs

from livecore.errors.families import UnreadableAnswer
from livecore.kernel.errors import Json, JsonObject, ValidationFailed, camel, snake
from livecore.kernel.wire import decode_lenient, encode
from livecore_client._exchange import Call, path_segment

__all__ = ["build_call", "read_row"]

T = TypeVar("T")
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
    path = _VARIABLE.sub(lambda match: path_segment(_argument(match[1]), str(fields.pop(match[1]))), template)
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


def _argument(variable: str) -> str:
    """What a program calls a variable of a path."""
    return "external_player_id" if variable == "externalId" else snake(variable)


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


def read_row(kind: type[T], data: Json) -> T:
    """An answer's data as its row; unknown fields are ignored and unknown enumeration values are kept.

    Raises `UnreadableAnswer` where a field that the row needs is missing or has another type.
    """
    try:
        return decode_lenient(kind, data)
    except ValidationFailed as fault:
        raise UnreadableAnswer(f"the answer is no {kind.__name__}: {fault.message}") from None
