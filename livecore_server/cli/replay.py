"""`livecore replay`: play a recorded season again, under the same configuration or under another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from livecore.api.configuration.game_config import GameConfig
from livecore.journal.comparing import compare
from livecore.journal.lines import Header
from livecore.journal.reading import Journal, JournalFault, read_journal
from livecore.journal.report import json_of, lines_of
from livecore.journal.reproducing import reproduce
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.version import VERSION
from livecore_server.cli.configurations import CONFIG_FILE, read_config
from livecore_server.cli.progress import progress
from livecore_server.operations.journals import open_journal, size_of

_OUTPUT: Final = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command()
@click.argument("journal", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--config",
    type=CONFIG_FILE,
    metavar="OTHER",
    help="Play the same commands under this configuration too, and say what differs.",
)
@click.option(
    "--json", "json_file", type=_OUTPUT, metavar="FILE", help="Write what came out as JSON; - is standard output."
)
def replay(*, journal: Path, config: Path | None, json_file: Path | None) -> int:
    """Play the journal in FILE again, which livecore simulate --record has written.

    Ends with status 0 if every answer is as recorded, with 1 at the first difference, and with 2 for a wrong call. With
    --config it says who has more or less at the end and which calls end otherwise, and ends with status 0.
    """
    try:
        other = None if config is None else read_config(config)
        with progress("Playing", size_of(journal)) as advance, open_journal(journal, advance) as lines:
            found = read_journal(lines)
            status, shown, value = _reproduced(found) if other is None else _compared(found, other)
    except ValidationFailed as fault:
        raise click.UsageError("; ".join(f"{path}: {text}" for path, text in fault.fields.items())) from None
    except JournalFault as fault:
        raise click.UsageError(f"{journal}: {fault}") from None
    if json_file is not None:
        with click.open_file(str(json_file), "w", encoding="utf-8") as file:
            file.write(json.dumps(value, indent=2) + "\n")
    if json_file != Path("-"):
        click.echo("\n".join([*shown, *_versions(found.header)]))
    return status


def _reproduced(journal: Journal) -> tuple[int, list[str], JsonObject]:
    """The status, what people read, and what scripts read."""
    outcome = reproduce(journal)
    difference = outcome.difference
    if difference is None:
        said = f"{outcome.commands} commands, every answer as recorded"
        return 0, [said], {"commands": outcome.commands, "difference": None}
    shown = ["The first difference:", *difference.lines()]
    return 1, shown, {"commands": outcome.commands, "difference": difference.json()}


def _compared(journal: Journal, config: GameConfig) -> tuple[int, list[str], JsonObject]:
    outcome = compare(journal, config)
    return 0, lines_of(outcome), json_of(outcome, journal.header)


def _versions(header: Header) -> list[str]:
    if header.version == VERSION:
        return []
    return [f"Recorded by livecore {header.version}, played by livecore {VERSION}."]
