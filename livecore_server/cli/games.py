"""`livecore init` and `livecore apply`: make the first game, and give a game another configuration."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import click

from livecore.access.directory import Game, Studio, require_game
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
from livecore.api.taken_away import taken_away
from livecore.api.upkeep import NewGame, apply_config, make_game, make_game_of, system_unit
from livecore.kernel.config import Advice
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.store import Transaction
from livecore.kernel.unit import Unit
from livecore.kernel.volatile import Volatile
from livecore.kernel.wire import encode
from livecore_server.cli.config_commands import ByArgument, ByOption, write_example
from livecore_server.cli.directory import chosen_game, operator
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.games import all_games
from livecore_server.storage.database import Database, store_at
from livecore_server.system import draw_seed, now_millis

__all__ = [
    "CONFIG_FILE",
    "accept_option",
    "advice_beside",
    "apply",
    "create_game",
    "init",
    "key_texts",
    "print_advice",
    "print_keys",
    "read_config",
    "run_unit",
    "show_made",
]

T = TypeVar("T")
CONFIG_FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
"""The type of an option or argument that names a configuration."""
accept_option: Final = click.option(
    "--accept",
    "accepted",
    metavar="PATH",
    multiple=True,
    help="Give no advice on this path; may be given several times.",
)


def read_config(path: Path | None) -> GameConfig:
    """A configuration file. Raises `ValidationFailed`, each path led by the file's name."""
    if path is None:
        return GameConfig()
    try:
        with click.open_file(str(path), encoding="utf-8") as file:
            return load_config(file.read())
    except UnicodeDecodeError:
        raise ValidationFailed({str(path): "is not UTF-8: save it in this encoding"}) from None
    except ValidationFailed as fault:
        named = {f"{path}: {place}" if place else str(path): text for place, text in fault.fields.items()}
        raise ValidationFailed(named) from None


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
    keys = key_texts(made.keys)
    if as_json:
        click.echo(json.dumps({"studioId": made.game.studio_id, "gameId": made.game.game_id, "keys": keys}))
        return
    click.echo(f"studio {made.game.studio_id}\ngame   {made.game.game_id}  {made.game.name}")
    click.echo("keys, shown this once:")
    print_keys(keys)


def key_texts(keys: Mapping[tuple[str, str], KeyOnce]) -> dict[str, dict[str, str]]:
    """Keys by environment and permission, as `--json` shows them."""
    return {
        environment: {permission: keys[environment, permission].text for permission in ("client", "server")}
        for environment in ("test", "live")
    }


def advice_beside(config: GameConfig, accepted: Collection[str]) -> list[Advice]:
    """What is probably not meant in a configuration, without the advice on the paths that somebody has accepted."""
    return [(path, message) for path, message in AREAS.advice_on(config, now_millis()) if path not in accepted]


def print_advice(config: GameConfig, accepted: Collection[str] = (), *, err: bool = False) -> bool:
    """What is probably not meant in a configuration, a line for each field; gives whether there is anything."""
    found = advice_beside(config, accepted)
    for path, message in found:
        click.echo(f"advice: {path} {message}", err=err)
    return bool(found)


def print_keys(keys: Mapping[str, Mapping[str, str]]) -> None:
    """Keys for people."""
    for environment, pair in keys.items():
        for permission, text in pair.items():
            click.echo(f"  {environment} {permission}  {text}")


@click.command(cls=ByOption)
@setting_option("database")
@click.option("--config", type=CONFIG_FILE, help="The game's configuration; '-' reads standard input.")
@click.option("--studio", default="Studio", show_default=True, help="The studio's name.")
@click.option(
    "--example", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write a configuration to start from into this new file, with its JSON Schema beside it, and do nothing else.",
)  # fmt: skip
@json_option
def init(database: str, config: Path | None, studio: str, example: Path | None, *, as_json: bool) -> None:
    """Make the schema, a studio, a game and its four keys, which are shown this once.

    A database that holds a game is refused: `livecore apply` gives that game another configuration, and `livecore games
    make` makes another game.
    """
    if example is not None:
        _show_example(example, config)
        return
    parsed = read_config(config)
    with store_at(database, create=True) as store:
        made = create_game(store, parsed, studio, first=True)
    if config is not None:
        # On standard error, so that `--json` prints its one object only.
        print_advice(parsed, err=True)
    show_made(made, as_json=as_json)


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
@click.argument("config", metavar="FILE", type=CONFIG_FILE)
@click.option("--dry-run", is_flag=True, help="Only print the difference, and how many pending gifts prevent it.")
@click.option(
    "--refund-pending-gifts",
    "refund",
    is_flag=True,
    help="Where economyMode changes: first end the paid gifts that nobody has claimed, and give them back to their senders.",
)
@click.option("--yes", is_flag=True, help="Do not ask before something is taken away that players hold.")
@click.option("--strict", is_flag=True, help="Change nothing, and end with status 1, where there is advice.")
@accept_option
def apply(
    database: str,
    game_id: str | None,
    config: Path,
    *,
    dry_run: bool,
    refund: bool,
    yes: bool,
    strict: bool,
    accepted: tuple[str, ...],
) -> int:
    """Give a game the configuration in FILE; prints the difference first.

    Advice on the configuration follows the difference. A running server takes it up at once. With `--dry-run` it ends with
    the status that it would have without.

    Where a currency, an item or a crate is taken away, it says how many players hold how much of it, and what becomes of
    that. On a terminal it asks first, unless --yes is given; without a terminal it goes on.
    """
    wanted = read_config(config)
    with store_at(database) as store:
        game = chosen_game(store, game_id)
        run = partial(run_unit, store)
        found = differences(encode(config_of(game)), encode(wanted))
        for line in found or ("no difference",):
            click.echo(line)
        advised = print_advice(wanted, accepted)
        if strict and advised:
            raise click.ClickException("nothing is changed, because --strict is given and there is advice")
        held = taken_away(run, game, wanted)
        for one in held:
            click.echo(f"taken away: {one.path} {one.message}")
        if dry_run:
            return _print_pending(run, game, wanted, refund=refund)
        if held and not yes and sys.stdin.isatty() and not click.confirm("Apply it all the same?", err=True):
            raise click.ClickException("nothing is changed")
        if found:
            _apply(store, run, game, wanted, refund=refund)
        else:
            # An earlier call may have been interrupted.
            finish(run, game)
    return 0


def run_unit(store: Database, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
    """Do a unit of work of the service itself in a scope of a game."""
    return store.write(
        scope, lambda tx: work(system_unit(tx, game, now_millis(), draw_seed(), Volatile(), actor=operator()))
    )


def _print_pending(run: RunUnit, game: Game, wanted: GameConfig, *, refund: bool) -> int:
    """Print what stands in the way; gives the status with which the change would end."""
    reasons = objections_to(run, game, wanted)
    for reason in reasons:
        click.echo(f"stands in the way: {reason}")
    number = pending_paid_gifts(run, game) if changes_hands(game, wanted) else 0
    if number:
        would = "would be given back first" if refund else "stand in the way of another economyMode"
        click.echo(f"pending paid gifts that {would}: {number}")
    return 1 if reasons or (number and not refund) else 0


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
