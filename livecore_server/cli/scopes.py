"""What a command works on: one game, one or both of its environments, and units of work there.

A command says as little as is needed: the game may be left out where there is but one, and an environment where the id that
was given exists in one only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import attrs
import click

from livecore.access.audit import audit
from livecore.access.directory import Game
from livecore.api.maintenance import system_unit
from livecore.kernel.errors import JsonObject, NotFound
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Unit
from livecore_server.cli.directory import chosen_game, operator
from livecore_server.cli.options import game_option, setting_option
from livecore_server.storage.database import Database, store_at
from livecore_server.system import draw_seed, now_millis

F = TypeVar("F", bound=Callable[..., Any])
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
        return self.store.read(scope, _in_unit(work, self.game))

    def write(self, scope: Scope, work: Callable[[Unit], T]) -> T:
        """Change something, in one transaction."""
        return run_unit(self.store, work, scope, self.game)

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


def run_unit(store: Database, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
    """Do a unit of work of the service itself in a scope of a game."""
    return store.write(scope, _in_unit(work, game))


def _in_unit(work: Callable[[Unit], T], game: Game) -> Callable[[Transaction], T]:
    # Drawn here and not inside: a store may run the transaction more than once.
    now, seed = now_millis(), draw_seed()
    return lambda tx: work(system_unit(tx, game, now, seed, actor=operator()))


def environment_option(*, required: bool) -> Callable[[F], F]:
    """`--environment test|live`."""
    text = "The environment." if required else "The environment; may be left out where the id or key is in one only."
    return click.option("--environment", type=click.Choice(ENVIRONMENTS), required=required, help=text)


def placed(command: F) -> F:
    """`--database`, `--game`, `--environment`."""
    return setting_option("database")(game_option(environment_option(required=False)(command)))


@contextmanager
def scopes_of(database: str, game_id: str | None, environment: str | None) -> Iterator[GameScopes]:
    """The game and the environments that a command was pointed at."""
    with store_at(database) as store:
        yield GameScopes.find(store, game_id, environment)


def noted(unit: Unit, action: str, target: tuple[str, str] | None = None, /, **metadata: str) -> None:
    """Leave an entry in the audit trail of the unit's scope. `action` is the name of the operation that does the same."""
    details: JsonObject | None = dict(metadata) or None
    audit(unit.tx, unit.now, unit.entropy, unit.actor, action, metadata=details, via="cli", target=target)
