"""`livecore init`: makes the first game of a database, or writes a configuration to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from livecore_server.cli.configurations import (
    CONFIG_FILE,
    ByOption,
    print_advice,
    read_config,
    write_example,
)
from livecore_server.cli.new_games import create_game, show_made
from livecore_server.cli.options import json_option, setting_option
from livecore_server.storage.database import store_at


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
