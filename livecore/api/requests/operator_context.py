"""Several units of work for one request: what an operation gets that cannot be one transaction.

Replacing a game's settings touches the directory and both environments; reading the audit trail of a studio reads every
scope of its games. Each step is a unit of work in one scope, and can be repeated safely.

An operation that changes something has one deciding step, in the directory (`OperatorContext.decide`): it makes the change,
and in the same transaction adds the entry to the audit trail and keeps the answer under the idempotency key. So a request
that is interrupted anywhere, or made twice at once, has one effect and one answer. What follows that step prepares or cleans
up; a repetition does it again (`Operation.resume`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import attrs

from livecore.access.directory import Game
from livecore.access.principals import Principal
from livecore.api.requests import idempotency
from livecore.api.requests.auditing import audit_request
from livecore.api.requests.idempotency import IdempotentAnswer
from livecore.api.requests.prepared import Prepared
from livecore.kernel.entropy import derive_seed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Event, Unit

T = TypeVar("T")
MakeUnit: TypeAlias = Callable[[Prepared, Transaction, Game | None, bytes], Unit]
"""Makes a unit of work for a request, from a transaction, a game and a seed."""


@attrs.frozen
class Keeping:
    """Under which idempotency key of the directory a request's answer is kept, and how its data is written."""

    owner: str
    key: str
    fingerprint: str
    write: Callable[[object], bytes]

    def kept(self, unit: Unit) -> IdempotentAnswer | None:
        """The answer that has been kept before."""
        return idempotency.kept(unit, self.owner, self.key)

    def keep(self, unit: Unit, status: int, data: object) -> None:
        """Keep the answer."""
        unit.fingerprint = self.fingerprint
        idempotency.keep(unit, self.owner, self.key, status, self.write(data).decode())


class AnsweredBefore(Exception):
    """The request has been answered under its idempotency key since it began."""

    def __init__(self, kept: IdempotentAnswer) -> None:
        super().__init__("this request has been answered before")
        self.kept = kept


class OperatorContext:
    """Runs units of work for a request, in any scope of the caller's studio."""

    def __init__(self, prepared: Prepared, store: Store, make_unit: MakeUnit) -> None:
        self._prepared = prepared
        self._store = store
        self._make_unit = make_unit
        self._steps = 0
        self.keeping: Keeping | None = None
        """The idempotency key of the request, if it has one."""
        self.answered = False
        """Whether the answer has been kept under it."""
        self.touched: dict[Scope, list[Event]] = {}
        """The scopes that it has written to, each with the events that were emitted there."""

    @property
    def principal(self) -> Principal:
        """Who asks."""
        return self._prepared.principal

    @property
    def now(self) -> Millis:
        """When the request arrived."""
        return self._prepared.now

    @property
    def studio_id(self) -> str:
        """The studio of the path."""
        return self._prepared.principal.studio_id

    @property
    def game(self) -> Game | None:
        """The game of the path, if it names one."""
        return self._prepared.game

    def read(self, scope: Scope, game: Game | None, work: Callable[[Unit], T]) -> T:
        """Look at something in a scope of `game`, or in the directory."""
        return self._store.read(scope, self._in_unit(game, work))

    def write(self, scope: Scope, game: Game | None, work: Callable[[Unit], T]) -> T:
        """Change something that can be repeated safely."""

        def step(unit: Unit) -> tuple[T, list[Event]]:
            return work(unit), unit.events

        result, events = self._store.write(scope, self._in_unit(game, step))
        self.touched.setdefault(scope, []).extend(events)
        return result

    def decide(self, game: Game | None, work: Callable[[Unit], T], answer: Callable[[T], object]) -> T:
        """The step in the directory by which the operation takes effect; `answer` is the data for what it returns.

        Raises `AnsweredBefore`, and then changes nothing.
        """

        def step(unit: Unit) -> T | IdempotentAnswer:
            kept = None if self.keeping is None else self.keeping.kept(unit)
            if kept is not None:
                return kept
            done = work(unit)
            audit_request(self._prepared, unit)
            self._keep(unit, answer(done))
            return done

        done = self.write(DIRECTORY, game, step)
        if isinstance(done, IdempotentAnswer):
            raise AnsweredBefore(done)
        self.answered = True
        return done

    def close(self, status: int, data: object) -> None:
        """Keep the answer of an operation that had nothing to decide. Raises `AnsweredBefore`."""
        keeping = self.keeping
        if keeping is None or self.answered:
            return

        def step(unit: Unit) -> IdempotentAnswer | None:
            kept = keeping.kept(unit)
            if kept is None:
                keeping.keep(unit, status, data)
            return kept

        kept = self.write(DIRECTORY, None, step)
        if kept is not None:
            raise AnsweredBefore(kept)

    def kept(self) -> IdempotentAnswer | None:
        """The answer that has been kept under the request's idempotency key."""
        return None if self.keeping is None else self.read(DIRECTORY, None, self.keeping.kept)

    def _keep(self, unit: Unit, data: object) -> None:
        operation = self._prepared.operation
        if self.keeping is not None and operation is not None:
            self.keeping.keep(unit, operation.status, data)

    def __call__(self, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
        """As `write`; so it is a `livecore.api.operating.configuring.RunUnit`."""
        return self.write(scope, game, work)

    def _in_unit(self, game: Game | None, work: Callable[[Unit], T]) -> Callable[[Transaction], T]:
        # Drawn here and not inside: a store may run the transaction more than once.
        self._steps += 1
        seed = derive_seed(self._prepared.seed, "step", self._steps)
        return lambda tx: work(self._make_unit(self._prepared, tx, game, seed))
