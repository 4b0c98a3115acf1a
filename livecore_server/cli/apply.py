"""`livecore apply`: gives a game another configuration."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from livecore.access.directory import Game, require_game
from livecore.api.configuration.differences import differences
from livecore.api.configuration.game_config import GameConfig, config_of
from livecore.api.maintenance import apply_config
from livecore.api.operating.configuring import (
    RunUnit,
    change_config,
    changes_hands,
    finish,
    objections_to,
    pending_paid_gifts,
)
from livecore.api.operating.taken_away import taken_away
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.wire import encode
from livecore_server.cli.configurations import (
    CONFIG_FILE,
    ByArgument,
    accept_option,
    print_advice,
    read_config,
)
from livecore_server.cli.directory import chosen_game, operator
from livecore_server.cli.options import game_option, setting_option
from livecore_server.cli.scopes import run_unit
from livecore_server.storage.database import Database, store_at
from livecore_server.system import draw_seed, now_millis


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


def _print_pending(run: RunUnit, game: Game, wanted: GameConfig, *, refund: bool) -> int:
    """Print what prevents the change; gives the status with which the change would end."""
    reasons = objections_to(run, game, wanted)
    for reason in reasons:
        click.echo(f"prevents the change: {reason}")
    number = pending_paid_gifts(run, game) if changes_hands(game, wanted) else 0
    if number:
        would = "would be given back first" if refund else "prevent another economyMode"
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
