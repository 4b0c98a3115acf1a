"""Answers as responses: the envelope around data or an error, and the headers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from livecore.api.http import Response
from livecore.api.idempotency import IdempotentAnswer
from livecore.api.operation import Document, Operation
from livecore.api.prepared import Headers, Prepared
from livecore.kernel.errors import IdempotencyConflict, Json, NotYet, Refusal
from livecore.kernel.wire import compact, encode, is_closed

__all__ = ["answer", "dumps", "envelope", "refuse", "replayed"]

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


def answer(prepared: Prepared, status: int, body: bytes, *, replay: bool = False, further: Headers = ()) -> Response:
    """The response to a request that succeeded."""
    headers = (_JSON, ("X-Request-Id", prepared.request_id), *prepared.headers, *further)
    if replay:
        headers += (("Idempotent-Replay", "true"),)
    return Response(status, headers, body)


def replayed(prepared: Prepared, operation: Operation, kept: IdempotentAnswer, fingerprint: str) -> Response:
    """The response to a repetition of a request. Raises `IdempotencyConflict` if it is another request."""
    if kept.fingerprint != fingerprint:
        raise IdempotencyConflict
    return answer(prepared, operation.status_of_replay(kept.status), kept.body.encode(), replay=True)


def refuse(prepared: Prepared, refusal: Refusal) -> Response:
    """The response to a refused request."""
    further = dict(refusal.headers)
    headers = [_JSON, ("X-Request-Id", prepared.request_id)]
    headers += [(name, value) for name, value in prepared.headers if name not in further]
    headers += list(further.items())
    return Response(refusal.status, tuple(headers), dumps(refusal.envelope()))
