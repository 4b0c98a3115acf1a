"""`livecore copy`: copies a database into an empty one of either kind."""

from __future__ import annotations

import click

from livecore_server.cli.options import json_option
from livecore_server.cli.output import show
from livecore_server.cli.progress import progress_of
from livecore_server.operations.copy import Copied, VerificationFailed, copy, rehearse
from livecore_server.storage.database import DatabaseProblem, refuse_open_file
from livecore_server.storage.snapshot import snapshot_store


@click.command("copy")
@click.option(
    "--from",
    "source_url",
    metavar="URL",
    required=True,
    help="The database to copy; no server may be using it, except for a rehearsal.",
)
@click.option("--to", "target_url", metavar="URL", required=True, help="An empty database, or an unfinished copy.")
@click.option(
    "--rehearsal",
    "rehearsing",
    is_flag=True,
    help="Copy the state of this moment, also while servers run, to find out how long the move will take.",
)
@json_option
def copy_command(source_url: str, target_url: str, *, rehearsing: bool, as_json: bool) -> None:
    """Copy a database into another one and compare every row; run it again to go on after an interruption."""
    if not rehearsing:
        # Before any file is made or migrated.
        refuse_open_file(source_url)
    with (
        snapshot_store(source_url) as source,
        snapshot_store(target_url, create=True) as target,
        progress_of("Copying") as steps,
    ):
        try:
            copied = (rehearse if rehearsing else copy)(source, target, expect=steps.expect, advance=steps.advance)
        except VerificationFailed as fault:
            raise DatabaseProblem(str(fault)) from fault
    lines = copied_lines(copied)
    if rehearsing:
        lines.append("This was a rehearsal and not the move: the copy has nothing that was written after it began.")
    show({"scopes": [_as_json(scope) for scope in copied], "rehearsal": rehearsing}, lines, as_json=as_json)


def copied_lines(copied: list[Copied]) -> list[str]:
    """A line for each scope, and one for all."""
    return [
        *(
            f"{scope.scope.id}: {scope.rows} rows, {scope.held} held in holdings, {scope.posted} posted by entries"
            for scope in copied
        ),
        f"{sum(scope.rows for scope in copied)} rows are copied, and every one of them was compared.",
    ]


def _as_json(copied: Copied) -> dict[str, object]:
    return {"scope": copied.scope.id, "rows": copied.rows, "held": copied.held, "posted": copied.posted}
