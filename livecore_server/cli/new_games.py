"""A game that is made, and the keys that are shown this once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import click

from livecore.access.directory import Game, Studio
from livecore.access.keys import KeyOnce
from livecore.api.configuration.game_config import GameConfig
from livecore.api.maintenance import NewGame, make_game, make_game_of
from livecore.api.operating.configuring import (
    finish,
)
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.cli.directory import operator
from livecore_server.cli.output import show
from livecore_server.cli.scopes import run_unit
from livecore_server.games import all_games
from livecore_server.storage.database import Database
from livecore_server.system import draw_seed, now_millis


def create_game(store: Database, config: GameConfig, studio: str | Studio, *, first: bool = False) -> NewGame:
    """A game and its four keys, with both scopes ready for use, in a new studio of this name or in one that there is.

    Raises `click.ClickException` for one that is to be the `first` where there is a game already.
    """
    now, seed = now_millis(), draw_seed()

    def make(tx: Transaction) -> NewGame:
        if isinstance(studio, Studio):
            return make_game_of(tx, studio, config, now, Entropy(seed), actor=operator(), via="cli")
        if first:
            _refuse_second(all_games(tx))
        return make_game(tx, config, now, Entropy(seed), studio_name=studio, actor=operator(), via="cli")

    made = store.write(DIRECTORY, make)
    finish(partial(run_unit, store), made.game)
    return made


def _refuse_second(games: Sequence[Game]) -> None:
    """Refuse to begin once more: the second game of a name is rarely meant, and makes every command ask which one is."""
    if not games:
        return
    known = f"{games[0].game_id} ({games[0].name})"
    held = f"a game already, {known}" if len(games) == 1 else f"{len(games)} games already, the first {known}"
    raise click.ClickException(
        f"this database holds {held}: `livecore apply FILE` gives a game another configuration, "
        "and `livecore games make --config FILE` makes another game"
    )


def show_made(made: NewGame, *, as_json: bool) -> None:
    """A new game with its keys, which are shown this once."""
    game, keys = made.game, key_texts(made.keys)
    lines = (
        f"studio {game.studio_id}", f"game   {game.game_id}  {game.name}", "keys, shown this once:", *key_lines(keys)
    )  # fmt: skip
    show({"studioId": game.studio_id, "gameId": game.game_id, "keys": keys}, lines, as_json=as_json)


def key_texts(keys: Mapping[tuple[str, str], KeyOnce]) -> dict[str, dict[str, str]]:
    """Keys by environment and permission, as `--json` shows them."""
    return {
        environment: {permission: keys[environment, permission].text for permission in ("client", "server")}
        for environment in ("test", "live")
    }


def key_lines(keys: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Keys for people."""
    return [
        f"  {environment} {permission}  {text}"
        for environment, pair in keys.items()
        for permission, text in pair.items()
    ]
