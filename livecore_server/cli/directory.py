"""What a command works on that needs only the directory: studios and their members, games and their keys.

A command says as little as is needed: the game may be left out where there is but one. The tables of the directory are a
sixth of all, so a command that needs no others starts in a fraction of the time.
"""

from __future__ import annotations

import getpass
from contextlib import AbstractContextManager

import click

from livecore.access.area import AREA
from livecore.access.audit import audit
from livecore.access.directory import STUDIOS, Game, Studio
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Actor, Change
from livecore_server.games import all_games
from livecore_server.storage.database import Database, store_at


def directory_at(url: str) -> AbstractContextManager[Database]:
    """The open store of a command that needs no tables but those of the directory, closed at its end."""
    return store_at(url, tables=AREA.tables)


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
    except (KeyError, OSError, ImportError):  # a container without an entry for its user, or Windows without USERNAME
        return Actor("system", "operator")


def chosen_game(store: Database, game_id: str | None) -> Game:
    """The game that `--game` names, or the only one. Raises `click.ClickException`."""
    return _choose(store.read(DIRECTORY, all_games), game_id)


def _choose(games: list[Game], game_id: str | None) -> Game:
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
    raise click.UsageError(f"there is no game {game_id}; there are: {known}")


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
    raise click.UsageError(f"there is no studio {studio_id}; there are: {known}")


def _studios(tx: Transaction, named: str | None) -> list[Studio]:
    """All studios that have games, and the one of this id."""
    ids = dict.fromkeys(game.studio_id for game in all_games(tx))
    found = [tx.get(STUDIOS, studio_id) for studio_id in ids]
    if named is not None and named not in ids:
        # A studio whose games are all deleted.
        found.append(tx.get(STUDIOS, named))
    return [studio for studio in found if studio is not None]
