"""Examples of all requests and answers, generated from the shapes for the documents; a test validates them.

The values are placeholders by name, as in sample webhooks, so all examples show the same player, grant and resource. Values
that do not follow from a name are declared elsewhere. The shape's `example` gives the usual state of a record and the usual
contents of a request. The operation's row declares an answer whose records are in another state. The tables below are for
arguments that many requests have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args, get_origin

import attrs

from livecore.api.table.operation import Location, Operation
from livecore.kernel.errors import Json, JsonObject, Refusal, camel
from livecore.kernel.wire import encode
from livecore.kernel.wire.shapes import Absent
from livecore.webhooks.samples import placeholder

_SHOWN: Final = frozenset(
    {"external_player_id", "message", "reason", "idempotency_key", "avatar", "expires_at", "status", "name"}
)
"""Optional arguments that an example shows; any other is left out."""
_ARGUMENTS: Final[Mapping[str, object]] = {
    "avatar": "otter-3",
    "external_player_id": "sample-player-2",
    "idempotency_key": "c2FtcGxlLWtleS0wMDAx",
    "name": "Brave Otter",
    "q": "ott",
    "quantity": 3,
    "reason": "quest reward",
    "status": "in the lobby",
}
"""Arguments whose placeholder would not be useful or would name the wrong player."""


def argument_examples(operation: Operation, location: Location) -> JsonObject:
    """An example of each argument in `location` that examples show, by its name on the wire."""
    attrs.resolve_types(operation.args, include_extras=True)
    own: Mapping[str, object] = vars(operation.args).get("example", {})
    return {
        camel(field.name): _json(own[field.name] if field.name in own else _argument(field))
        for field in attrs.fields(operation.args)
        if operation.location_of(field.name) == location
        and (field.default is attrs.NOTHING or field.name in _SHOWN or field.name in own)
    }


def _argument(field: attrs.Attribute[Any]) -> object:
    dull = placeholder(field.name, field.type)
    parts = (field.type, *get_args(field.type))
    chosen = any(get_origin(part) is Literal and part is not Absent for part in parts)
    return dull if chosen else _ARGUMENTS.get(field.name, dull)


def answer_example(operation: Operation, status: int) -> Json:
    """The `data` of an example answer with this status."""
    return _json(placeholder("data", operation.answers[status], operation.examples.get(status, {})))


def refusal_example(kind: type[Refusal]) -> JsonObject:
    """The body of an example answer with this refusal."""
    error: JsonObject = {"code": kind.code, "message": kind.text}
    if kind.example:
        error["details"] = dict(kind.example)
    return {"error": error}


def _json(value: object) -> Json:
    if isinstance(value, tuple):
        return [_json(member) for member in value]
    return encode(value)
