"""`livecore advise`: advice on a configuration, without a database, for the checks of a game's repository."""

from __future__ import annotations

from pathlib import Path

import click

from livecore_server.cli.configurations import (
    CONFIG_FILE,
    ByArgument,
    accept_option,
    advice_beside,
    advice_lines,
    read_config,
)
from livecore_server.cli.output import show


@click.command(cls=ByArgument)
@click.argument("config", metavar="FILE", type=CONFIG_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print a list of {path, message}.")
@accept_option
def advise(config: Path, *, as_json: bool, accepted: tuple[str, ...]) -> int:
    """Print what is allowed in the configuration FILE and probably not meant; ends with status 1 where there is any.

    It needs no database. A file that `livecore apply` would refuse is refused here with the same faults.
    """
    parsed = read_config(config)
    found = advice_beside(parsed, accepted)
    show([{"path": path, "message": message} for path, message in found], advice_lines(found), as_json=as_json)
    return int(bool(found))
