"""`livecore init`, `livecore apply` and `livecore games`: make a game, give it another configuration, and list all."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from livecore.access.audit import audit
from livecore.access.directory import KEYS_OF_GAME, STUDIOS, Game, require_game
from livecore.access.keys import KeyOnce
from livecore.api.areas import AREAS
from livecore.api.configuring import (
    RunUnit,
    change_config,
    changes_hands,
    finish,
    objections_to,
    pending_paid_gifts,
)
from livecore.api.differences import differences
from livecore.api.game_config import GameConfig, config_of, load_config
from livecore.api.upkeep import NewGame, apply_config, make_game, system_unit
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.store import Transaction
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.unit import Unit
from livecore.kernel.volatile import Volatile
from livecore.kernel.wire import encode
from livecore_server.cli.config_commands import ByArgument, ByOption, write_example
from livecore_server.cli.directory import chosen_game, operator
from livecore_server.cli.groups import Group
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.development import all_games, deleted_games
from livecore_server.operations.purge import purge
from livecore_server.storage.database import Database, store_at
from livecore_server.system import draw_seed, now_millis

__all__ = ["apply", "create_game", "games", "init", "key_texts", "print_advice", "print_keys", "read_config"]

T = TypeVar("T")
_CONFIG_FILE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)


def read_config(path: Path | None) -> GameConfig:
    """A configuration file. Raises `ValidationFailed`, each path led by the file's name."""
    if path is None:
        return GameConfig()
    try:
        with click.open_file(str(path), encoding="utf-8") as file:
            return load_config(file.read())
    except UnicodeDecodeError:
        raise ValidationFailed({str(path): "is not UTF-8"}) from None
    except ValidationFailed as fault:
        named = {f"{path}: {place}" if place else str(path): text for place, text in fault.fields.items()}
        raise ValidationFailed(named) from None


def create_game(store: Database, config: GameConfig, studio: str) -> NewGame:
    """A studio, a game and its four keys, with both scopes ready for use."""
    now, seed = now_millis(), draw_seed()

    def make(tx: Transaction) -> NewGame:
        return make_game(tx, config, now, Entropy(seed), studio_name=studio, actor=operator(), via="cli")

    made = store.write(DIRECTORY, make)
    finish(partial(_run_unit, store), made.game)
    return made


def key_texts(keys: Mapping[tuple[str, str], KeyOnce]) -> dict[str, dict[str, str]]:
    """Keys by environment and permission, as `--json` shows them."""
    return {
        environment: {permission: keys[environment, permission].text for permission in ("client", "server")}
        for environment in ("test", "live")
    }


def print_advice(config: GameConfig, *, err: bool = False) -> None:
    """What is probably not meant in a configuration, a line for each field."""
    for path, message in AREAS.advice_on(config):
        click.echo(f"advice: {path} {message}", err=err)


def print_keys(keys: Mapping[str, Mapping[str, str]]) -> None:
    """Keys for people."""
    for environment, pair in keys.items():
        for permission, text in pair.items():
            click.echo(f"  {environment} {permission}  {text}")


@click.command(cls=ByOption)
@setting_option("database")
@click.option("--config", type=_CONFIG_FILE, help="The game's configuration; '-' reads standard input.")
@click.option("--studio", default="Studio", show_default=True, help="The studio's name.")
@click.option(
    "--example", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write a configuration to start from into this new file, with its JSON Schema beside it, and do nothing else.",
)  # fmt: skip
@json_option
def init(database: str, config: Path | None, studio: str, example: Path | None, *, as_json: bool) -> None:
    """Make the schema, a studio, a game and its four keys, which are shown this once.

    Where the database has games already, one more is made, and standard error says so.
    """
    if example is not None:
        _show_example(example, config)
        return
    parsed = read_config(config)
    with store_at(database, create=True) as store:
        made = create_game(store, parsed, studio)
        games = len(store.read(DIRECTORY, all_games))
    if config is not None:
        # On standard error, so that `--json` prints its one object only.
        print_advice(parsed, err=True)
    if games > 1:
        note = f"this database has {games} games now, so other commands want --game; `livecore games list` shows them"
        click.echo(f"livecore: {note}", err=True)
    keys = key_texts(made.keys)
    if as_json:
        click.echo(json.dumps({"studioId": made.game.studio_id, "gameId": made.game.game_id, "keys": keys}))
        return
    click.echo(f"studio {made.game.studio_id}\ngame   {made.game.game_id}  {made.game.name}")
    click.echo("keys, shown this once:")
    print_keys(keys)


def _show_example(example: Path, config: Path | None) -> None:
    if config is not None:
        raise click.UsageError("--example writes a configuration and --config reads one: give one of them")
    schema = write_example(example)
    click.echo(
        f"{example} is a configuration to start from; an editor completes and checks it by {schema.name} beside it"
    )
    click.echo(f"next: livecore init --database sqlite:///game.db --config {shlex.quote(str(example))}")


@click.command(cls=ByArgument)
@setting_option("database")
@game_option
@click.argument("config", metavar="FILE", type=_CONFIG_FILE)
@click.option("--dry-run", is_flag=True, help="Only print the difference, and how many pending gifts prevent it.")
@click.option(
    "--refund-pending-gifts",
    "refund",
    is_flag=True,
    help="Where economyMode changes: first end the paid gifts that nobody has claimed, and give them back to their senders.",
)
def apply(database: str, game_id: str | None, config: Path, *, dry_run: bool, refund: bool) -> None:
    """Give a game the configuration in FILE; prints the difference first.

    Advice on the configuration follows the difference. A running server takes it up at once.
    """
    wanted = read_config(config)
    with store_at(database) as store:
        game = chosen_game(store, game_id)
        run = partial(_run_unit, store)
        found = differences(encode(config_of(game)), encode(wanted))
        for line in found or ("no difference",):
            click.echo(line)
        print_advice(wanted)
        if dry_run:
            _print_pending(run, game, wanted, refund=refund)
        elif found:
            _apply(store, run, game, wanted, refund=refund)
        else:
            # An earlier call may have been interrupted.
            finish(run, game)


def _run_unit(store: Database, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
    return store.write(
        scope, lambda tx: work(system_unit(tx, game, now_millis(), draw_seed(), Volatile(), actor=operator()))
    )


def _print_pending(run: RunUnit, game: Game, wanted: GameConfig, *, refund: bool) -> None:
    for reason in objections_to(run, game, wanted):
        click.echo(f"stands in the way: {reason}")
    number = pending_paid_gifts(run, game) if changes_hands(game, wanted) else 0
    if number:
        would = "would be given back first" if refund else "stand in the way of another economyMode"
        click.echo(f"pending paid gifts that {would}: {number}")


def _apply(store: Database, run: RunUnit, game: Game, wanted: GameConfig, *, refund: bool) -> None:
    now, seed = now_millis(), draw_seed()

    def write(_: int) -> Game:
        return store.write(
            DIRECTORY,
            lambda tx: apply_config(tx, game.game_id, wanted, now, Entropy(seed), operator(), since=game, via="cli"),
        )

    def present() -> Game:
        return store.read(DIRECTORY, lambda tx: require_game(tx, game.game_id))

    changed, given_back = change_config(run, game, wanted, write, present, refund=refund)
    if given_back:
        click.echo(f"paid gifts that were given back: {given_back}")
    click.echo(f"{game.game_id} has configuration {changed.config_version}")


@click.group(cls=Group)
def games() -> None:
    """The games that a database holds."""


@games.command("list")
@setting_option("database")
@json_option
def list_(database: str, *, as_json: bool) -> None:
    """List the games, oldest first, each with its studio and the number of its keys that work."""
    now = now_millis()
    with store_at(database) as store:
        rows = store.read(DIRECTORY, lambda tx: [_row(tx, game, now) for game in all_games(tx)])
    if as_json:
        click.echo(json.dumps({"games": rows}))
        return
    if not rows:
        click.echo("no games: `livecore init` makes one", err=True)
    for row in rows:
        made = f"made {row['createdAt']}  {row['keys']} keys  studio {row['studioId']} ({row['studio']})"
        click.echo(f"{row['gameId']}  {row['name']}  {made}")


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


@games.command("purge")
@setting_option("database")
@click.option("--game", "game_id", metavar="ID", help="The deleted game; without it, all deleted games.")
@json_option
def purge_(database: str, game_id: str | None, *, as_json: bool) -> None:
    """Remove the data of deleted games for good, in steps. An interrupted run is begun again and goes on."""
    with store_at(database) as store:
        found = [game for game in store.read(DIRECTORY, deleted_games) if game_id in (None, game.game_id)]
        if game_id is not None and not found:
            raise click.ClickException(f"there is no deleted game {game_id}: only a deleted game can be purged")
        removed = [(game, purge(store, game)) for game in found]
        for game, rows in removed:
            store.write(DIRECTORY, partial(_note_purge, game=game, rows=rows, now=now_millis(), seed=draw_seed()))
    if as_json:
        click.echo(json.dumps({"games": [{"gameId": game.game_id, "rows": rows} for game, rows in removed]}))
        return
    if not removed:
        click.echo("no deleted games", err=True)
    for game, rows in removed:
        click.echo(f"{game.game_id} ({game.name}): {rows} rows removed")


def _note_purge(tx: Transaction, game: Game, rows: int, now: Millis, seed: bytes) -> None:
    audit(
        tx, now, Entropy(seed), operator(), "games.purge", via="cli", studio_id=game.studio_id, game_id=game.game_id,
        target=("game", game.game_id), metadata={"rows": rows},
    )  # fmt: skip
