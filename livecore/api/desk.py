"""Several units of work for one request: what an operation gets that cannot be one transaction.

Replacing a game's settings touches the directory and both environments; reading the audit trail of a studio reads every
scope of its games. Each step is a unit of work in one scope, and can be repeated safely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from livecore.access.directory import Game
from livecore.access.principals import Principal
from livecore.api.auditing import audit_request
from livecore.api.prepared import Prepared
from livecore.kernel.entropy import derive_seed
from livecore.kernel.scope import Scope
from livecore.kernel.store import Store, Transaction
from livecore.kernel.time import Millis
from livecore.kernel.unit import Event, Unit

__all__ = ["Desk"]

T = TypeVar("T")
MakeUnit: TypeAlias = Callable[[Prepared, Transaction, Game | None, bytes], Unit]
"""Makes a unit of work for a request, from a transaction, a game and a seed."""


class Desk:
    """Runs units of work for a request, in any scope of the caller's studio."""

    def __init__(self, prepared: Prepared, store: Store, make_unit: MakeUnit) -> None:
        self._prepared = prepared
        self._store = store
        self._make_unit = make_unit
        self._steps = 0
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

    def write(self, scope: Scope, game: Game | None, work: Callable[[Unit], T], *, audited: bool = False) -> T:
        """Change something; with `audited`, the same transaction adds the operation's entry to the audit trail."""

        def step(unit: Unit) -> tuple[T, list[Event]]:
            done = work(unit)
            if audited:
                audit_request(self._prepared, unit)
            return done, unit.events

        result, events = self._store.write(scope, self._in_unit(game, step))
        self.touched.setdefault(scope, []).extend(events)
        return result

    def __call__(self, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
        """As `write`; so a desk is a `livecore.api.configuring.RunUnit`."""
        return self.write(scope, game, work)

    def _in_unit(self, game: Game | None, work: Callable[[Unit], T]) -> Callable[[Transaction], T]:
        # Drawn here and not inside: a store may run the transaction more than once.
        self._steps += 1
        seed = derive_seed(self._prepared.seed, "step", self._steps)
        return lambda tx: work(self._make_unit(self._prepared, tx, game, seed))
