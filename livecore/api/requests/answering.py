"""Answers as responses: the envelope around data or an error, and the headers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from livecore.api.requests.http import Response
from livecore.api.requests.idempotency import IdempotentAnswer
from livecore.api.requests.prepared import Headers, Prepared
from livecore.api.requests.typed import Reply, TypedRequest
from livecore.api.table.operation import Document, Operation
from livecore.kernel.errors import IdempotencyConflict, Json, JsonObject, NotYet, Refusal
from livecore.kernel.wire import compact, decode_lenient, encode, is_closed
from livecore.kernel.wire.exact import row_of

_JSON: Final = ("Content-Type", "application/json")


def dumps(value: Json) -> bytes:
    """A value as compact JSON."""
    return compact(value).encode()


def envelope(data: object, quick_dumps: Callable[[Json], bytes]) -> bytes:
    """The body of an answer; `quick_dumps` writes values that all JSON writers write the same."""
    if isinstance(data, Document):
        return data.body
    if isinstance(data, NotYet):
        return dumps(data.envelope())
    kind: Any = type(data)
    write = quick_dumps if is_closed(kind) else dumps
    return write({"data": encode(data)})


def answer(
    prepared: Prepared,
    status: int,
    data: object,
    write: Callable[[object], bytes],
    *,
    body: bytes | None = None,
    replay: bool = False,
    further: Headers = (),
) -> Response:
    """The response to a request that succeeded: what `write` makes of the data, unless that is the `body` already.

    A typed request gets the row itself, and nothing is written.
    """
    if isinstance(prepared.request, TypedRequest):
        return _reply(prepared.request.operation, status, data)
    return _response(prepared, status, write(data) if body is None else body, replay=replay, further=further)


def _response(prepared: Prepared, status: int, body: bytes, *, replay: bool = False, further: Headers = ()) -> Response:
    headers = (_JSON, ("X-Request-Id", prepared.request_id), *prepared.headers, *further)
    if replay:
        headers += (("Idempotent-Replay", "true"),)
    return Response(status, headers, body)


def _reply(operation: Operation, status: int, data: object) -> Reply:
    if isinstance(data, NotYet):
        return Reply(status, refusal=data)
    if isinstance(data, Document):
        return Reply(status, row=json.loads(data.body))
    return Reply(status, row=row_of(operation.answers.get(status, type(data)), data))


def replayed(prepared: Prepared, operation: Operation, kept: IdempotentAnswer, fingerprint: str) -> Response:
    """The response to a repetition of a request. Raises `IdempotencyConflict` if it is another request."""
    if kept.fingerprint != fingerprint:
        raise IdempotencyConflict
    status = operation.status_of_replay(kept.status)
    if not isinstance(prepared.request, TypedRequest):
        return _response(prepared, status, kept.body.encode(), replay=True)
    again = json.loads(kept.body)
    if "error" in again:
        return Reply(status, refusal=_refusal_again(operation, again["error"]))
    return Reply(status, row=decode_lenient(operation.answers[kept.status], again["data"]))


def _refusal_again(operation: Operation, error: JsonObject) -> Refusal:
    """The refusal that a stored answer shows: one that was returned, so the operation lists it."""
    kind = next(kind for kind in operation.errors if kind.code == error["code"])
    refusal = kind.__new__(kind)
    Refusal.__init__(refusal, str(error["message"]))
    details = error.get("details", {})
    refusal.details = details if isinstance(details, dict) else {}
    return refusal


def refuse(prepared: Prepared, refusal: Refusal) -> Response:
    """The response to a refused request."""
    if isinstance(prepared.request, TypedRequest):
        return Reply(refusal.status, refusal=refusal)
    further = dict(refusal.headers)
    headers = [_JSON, ("X-Request-Id", prepared.request_id)]
    headers += [(name, value) for name, value in prepared.headers if name not in further]
    headers += list(further.items())
    return Response(refusal.status, tuple(headers), dumps(refusal.envelope()))
