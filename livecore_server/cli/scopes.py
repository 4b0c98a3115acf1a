"""What a command works on: one game, one or both of its environments, and units of work there.

A command says as little as is needed: the game may be left out where there is but one, and an environment where the id that
was given exists in one only.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import TypeVar

import attrs
import click

from livecore.access.audit import audit
from livecore.access.directory import STUDIOS, Game, Studio
from livecore.api.upkeep import system_unit
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject, NotFound
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.unit import Actor, Change, Unit
from livecore.kernel.volatile import Volatile
from livecore_server.development import all_games
from livecore_server.storage.database import Database
from livecore_server.system import draw_seed, now_millis

__all__ = ["ENVIRONMENTS", "GameScopes", "choose_game", "choose_studio", "noted", "noted_in_directory", "operator"]

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
        game = choose_game(store.read(DIRECTORY, all_games), game_id)
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
        return lambda tx: work(system_unit(tx, self.game, now, seed, Volatile(), actor=operator()))


def noted(unit: Unit, action: str, target: tuple[str, str] | None = None, /, **metadata: str) -> None:
    """Leave an entry in the audit trail of the unit's scope. `action` is the name of the operation that does the same."""
    details: JsonObject | None = dict(metadata) or None
    audit(unit.tx, unit.now, unit.entropy, unit.actor, action, metadata=details, via="cli", target=target)


def noted_in_directory(
    tx: Transaction,
    now: Millis,
    entropy: Entropy,
    action: str,
    *,
    studio_id: str,
    game_id: str | None = None,
    target: tuple[str, str],
    change: Change,
    metadata: JsonObject | None = None,
) -> None:
    """Leave an entry about a studio, or one of its games, in the audit trail of the directory."""
    audit(
        tx, now, entropy, operator(), action, via="cli", studio_id=studio_id, game_id=game_id, target=target,
        change=change, metadata=metadata,
    )  # fmt: skip


def operator() -> Actor:
    """Whoever runs the command, by the name that the system knows."""
    try:
        return Actor("system", getpass.getuser())
    except (KeyError, OSError):  # a container without an entry for its user
        return Actor("system", "operator")


def choose_game(games: list[Game], game_id: str | None) -> Game:
    """The game of this id, or the only one. Raises `click.ClickException`."""
    if game_id is None and len(games) == 1:
        return games[0]
    for game in games:
        if game.game_id == game_id:
            return game
    if not games:
        raise click.ClickException("there is no game in this database yet: `livecore init` makes one")
    known = ", ".join(f"{game.game_id} ({game.name})" for game in games)
    if game_id is None:
        raise click.UsageError(f"say which game with --game; there are: {known}")
    raise click.ClickException(f"there is no game {game_id}; there are: {known}")


def choose_studio(store: Database, studio_id: str | None) -> Studio:
    """The studio of this id, or the only one that has games. Raises `click.ClickException`."""
    found = store.read(DIRECTORY, lambda tx: _studios(tx, studio_id))
    if studio_id is None and len(found) == 1:
        return found[0]
    for studio in found:
        if studio.studio_id == studio_id:
            return studio
    if not found:
        raise click.ClickException("there is no studio in this database yet: `livecore init` makes one")
    known = ", ".join(f"{studio.studio_id} ({studio.name})" for studio in found)
    if studio_id is None:
        raise click.UsageError(f"say which studio with --studio; there are: {known}")
    raise click.ClickException(f"there is no studio {studio_id}; there are: {known}")


def _studios(tx: Transaction, named: str | None) -> list[Studio]:
    """All studios that have games, and the one of this id."""
    ids = dict.fromkeys(game.studio_id for game in all_games(tx))
    found = [tx.get(STUDIOS, studio_id) for studio_id in ids]
    if named is not None and named not in ids:
        # A studio whose games are all deleted.
        found.append(tx.get(STUDIOS, named))
    return [studio for studio in found if studio is not None]
