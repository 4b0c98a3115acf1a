"""`livecore games`: make another game, list those that a database holds, delete one, and purge what is left of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click

from livecore.access.audit import audit
from livecore.access.directory import KEYS_OF_GAME, STUDIOS, Game, delete_game, require_game
from livecore.api.operating.games import has_endpoints, remove_endpoints
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Change
from livecore_server.cli.configurations import CONFIG_FILE, print_advice, read_config
from livecore_server.cli.directory import choose_studio, noted_in_directory, operator
from livecore_server.cli.groups import Group
from livecore_server.cli.new_games import create_game, show_made
from livecore_server.cli.options import json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.scopes import run_unit
from livecore_server.games import all_games, deleted_games
from livecore_server.operations.purge import purge
from livecore_server.storage.database import Database, store_at
from livecore_server.system import draw_seed, now_millis


@click.group(cls=Group)
def games() -> None:
    """The games that a database holds."""


@games.command()
@setting_option("database")
@click.option("--config", type=CONFIG_FILE, help="The game's configuration; '-' reads standard input.")
@click.option("--studio", "studio_id", metavar="ID", help="The studio; may be left out where only one has games.")
@json_option
def make(database: str, config: Path | None, studio_id: str | None, *, as_json: bool) -> None:
    """Make another game in the same studio, with four keys, which are shown this once."""
    parsed = read_config(config)
    with store_at(database) as store:
        made = create_game(store, parsed, choose_studio(store, studio_id))
    if config is not None:
        # On standard error, so that `--json` prints its one object only.
        print_advice(parsed, err=True)
    show_made(made, as_json=as_json)


@games.command("list")
@setting_option("database")
@json_option
def list_(database: str, *, as_json: bool) -> None:
    """List the games, oldest first, each with its studio and the number of its keys that work."""
    now = now_millis()
    with store_at(database) as store:
        rows = store.read(DIRECTORY, lambda tx: [_row(tx, game, now) for game in all_games(tx)])
    show({"games": rows}, map(_line, rows), as_json=as_json, nothing="no games: `livecore init` makes one")


def _line(row: Mapping[str, Json]) -> str:
    made = f"made {row['createdAt']}  {row['keys']} keys  studio {row['studioId']} ({row['studio']})"
    return f"{row['gameId']}  {row['name']}  {made}"


def _row(tx: Transaction, game: Game, now: Millis) -> dict[str, Json]:
    studio = tx.get(STUDIOS, game.studio_id)
    keys = [key for key in tx.scan(KEYS_OF_GAME, game.game_id) if key.ends_at is None or now < key.ends_at]
    return {
        "studioId": game.studio_id,
        "studio": None if studio is None else studio.name,
        "gameId": game.game_id,
        "name": game.name,
        "createdAt": Timestamp(game.created_at).wire,
        "keys": len(keys),
    }


@games.command()
@setting_option("database")
@click.option("--game", "game_id", metavar="ID", required=True, help="The game.")
@click.option("--yes", is_flag=True, help="Do not ask for the game's name to be typed.")
def delete(database: str, game_id: str, *, yes: bool) -> None:
    """Delete a game for good: its keys end and its webhook endpoints are removed at once, in both environments.

    It asks for the name or the id of the game to be typed. What the game's players have stays in the database until
    `livecore games purge`.
    """
    with store_at(database) as store:
        game = _deletable(store, game_id)
        if not yes:
            _ask_to_delete(game)
        if game.deleted_at is None:
            now, seed = now_millis(), draw_seed()
            game = store.write(DIRECTORY, lambda tx: _delete(tx, game_id, now, Entropy(seed)))
        remove_endpoints(partial(run_unit, store), game)
    click.echo(
        f"{game.game_id} ({game.name}) is deleted; `livecore games purge --game {game.game_id}` removes its data"
    )


def _deletable(store: Database, game_id: str) -> Game:
    """The game of this id, or one whose deletion was interrupted. Raises `click.UsageError`."""
    known, gone = store.read(DIRECTORY, lambda tx: (all_games(tx), deleted_games(tx)))
    for game in known:
        if game.game_id == game_id:
            return game
    for game in gone:
        if game.game_id == game_id and has_endpoints(partial(run_unit, store), game):
            return game
    listed = ", ".join(f"{game.game_id} ({game.name})" for game in known)
    raise click.UsageError(f"there is no game {game_id}; " + (f"there are: {listed}" if listed else "there are none"))


def _ask_to_delete(game: Game) -> None:
    """Ask for the game's name. Raises `click.ClickException` unless it or the id is typed."""
    try:
        typed = click.prompt(f"This cannot be undone. Type the game's name, {game.name}, to delete it", err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        raise click.UsageError("nobody is here to type the game's name: a script gives --yes") from None
    if typed not in (game.name, game.game_id):
        raise click.ClickException(f"that is not its name: {game.game_id} ({game.name}) stays as it is")


def _delete(tx: Transaction, game_id: str, now: Millis, entropy: Entropy) -> Game:
    game = require_game(tx, game_id)
    noted_in_directory(
        tx, now, entropy, "games.delete", studio_id=game.studio_id, game_id=game_id, target=("game", game_id),
        change=Change({"name": game.name}, None),
    )  # fmt: skip
    return delete_game(tx, game, now)


@games.command("purge")
@setting_option("database")
@click.option("--game", "game_id", metavar="ID", help="The deleted game; without it, all deleted games.")
@json_option
def purge_(database: str, game_id: str | None, *, as_json: bool) -> None:
    """Remove the data of deleted games for good, in steps. An interrupted run is begun again and goes on."""
    with store_at(database) as store:
        found = [game for game in store.read(DIRECTORY, deleted_games) if game_id in (None, game.game_id)]
        if game_id is not None and not found:
            raise click.UsageError(f"there is no deleted game {game_id}: only a deleted game can be purged")
        removed = [(game, purge(store, game)) for game in found]
        for game, rows in removed:
            store.write(DIRECTORY, partial(_note_purge, game=game, rows=rows, now=now_millis(), seed=draw_seed()))
    show(
        {"games": [{"gameId": game.game_id, "rows": rows} for game, rows in removed]},
        (f"{game.game_id} ({game.name}): {rows} rows removed" for game, rows in removed),
        as_json=as_json,
        nothing="no deleted games",
    )


def _note_purge(tx: Transaction, game: Game, rows: int, now: Millis, seed: bytes) -> None:
    audit(
        tx, now, Entropy(seed), operator(), "games.purge", via="cli", studio_id=game.studio_id, game_id=game.game_id,
        target=("game", game.game_id), metadata={"rows": rows},
    )  # fmt: skip
