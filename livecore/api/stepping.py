"""Runs an operation whose work is divided into steps, each a transaction of its own, with one answer at the end.

A request with a thousand rows would keep all others waiting for as long as its transaction takes. So its operation says how
its arguments are divided (`livecore.api.table.operation.OperationSteps`), and the host runs `SteppedRun.step` in one
transaction after another, each followed by `take`, until that gives the answer. Between two transactions it serves others.

The parts must be such that each may take effect without the others, and takes effect once however often it is sent. Then a
request that was interrupted, by a crash or a store that is overloaded, is completed by its repetition.

Under an idempotency key the first step notes that the key is in use, so that no other request can have it meanwhile, and the
last one replaces the note by the answer. Who finds the note of the same request runs all of its steps again, which changes
nothing that was done; who finds the answer gives it. Where the parts follow from each other (`Steps.more`), the first
step keeps the answer so far instead of the note.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from livecore.api.requests import idempotency
from livecore.api.requests.answering import answer, replayed
from livecore.api.requests.arguments import Arguments, too_large
from livecore.api.requests.auditing import audit_request
from livecore.api.requests.calling import arguments_of, call_in_unit, claim_key
from livecore.api.requests.http import Response
from livecore.api.requests.prepared import Outcome, Prepared
from livecore.kernel.entropy import derive_seed
from livecore.kernel.errors import BodyTooLarge
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Event, Unit

if TYPE_CHECKING:
    from livecore.api.application import Application


_BEGUN: Final = 0
"""In place of a status: the request has begun and has no answer yet."""


@attrs.frozen
class StepResult:
    """What a step has done: the answer to its part, or, after the last one, that of the request."""

    data: object = None
    events: Sequence[Event] = ()
    outcome: Outcome | None = None
    following: object = None
    """The part that follows from it, if that was not known before."""


class SteppedRun:
    """One request on its way through its steps."""

    def __init__(self, application: Application, prepared: Prepared) -> None:
        self._application = application
        self._prepared = prepared
        self._parts: Sequence[Any] = ()
        self._answers: list[object] = []
        self._events: list[Event] = []

    def step(self, tx: Transaction) -> StepResult:
        """Run the next step in a transaction; it may run more than once, and changes nothing here. Raises `Refusal`."""
        prepared, operation = self._prepared, self._prepared.operation
        assert operation is not None  # noqa: S101 - the request has been prepared
        assert operation.steps is not None  # noqa: S101 - its host has asked for it
        if too_large(operation, prepared.request):
            raise BodyTooLarge(limit_bytes=operation.most_body_bytes)
        arguments = arguments_of(prepared, operation)
        self._parts = self._parts or tuple(operation.steps.divide(arguments.shape))
        at, more = len(self._answers), operation.steps.more
        part = Arguments(self._parts[at], arguments.idempotency_key, arguments.fingerprint)
        unit = self._unit(tx, part)
        owner = claim_key(operation, prepared, unit, arguments)
        # Where the first step has kept the answer so far, the later ones must not take it for that of another request.
        before = self._answered_before(unit, owner, arguments) if more is None or at == 0 else None
        if before is not None:
            return StepResult(outcome=before)
        status, data, headers = call_in_unit(operation, unit, part)
        following = None if more is None else more(data)
        if more is not None and at == 0:
            audit_request(prepared, unit)
        if at + 1 < len(self._parts) or following is not None:
            if more is not None and at == 0:
                self._keep_so_far(unit, owner, status, arguments, data)
            elif at == 0 and owner is not None and unit.idempotency_key is not None:
                self._keep(unit, owner, _BEGUN, b"", arguments, data)
            return StepResult(data, unit.events, following=following)
        joined = operation.steps.join([*self._answers, data])
        body: bytes | None = None
        if owner is not None and unit.idempotency_key is not None:
            body = self._application.envelope(joined)
            self._keep(unit, owner, status, body, arguments, joined)
        if more is None:
            audit_request(prepared, unit)
        response = answer(prepared, status, joined, self._application.envelope, body=body, further=headers)
        return StepResult(outcome=Outcome(response, (*self._events, *unit.events), unit.scope))

    def take(self, done: StepResult) -> Outcome | None:
        """Note that a step is committed; gives the answer after the last one."""
        self._answers.append(done.data)
        self._events += done.events
        if done.following is not None:
            self._parts = (*self._parts, done.following)
        return done.outcome

    def cut_short(self) -> Response | None:
        """The answer so far, where the request may end after any step: what it leaves goes on by itself."""
        prepared, operation = self._prepared, self._prepared.operation
        if operation is None or operation.steps is None or operation.steps.more is None or not self._answers:
            return None
        so_far = operation.steps.join(self._answers)
        return answer(prepared, operation.status, so_far, self._application.envelope)

    def _unit(self, tx: Transaction, part: Arguments) -> Unit:
        """The unit of the next step, which draws other ids than those before it, and reads what its own part needs."""
        prepared, at = self._prepared, len(self._answers)
        seed = prepared.seed if at == 0 else derive_seed(prepared.seed, "step", at)
        return self._application.step_unit(attrs.evolve(prepared, arguments=part), tx, prepared.game, seed)

    def _answered_before(self, unit: Unit, owner: str | None, arguments: Arguments) -> Outcome | None:
        """The answer of an earlier request with this key. Raises `IdempotencyConflict` where that was another request."""
        operation, key = self._prepared.operation, unit.idempotency_key
        if key is None or owner is None or operation is None:
            return None
        unit.fingerprint = arguments.fingerprint or ""
        kept = idempotency.kept(unit, owner, key)
        if kept is None or (kept.status == _BEGUN and kept.fingerprint == unit.fingerprint):
            return None
        return Outcome(replayed(self._prepared, operation, kept, unit.fingerprint))

    def _keep_so_far(self, unit: Unit, owner: str | None, status: int, arguments: Arguments, data: object) -> None:
        operation = self._prepared.operation
        if owner is None or unit.idempotency_key is None or operation is None or operation.steps is None:
            return
        so_far = operation.steps.join([data])
        self._keep(unit, owner, status, self._application.envelope(so_far), arguments, so_far)

    @staticmethod
    def _keep(unit: Unit, owner: str, status: int, body: bytes, arguments: Arguments, data: object) -> None:
        named = idempotency.players_named(arguments.shape, data)
        idempotency.keep(unit, owner, unit.idempotency_key or "", status, body.decode(), named=named)
