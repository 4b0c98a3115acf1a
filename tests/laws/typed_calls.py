"""A way to an arena's application without JSON: each request of a sequence becomes a typed one with the same arguments.

A shape cannot express everything that a body can: unknown members, required ones that are missing, two spellings of one
value. Such a request is sent as it is, and counted, so that a law can say how much it has compared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from urllib.parse import parse_qsl

import attrs

from livecore.api.operations import OPERATIONS, router_of
from livecore.api.requests.arguments import base_type
from livecore.api.requests.http import Request, Response
from livecore.api.requests.typed import Reply, TypedRequest
from livecore.api.table.operation import Operation
from livecore.kernel.errors import Refusal, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.wire import compact, decode_lenient, encode
from livecore.kernel.wire.shapes import Absent
from tests.laws.arena import Arena, Happened
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.steps import Step

_ROUTER = router_of(OPERATIONS)


class _NotExpressibleError(Exception):
    """No shape says the same as the request."""


class Typed:
    """Answers the requests of a sequence by typed calls; every row is compared with what a client would read."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self.typed: Counter[str] = Counter()
        """How many requests of each operation became typed ones."""
        self.plain: Counter[str] = Counter()
        """How many were sent as they are."""

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Answer a request by a typed one, if there is one."""
        typed = typed_request(request)
        outcome = self._arena.application.perform(typed or request)
        if typed is None:
            self.plain[_name(request)] += 1
            return outcome.response, outcome.events
        self.typed[typed.operation.id] += 1
        return response_of(typed, outcome.response), outcome.events


def response_of(typed: TypedRequest, reply: Response) -> Response:
    """The answer to a typed request in the form of HTTP; its row must be what a client reads from that."""
    assert isinstance(reply, Reply)
    if reply.refusal is not None:
        return Response(reply.status, (), compact(reply.refusal.envelope()).encode())
    body = compact({"data": encode(reply.row)})
    read = decode_lenient(type(reply.row), json.loads(body)["data"])
    assert reply.row == read
    # Equal values may still be of different types: an instant is a number, too.
    assert repr(reply.row) == repr(read)
    assert type(reply.row) in typed.operation.answers.values()
    return Response(reply.status, (), body.encode())


def typed_request(request: Request) -> TypedRequest | None:
    """The typed request with the same arguments, or `None` where no shape says the same."""
    try:
        operation, values = _ROUTER.find(request.method, request.path)
        body = _body(request)
        given, query = _given(operation, request, values, body)
    except (Refusal, _NotExpressibleError):
        return None
    headers = {name: text for name, text in request.headers.items() if name != "content-type"}
    key = body.get("idempotencyKey")
    if isinstance(key, str) and headers.setdefault("idempotency-key", key) != key:
        return None
    typed = TypedRequest(
        request.method, "", query, headers, b"", request.remote,
        operation=operation, values=values, given=given,
    )  # fmt: skip
    if "idempotency-key" not in headers:
        return typed
    sent = {name: value for name, value in body.items() if name != "idempotencyKey"}
    # The fingerprint covers the body, so a value that is its default must not be there.
    mine = {name: value for name, value in typed.read_body().items() if name != "idempotencyKey"}
    return typed if mine == sent else None


def _name(request: Request) -> str:
    try:
        return _ROUTER.find(request.method, request.path)[0].id
    except Refusal:
        return request.path


def _body(request: Request) -> dict[str, Any]:
    if not request.body:
        return {}
    body = json.loads(request.body)
    if not isinstance(body, dict):
        raise _NotExpressibleError
    return body


def _given(
    operation: Operation, request: Request, values: Sequence[str], body: Mapping[str, Any]
) -> tuple[object, str]:
    """The arguments as the operation's shape, and the part of the query that is no argument."""
    kinds = {camel(field.name): field.type for field in attrs.fields(_resolved(operation.args))}
    data = dict(body)
    query = ""
    for name, text in parse_qsl(request.query, keep_blank_values=True):
        if name not in kinds:
            query = f"{name}={text}"
        elif name in data:
            raise _NotExpressibleError
        else:
            data[name] = _of_text(kinds[name], text)
    for name, text in zip(operation.variables, values, strict=True):
        if name in data:
            raise _NotExpressibleError
        if name in kinds:
            data[name] = _of_text(kinds[name], text)
    return built(operation.args, data), query


def _of_text(kind: Any, text: str) -> Any:  # noqa: ANN401 - any type
    base = base_type(kind)
    if base is bool and text in {"true", "false"}:
        return text == "true"
    if base is int and text.lstrip("-").isdecimal() and str(int(text)) == text:
        return int(text)
    return text.split(",") if base is tuple else text


def _resolved(kind: Any) -> Any:  # noqa: ANN401 - any shape
    attrs.resolve_types(kind, include_extras=True)
    return kind


def built(kind: Any, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any shape
    """A shape with these members, none of which is checked."""
    members: dict[str, Any] = {}
    fields = {camel(field.name): field for field in attrs.fields(_resolved(kind))}
    if data.keys() - fields.keys():
        raise _NotExpressibleError
    for name, field in fields.items():
        if name in data:
            members[field.name] = _part(field.type, data[name])
        elif field.default is attrs.NOTHING:
            raise _NotExpressibleError
    return kind(**members)


def _part(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any value
    origin = get_origin(kind)
    if origin is Annotated:
        return _part(get_args(kind)[0], value)
    if origin in (Union, UnionType):
        parts = [part for part in get_args(kind) if part not in (NoneType, Absent)]
        return _part(parts[0], value) if len(parts) == 1 else value
    if origin is tuple and isinstance(value, list):
        return tuple(_part(get_args(kind)[0], member) for member in value)
    if attrs.has(kind) and isinstance(value, dict):
        return built(kind, value)
    if kind is Timestamp and isinstance(value, str):
        try:
            instant = Timestamp.parse(value)
        except ValueError:
            return value
        return instant if instant.wire == value else value
    return value


class _Everything(Witness):
    """Status, body and events of every answer, and what time brought."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def answered(self, _play: Play, asked: Asked, answer: Answered) -> None:
        """The parts of an answer that a typed call has, too."""
        self.seen.append((asked.name, asked.arguments, answer.status, answer.body, list(answer.events)))

    def waited(self, _play: Play, happened: list[Happened]) -> None:
        """What came due, in its order."""
        self.seen.append(happened)


def compare(steps: Sequence[Step], note: str = "") -> Typed:
    """Play the steps by requests and by typed calls, and compare all that is seen and all rows."""
    by_requests, by_types, arena = _Everything(), _Everything(), Arena()
    expected = play(steps, by_requests, note=note)
    typed = Typed(arena)
    play(steps, by_types, arena=arena, through=typed, note=note)
    for at, (one, another) in enumerate(zip(by_requests.seen, by_types.seen, strict=True)):
        assert one == another, (at, note)
    rows, other_rows = expected.arena.store.dump(), arena.store.dump()
    assert other_rows == rows, note
    assert repr(other_rows) == repr(rows), note
    return typed
