"""Calls an operation's handler: with a unit of work, or, for one that reaches several scopes, with an operator context."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from livecore.access.directory import Game
from livecore.access.refusals import GameNotFound
from livecore.api.requests.answering import answer, replayed
from livecore.api.requests.arguments import Arguments, read_arguments, readable_body, too_large
from livecore.api.requests.idempotency import IdempotentAnswer
from livecore.api.requests.members import refuse_by_kind
from livecore.api.requests.operator_context import AnsweredBefore, Keeping, OperatorContext
from livecore.api.requests.prepared import Headers, Outcome, Prepared
from livecore.api.table.operation import Answer, Operation
from livecore.kernel.errors import BodyTooLarge, NotYet, RecordedRefusal, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import Unit
from livecore.players.stored_bytes import count_stored


def _directory_owner(studio_id: str, game: Game | None) -> str:
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


def claim_key(operation: Operation, prepared: Prepared, unit: Unit, arguments: Arguments) -> str | None:
    """Give the unit its idempotency key, if it has one, and return the key's owner."""
    owner = unit.player_id if operation.surface == "sdk" else operation.surface
    if operation.credential == "member" and (unit.scope is DIRECTORY or operation.reveals is not None):
        # The directory is of all studios; and whoever repeats a request that shows a secret must be who made it.
        owner = _directory_owner(unit.studio_id, prepared.game)
        owner += "" if operation.reveals is None else f":{unit.actor.ref}"
    unit.idempotency_key = arguments.idempotency_key if operation.keyed and owner is not None else None
    return owner


def judge(prepared: Prepared, operation: Operation) -> None:
    """Check what the body says about what the caller may do, whatever else is wrong with it, where it says something.

    Refusals, in order: `PermissionDenied`, `DashboardOnly`, `ReadOnlyKey`.
    """
    if prepared.body is None:
        prepared.body = readable_body(operation, prepared.request)
    if operation.judge is not None:
        operation.judge(prepared.principal, prepared.body)
    refuse_by_kind(prepared.principal, operation, prepared.scope.environment, prepared.body)


def call(operation: Operation, works: Unit | OperatorContext, arguments: Arguments) -> tuple[int, object, Headers]:
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
    if isinstance(result, RecordedRefusal):
        return result.refusal.status, result, ()
    return operation.status, result, ()


def call_in_unit(operation: Operation, unit: Unit, arguments: Arguments) -> tuple[int, object, Headers]:
    """As `call`, and counts the bytes that it has stored for a client. Raises `StorageLimitReached` if they are too many."""
    answered = call(operation, unit, arguments)
    if arguments.stored_bytes and not unit.replayed:
        count_stored(unit, arguments.stored_bytes)
    return answered


def run_several(prepared: Prepared, context: OperatorContext, write: Callable[[object], bytes]) -> Outcome:
    """Run an operation that reaches several scopes; `write` makes the body of its answer. Raises `Refusal`.

    Its answer is kept under the idempotency key by its deciding step, or after its last one if it decides nothing. A request
    that finds such an answer, whenever it looks, gives it again, and completes what the earlier one may not have.
    """
    operation = prepared.operation
    assert operation is not None  # noqa: S101 - the request has been prepared
    if too_large(operation, prepared.request):
        raise BodyTooLarge(limit_bytes=operation.most_body_bytes)
    if operation.judged:
        judge(prepared, operation)
    arguments = _arguments_of_several(prepared, operation)

    if operation.keyed and arguments.idempotency_key is not None:
        owner, fingerprint = _directory_owner(context.studio_id, context.game), arguments.fingerprint or ""
        context.keeping = Keeping(owner, arguments.idempotency_key, fingerprint, write)
    kept = context.kept()
    if kept is not None:
        return _again(prepared, operation, context, kept, arguments)
    try:
        status, data, headers = call(operation, context, arguments)
        context.close(status, data)
    except AnsweredBefore as quicker:
        return _again(prepared, operation, context, quicker.kept, arguments)
    except Refusal:
        # Its own effect may be what stands against it, if it was made twice at once.
        kept = context.kept()
        if kept is None:
            raise
        return _again(prepared, operation, context, kept, arguments)
    return Outcome(answer(prepared, status, data, write, further=headers), touched=context.touched)


def _arguments_of_several(prepared: Prepared, operation: Operation) -> Arguments:
    """As `arguments_of`; a game that is deleted is missing, whatever else is wrong with the request."""
    try:
        return arguments_of(prepared, operation)
    except Refusal:
        if prepared.game is not None and prepared.game.deleted_at is not None:
            raise GameNotFound from None
        raise


def _again(
    prepared: Prepared, operation: Operation, context: OperatorContext, kept: IdempotentAnswer, arguments: Arguments
) -> Outcome:
    """The answer that was given before. Raises `IdempotencyConflict` if the request is another one."""
    response = replayed(prepared, operation, kept, arguments.fingerprint or "")
    if operation.resume is not None:
        operation.resume(context, json.loads(kept.body)["data"])
    return Outcome(response, touched=context.touched)
