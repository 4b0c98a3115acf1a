"""Requests of a world's callers: in the form of HTTP from arguments by name, and typed ones from a shape."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from urllib.parse import quote, urlencode

import attrs

from livecore.api.requests.http import Request
from livecore.api.requests.typed import TypedRequest
from livecore.api.table.operation import Operation
from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import compact, encode
from livecore.kernel.wire.shapes import ABSENT

_ADDRESS = "127.0.0.1"


def typed_request(
    operation: Operation,
    headers: Mapping[str, str],
    arguments: object,
    path_values: Mapping[str, str | None],
    idempotency_key: str | None,
    query: str,
) -> TypedRequest:
    """The request of an operation with its arguments as its own shape.

    `path_values` gives the variables of the path that are no arguments. Raises `TypeError` for another shape, and where a
    place is missing.
    """
    if type(arguments) is not operation.args:
        raise TypeError(f"{operation.name} takes {operation.args.__name__}, not {type(arguments).__name__}")
    values: list[str] = []
    for variable, name in _variables(operation):
        value = path_values[variable] if name is None else getattr(arguments, name)
        if name is None and value is None:
            raise TypeError(f"{operation.name} is about a player: give external_id=…")
        values.append(value if type(value) is str else str(value))
    key = getattr(arguments, "idempotency_key", None) or idempotency_key
    if isinstance(key, str):
        headers = {**headers, "idempotency-key": key}
    return TypedRequest(
        operation.method, "", query, headers, b"", _ADDRESS, operation=operation, values=tuple(values), given=arguments
    )


@cache
def _variables(operation: Operation) -> tuple[tuple[str, str | None], ...]:
    """The variables of an operation's path, each with the field of the arguments that it is, if it is one."""
    names = {camel(field.name): field.name for field in attrs.fields(operation.args)}
    return tuple((variable, names.get(variable)) for variable in operation.variables)


def _json(value: object) -> Json:
    if isinstance(value, Timestamp):
        return value.wire
    if isinstance(value, list | tuple):
        return [_json(member) for member in value]
    if attrs.has(type(value)):
        return encode(value)
    return value  # type: ignore[return-value] # plain JSON data


def request_of(
    entry: Operation, headers: Mapping[str, str], external_id: object, arguments: Mapping[str, object]
) -> Request:
    """The request of an operation in the form of HTTP; arguments have Python names, and are shapes or plain values."""
    path = entry.path
    query: dict[str, str] = {}
    body: JsonObject = {}
    for name, value in arguments.items():
        location = entry.location_of(name)
        if value is ABSENT:
            continue
        if location == "path":
            path = path.replace("{" + camel(name) + "}", quote(str(value), safe=""))
        elif location == "query":
            # `None` leaves the parameter out, as it does in the clients.
            if value is not None:
                query[camel(name)] = _query_text(value)
        else:
            body[camel(name)] = _json(value)
    if "idempotencyKey" in query:
        headers = {**headers, "idempotency-key": query.pop("idempotencyKey")}
    path = path.replace("{externalId}", quote(str(external_id), safe=""))
    raw = compact(body).encode() if entry.takes_body else b""
    if raw:
        headers = {**headers, "content-type": "application/json"}
    return Request(entry.method, path, urlencode(query), headers, raw, _ADDRESS)


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
