"""`livecore backup` and `livecore restore`: copies of the database file, taken while it is in use and put back when not."""

from __future__ import annotations

from pathlib import Path

import click

from livecore_server import sqlite
from livecore_server.cli.options import setting_option
from livecore_server.database import DatabaseProblem, explained, sqlite_path
from livecore_server.sqlite import upkeep

__all__ = ["backup", "restore"]


@click.command()
@setting_option("database")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(database: str, file: Path) -> None:
    """Copy the database into a new FILE, also while a server uses it."""
    path = sqlite_path(database)
    if not path.exists():
        raise DatabaseProblem(f"there is no database {path}")
    with explained(path):
        upkeep.backup(path, file)
    click.echo(f"{path} is saved in {file}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@setting_option("database")
@click.option("--overwrite", is_flag=True, help="Replace a database that is there already; no server may be using it.")
def restore(file: Path, database: str, *, overwrite: bool) -> None:
    """Put the backup FILE in the place of the database."""
    path = sqlite_path(database)
    with explained(path):
        sqlite.restore(file, path, overwrite=overwrite)
    click.echo(f"{path} is restored from {file}")
