"""`livecore backup` and `livecore restore`: backups of a database, made while it is in use and restored while it is not.

A backup is one file, whatever it is of: that of a file is made by SQLite's own online copy, that of PostgreSQL by reading
every row in one transaction. Either can be put back into either.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from livecore_server.cli.copying import copied_lines
from livecore_server.cli.directory import operator
from livecore_server.cli.options import setting_option
from livecore_server.cli.progress import progress_of
from livecore_server.operations.copy import Applied, VerificationFailed, put_back, put_file_back, save
from livecore_server.storage.contents import require
from livecore_server.storage.database import DatabaseProblem, database_file, explained, is_postgres, sqlite_path
from livecore_server.storage.snapshot import snapshot_store
from livecore_server.storage.sqlite import file_copies
from livecore_server.storage.sqlite.contents import contents_of

if TYPE_CHECKING:
    from livecore_server.storage.postgres import PostgresStore


@click.command()
@setting_option("database")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(database: str, file: Path) -> None:
    """Copy the database into a new FILE, also while servers use it."""
    if is_postgres(database):
        with _rows_of(database, file) as store, progress_of("Saving") as steps:
            saved = save(store, file, expect=steps.expect, advance=steps.advance)
        click.echo("\n".join(copied_lines(saved)))
        click.echo(f"the database is saved in {file}")
        return
    path = database_file(database)
    with explained(path), progress_of("Saving") as steps:
        file_copies.backup(path, file, steps.reached)
    click.echo(f"{path} is saved in {file}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@setting_option("database")
@click.option("--overwrite", is_flag=True, help="Replace what is there already; no server may be using it.")
def restore(file: Path, database: str, *, overwrite: bool) -> None:
    """Put the backup FILE in the place of the database.

    Players who were erased in the database since the backup was made are erased again before it is replaced.
    """
    again = list[Applied]()
    if is_postgres(database):
        with _rows_of(database, file, create=True) as store, progress_of("Restoring") as steps:
            restored = put_back(
                file, store, overwrite=overwrite, expect=steps.expect, advance=steps.advance, actor=operator(),
                applied=again.append,
            )  # fmt: skip
        click.echo("\n".join(copied_lines(restored)))
        click.echo(f"the database is restored from {file}{_erased_again(again[0])}")
        return
    path = sqlite_path(database)
    with explained(path), progress_of("Restoring") as steps:
        _refuse_to_replace(path)
        done = put_file_back(file, path, overwrite=overwrite, actor=operator(), progress=steps.reached)
    click.echo(f"{path} is restored from {file}{_erased_again(done)}")


def _erased_again(applied: Applied) -> str:
    """Who was erased again, as the end of a sentence."""
    who = "1 player who was" if applied.erased == 1 else f"{applied.erased} players who were"
    again = f"{who} erased since {'is' if applied.erased == 1 else 'are'} erased again"
    if applied.missing is not None:
        known = f"{again}, and others are not known" if applied.erased else "no erasures were applied"
        return (
            f"; {known}, because {applied.missing}: give the ids of players who were erased since the backup to "
            "`livecore players erase` before a server starts"
        )
    return f"; {again}" if applied.erased else "; nobody in it was erased since"


def _refuse_to_replace(path: Path) -> None:
    """Refuse to replace another program's database; one that is too damaged to be recognised may be replaced."""
    with suppress(sqlite3.Error):
        require(contents_of(path), str(path), create=True, init="livecore init")


@contextmanager
def _rows_of(database: str, file: Path, *, create: bool = False) -> Iterator[PostgresStore]:
    """The open store of a URL that is PostgreSQL's; problems with it or with the file are reported in one sentence."""
    with snapshot_store(database, create=create) as store, explained(file):
        try:
            yield cast("PostgresStore", store)
        except VerificationFailed as fault:
            raise DatabaseProblem(str(fault)) from fault
