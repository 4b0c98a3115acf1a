"""What a command works on: one game, one or both of its environments, and units of work there.

A command says as little as is needed: the game may be left out where there is but one, and an environment where the id that
was given exists in one only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import attrs
import click

from livecore.access.audit import audit
from livecore.access.directory import Game
from livecore.api.upkeep import system_unit
from livecore.kernel.errors import JsonObject, NotFound
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Unit
from livecore_server.cli.directory import chosen_game, operator
from livecore_server.storage.database import Database
from livecore_server.system import draw_seed, now_millis

__all__ = ["ENVIRONMENTS", "GameScopes", "noted"]

T = TypeVar("T")
ENVIRONMENTS = ("test", "live")


@attrs.frozen
class GameScopes:
    """A game's environments, as far as a command was pointed at them."""

    store: Database
    game: Game
    scopes: tuple[Scope, ...]

    @classmethod
    def find(cls, store: Database, game_id: str | None, environment: str | None) -> GameScopes:
        """The game of this id, or the only one. Raises `click.ClickException`."""
        game = chosen_game(store, game_id)
        wanted = ENVIRONMENTS if environment is None else (environment,)
        return cls(store, game, tuple(Scope(game.game_id, name) for name in wanted))

    def read(self, scope: Scope, work: Callable[[Unit], T]) -> T:
        """Look at something."""
        return self.store.read(scope, self._in_unit(work))

    def write(self, scope: Scope, work: Callable[[Unit], T]) -> T:
        """Change something, in one transaction."""
        return self.store.write(scope, self._in_unit(work))

    def only(self, work: Callable[[Unit], T]) -> tuple[Scope, T]:
        """The one scope in which `work` finds what it looks for. Raises what it raises in all others."""
        found: list[tuple[Scope, T]] = []
        missing: NotFound | None = None
        for scope in self.scopes:
            try:
                found.append((scope, self.read(scope, work)))
            except NotFound as fault:
                missing = fault
        if len(found) > 1:
            raise click.UsageError("there is one in each environment: say which with --environment test or live")
        if not found:
            assert missing is not None  # noqa: S101 - there is at least one scope
            raise missing
        return found[0]

    def _in_unit(self, work: Callable[[Unit], T]) -> Callable[[Transaction], T]:
        # Drawn here and not inside: a store may run the transaction more than once.
        now, seed = now_millis(), draw_seed()
        return lambda tx: work(system_unit(tx, self.game, now, seed, actor=operator()))


def noted(unit: Unit, action: str, target: tuple[str, str] | None = None, /, **metadata: str) -> None:
    """Leave an entry in the audit trail of the unit's scope. `action` is the name of the operation that does the same."""
    details: JsonObject | None = dict(metadata) or None
    audit(unit.tx, unit.now, unit.entropy, unit.actor, action, metadata=details, via="cli", target=target)
