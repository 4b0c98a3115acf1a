"""`livecore replay`: play a recorded season again, under the same configuration or under another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from livecore.journal.reading import Journal, JournalFault, read_journal
from livecore.journal.reproducing import reproduce
from livecore.version import VERSION
from livecore_server.cli.progress import progress
from livecore_server.operations.journals import open_journal, size_of

_OUTPUT: Final = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command()
@click.argument("journal", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--json", "json_file", type=_OUTPUT, metavar="FILE", help="Write what came out as JSON; - is standard output."
)
def replay(*, journal: Path, json_file: Path | None) -> int:
    """Play the journal in FILE again, which livecore simulate --record has written.

    Ends with status 0 if every answer is as recorded, with 1 at the first difference, and with 2 for a wrong call.
    """
    try:
        with progress("Playing", size_of(journal)) as advance, open_journal(journal, advance) as lines:
            found = read_journal(lines)
            outcome = reproduce(found)
    except JournalFault as fault:
        raise click.UsageError(f"{journal}: {fault}") from None
    difference = outcome.difference
    said = f"{outcome.commands} commands, every answer as recorded"
    shown = [said] if difference is None else ["The first difference:", *difference.lines()]
    _write({"commands": outcome.commands, "difference": None if difference is None else difference.json()}, json_file)
    if json_file != Path("-"):
        click.echo("\n".join([*shown, *_versions(found)]))
    return int(difference is not None)


def _versions(journal: Journal) -> list[str]:
    recorded = journal.header.version
    return [] if recorded == VERSION else [f"Recorded by livecore {recorded}, played by livecore {VERSION}."]


def _write(value: object, path: Path | None) -> None:
    if path is not None:
        with click.open_file(str(path), "w", encoding="utf-8") as file:
            file.write(json.dumps(value, indent=2) + "\n")
