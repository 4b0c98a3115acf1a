"""Calls an operation's handler: with a unit of work, or, for one that reaches several scopes, with a desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from livecore.access.directory import Game
from livecore.api import idempotency
from livecore.api.answering import answer, envelope, replayed
from livecore.api.arguments import Arguments, read_arguments
from livecore.api.desk import Desk
from livecore.api.operation import Answer, Operation
from livecore.api.prepared import Headers, Outcome, Prepared
from livecore.kernel.errors import BodyTooLarge, Json, NotYet, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.unit import Unit

__all__ = ["arguments_of", "call", "directory_owner", "run_several"]


def directory_owner(studio_id: str, game: Game | None) -> str:
    """The owner of idempotency keys in the directory, which is of all studios: the studio, or one of its games."""
    return f"admin:{studio_id}" if game is None else f"admin:{game.game_id}"


def arguments_of(prepared: Prepared, operation: Operation) -> Arguments:
    """The request's arguments, read once however often the transaction runs. Raises as `read_arguments`."""
    arguments = prepared.arguments
    if arguments is None:
        arguments = prepared.arguments = read_arguments(operation, prepared.request, prepared.values)
    if isinstance(arguments, Refusal):
        raise arguments.again()
    return arguments


def call(operation: Operation, works: Unit | Desk, arguments: Arguments) -> tuple[int, object, Headers]:
    """The status, the data and further headers of the handler's answer."""
    handler: Callable[[Any, Any], object] = operation.handler
    try:
        result = handler(works, arguments.shape)
    except NotYet as fault:
        raise TypeError(f"{operation.id} raised {type(fault).__name__}, which is to be returned") from fault
    if isinstance(result, Answer):
        return result.status, result.data, result.headers
    if isinstance(result, NotYet):
        return result.status, result, ()
    return operation.status, result, ()


def run_several(prepared: Prepared, desk: Desk, quick_dumps: Callable[[Json], bytes]) -> Outcome:
    """Run an operation that reaches several scopes. Raises `Refusal`.

    Its answer is stored under the idempotency key after its last step; the steps themselves can be repeated safely.
    """
    operation = prepared.operation
    assert operation is not None  # noqa: S101 - the request has been prepared
    if len(prepared.request.body) > operation.most_body_bytes:
        raise BodyTooLarge(limit_bytes=operation.most_body_bytes)
    arguments = arguments_of(prepared, operation)
    key = arguments.idempotency_key if operation.keyed else None
    if key is None:
        status, data, headers = call(operation, desk, arguments)
        return _done(prepared, desk, status, envelope(data, quick_dumps), headers)
    owner, name, fingerprint = directory_owner(desk.studio_id, desk.game), key, arguments.fingerprint or ""
    kept = desk.read(DIRECTORY, None, lambda unit: idempotency.kept(unit, owner, name))
    if kept is not None:
        return Outcome(replayed(prepared, operation, kept, fingerprint))
    status, data, headers = call(operation, desk, arguments)
    body = envelope(data, quick_dumps)

    def keep(unit: Unit) -> None:
        unit.fingerprint = fingerprint
        idempotency.keep(unit, owner, name, status, body.decode())

    desk.write(DIRECTORY, None, keep)
    return _done(prepared, desk, status, body, headers)


def _done(prepared: Prepared, desk: Desk, status: int, body: bytes, headers: Headers) -> Outcome:
    return Outcome(answer(prepared, status, body, further=headers), touched=desk.touched)
