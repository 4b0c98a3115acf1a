"""Parses a request's path, query and body into the operation's shape, or into one refusal with every fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin
from urllib.parse import parse_qsl

import attrs

from livecore.api.requests.http import Request
from livecore.api.requests.idempotency import fingerprint_of
from livecore.api.requests.strict_json import read_json
from livecore.api.requests.typed import TypedRequest
from livecore.api.table.operation import Operation
from livecore.api.table.stored_texts import stored_bytes_of
from livecore.kernel.errors import (
    Json,
    JsonObject,
    Refusal,
    UnsupportedMediaType,
    ValidationFailed,
    camel,
)
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.values import keyword_value as wire_shape
from livecore.kernel.values import value
from livecore.kernel.wire import INTEGER_TEXT, compact, decode
from livecore.kernel.wire.shapes import Absent, ExternalPlayerId

_MOST_QUERY: Final = 8 * 1024
_BOOLEANS: Final = {"true": True, "false": False}


@value
class Arguments:
    """A request's arguments as the operation's shape, and the idempotency key with its fingerprint."""

    shape: Any
    idempotency_key: str | None
    fingerprint: str | None
    stored_bytes: int = 0
    """How many bytes of free JSON and long texts the request of a client carries."""


@wire_shape
class _Path:
    external_id: ExternalPlayerId


@lru_cache(maxsize=16_384)
def external_id_of(text: str) -> str:
    """A path's player id, with its format checked. Raises `ValidationFailed`."""
    return decode(_Path, {"externalId": text}).external_id


@attrs.frozen
class _Plan:
    """Where the fields of an operation's arguments are in a request, computed once."""

    path: tuple[tuple[int, str, type], ...]
    """The path variables among the fields: the number of each, its name and its type."""
    query: Mapping[str, type]
    outside: frozenset[str]
    """The names of both, which do not belong in a body."""
    keyed: bool
    environment: bool
    """Whether the query may name the environment without being an argument: it has been read before, or decides nothing."""


def base_type(kind: Any) -> Any:  # noqa: ANN401 - type expressions have no common type
    """The type under `Annotated`, `None` and `ABSENT`."""
    if get_origin(kind) is Annotated:
        return base_type(get_args(kind)[0])
    parts = [part for part in get_args(kind) if part is not NoneType and part is not Absent]
    if get_origin(kind) not in (tuple, dict, None) and len(parts) == 1:
        return base_type(parts[0])
    return get_origin(kind) or kind


@lru_cache(maxsize=512)
def _plan(operation: Operation) -> _Plan:
    attrs.resolve_types(operation.args, include_extras=True)
    fields = {camel(field.name): field for field in attrs.fields(operation.args)}
    query = {
        name: base_type(field.type) for name, field in fields.items() if operation.location_of(field.name) == "query"
    }
    path = tuple(
        (number, name, base_type(fields[name].type))
        for number, name in enumerate(operation.variables)
        if name in fields
    )
    query.pop("idempotencyKey", None)
    outside = frozenset((*query, *(name for _, name, _ in path)))
    return _Plan(
        path, query, outside, "idempotencyKey" in fields, operation.takes_environment or operation.admits_environment
    )


def too_large(operation: Operation, request: Request) -> bool:
    """Whether a request's body has more bytes than the operation allows."""
    if isinstance(request, TypedRequest):
        return request.too_large()
    return len(request.body) > operation.most_body_bytes


def read_arguments(operation: Operation, request: Request, values: Sequence[str]) -> Arguments:
    """Read a request's arguments.

    Refusals, in order: `UnsupportedMediaType`, `MalformedJson`, `ValidationFailed`.
    """
    if not isinstance(request, TypedRequest):
        return _read(operation, request, values, _read_body(operation, request), request.query)
    if request.exact and "idempotency-key" not in request.headers:
        shape = request.owned()
        return Arguments(shape, None, None, stored_bytes_of(operation, shape))
    return _read(operation, request, values, request.read_body(), request.written_query())


def _read(
    operation: Operation, request: Request, values: Sequence[str], body: JsonObject, query_text: str
) -> Arguments:
    plan = _plan(operation)
    faults: dict[str, str] = {}
    data: JsonObject = dict(body)
    for name in body:
        if name in plan.outside:
            faults[name] = "does not belong in the body"
    if query_text or plan.query:
        data.update(_read_query(plan, query_text, body, faults))
    for place, name, kind in plan.path:
        data[name] = values[place] if kind is str else _typed_in_path(kind, values[place])
    key = _header_key(request, body, faults)
    if key is not None and plan.keyed:
        data["idempotencyKey"] = key
    if faults:
        raise _joined(operation, data, faults)
    shape: Any = decode(operation.args, data)
    stored_bytes = stored_bytes_of(operation, shape)
    body.pop("idempotencyKey", None)
    key = getattr(shape, "idempotency_key", None) if plan.keyed else None
    if key is None:
        return Arguments(shape, None, None, stored_bytes)
    path = "/".join((operation.path, *values))
    asked = {name: data[name] for name in plan.query if name in data}
    if asked:
        # A query may say what is written, such as the window of a roster.
        path = f"{path}?{compact(dict(sorted(asked.items())))}"
    return Arguments(shape, key, fingerprint_of(operation.method, path, body), stored_bytes)


def readable_body(operation: Operation, request: Request) -> JsonObject:
    """The members of the body as far as it can be read, whatever is wrong with them; none of one that cannot."""
    try:
        return _read_body(operation, request)
    except Refusal:
        return {}


def _joined(operation: Operation, data: JsonObject, faults: dict[str, str]) -> ValidationFailed:
    """The faults found so far and those of the shape, so that one refusal reports all of them."""
    try:
        decode(operation.args, {name: value for name, value in data.items() if name not in faults})
    except ValidationFailed as further:
        return ValidationFailed({**further.fields, **faults})
    return ValidationFailed(faults)


def _read_body(operation: Operation, request: Request) -> JsonObject:
    if isinstance(request, TypedRequest):
        return request.read_body()
    raw = request.body
    if not raw:
        return {}
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise UnsupportedMediaType
    body = read_json(raw, most_values=operation.most_body_values)
    if not isinstance(body, dict):
        raise ValidationFailed({"body": "must be a JSON object"})
    return body


def _read_query(plan: _Plan, query: str, body: JsonObject, faults: dict[str, str]) -> JsonObject:
    if len(query) > _MOST_QUERY:
        raise ValidationFailed({"query": f"must be at most {_MOST_QUERY} characters"})
    found: JsonObject = {}
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise ValidationFailed({"query": "is not well-formed"}) from None
    environment: str | None = None
    for name, text in pairs:
        if name in found or name in faults or (plan.environment and name == "environment" and environment is not None):
            faults[name] = "is given twice"
        elif plan.environment and name == "environment":
            environment = text
            if text not in ENVIRONMENTS:
                faults[name] = "must be 'live' or 'test'"
            elif body.get(name, text) != text:
                faults[name] = "is another one in the query than in the body"
        elif name not in plan.query:
            faults[name] = "is not a parameter of this request"
        else:
            found[name] = _typed(plan.query[name], text)
    return found


def _typed(kind: type, text: str) -> Json:
    """A query parameter's text as the JSON value that its type expects; the shape refuses other texts."""
    if kind is bool:
        return _BOOLEANS.get(text, text)
    if kind is int and INTEGER_TEXT.fullmatch(text):
        return int(text)
    return text


def _typed_in_path(kind: type, text: str) -> Json:
    """A path variable's text as the JSON value that its type expects; a number has one spelling, so that it has one path."""
    typed = _typed(kind, text)
    return typed if str(typed) == text else text


def _header_key(request: Request, body: JsonObject, faults: dict[str, str]) -> str | None:
    """The idempotency key of the header. If the body has one as well, the two must be equal."""
    header = request.headers.get("idempotency-key")
    if header is None:
        return None
    if not 1 <= len(header) <= 255 or not header.isascii() or not header.isprintable():
        faults["Idempotency-Key"] = "must be 1 to 255 printable ASCII characters"
        return None
    if "idempotencyKey" in body and body["idempotencyKey"] != header:
        faults["idempotencyKey"] = "differs from the Idempotency-Key header"
    return header
