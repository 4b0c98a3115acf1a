"""`livecore check`: checks the invariants of a database."""

from __future__ import annotations

from collections.abc import Iterator

import click

from livecore.kernel.scope import Scope
from livecore.kernel.storage.examination import Finding
from livecore_server.cli.directory import chosen_game
from livecore_server.cli.options import json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.progress import progress
from livecore_server.cli.scopes import ENVIRONMENTS
from livecore_server.operations.check import Checked, Report, check, rows_to_look_at
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import snapshot_store


@click.command("check")
@setting_option("database")
@click.option("--game", "game_id", metavar="ID", help="Look at this game alone, and not at the directory.")
@json_option
def check_command(database: str, game_id: str | None, *, as_json: bool) -> int:
    """Look for what must not be in a database: ends with status 0 when it is sound and 1 when it is not."""
    with snapshot_store(database) as store:
        scopes = _scopes(store, game_id)
        with progress("Checking", rows_to_look_at(store, scopes)) as advance:
            report = check(store, scopes, advance)
    show(_as_json(report), _lines(report), as_json=as_json)
    return 1 if report.found else 0


def _scopes(store: Database, game_id: str | None) -> list[Scope]:
    if game_id is None:
        return store.scopes()
    game = chosen_game(store, game_id)
    return [Scope(game.game_id, environment) for environment in ENVIRONMENTS]


def _lines(report: Report) -> Iterator[str]:
    for problem in report.damage:
        yield f"file: {problem}"
    for scope, finding in report.findings:
        yield f"{scope.id} {finding.table} {_key_text(finding)}: {finding.problem}"
    unlisted = report.found - len(report.findings) - len(report.damage)
    if unlisted:
        yield f"... and {unlisted} more"
    if report.of_earlier_version:
        yield from _about_version(report)
    for checked in report.scopes:
        yield _summary(checked)
    yield "The database is sound." if not report.found else f"{report.found} found wrong."


def _about_version(report: Report) -> Iterator[str]:
    yield "The database is of an earlier version, which is no fault."
    if report.migrated:
        yield "This command has brought its tables up to date, as every command does that opens it."
    for checked in report.scopes:
        if checked.to_schedule:
            yield f"The next start of a server will schedule in {checked.scope.id}: {', '.join(checked.to_schedule)}"


def _key_text(finding: Finding) -> str:
    return "/".join(str(part) for part in finding.key if part != "")


def _summary(checked: Checked) -> str:
    held = "{held} held in {holdings} holdings, {posted} posted by {entries} entries".format_map(checked.tally)
    return f"{checked.scope.id}: {checked.rows} rows, {held}, {checked.found} found wrong"


def _as_json(report: Report) -> dict[str, object]:
    return {
        "sound": not report.found,
        "found": report.found,
        "damage": report.damage,
        "ofEarlierVersion": report.of_earlier_version,
        "migrated": report.migrated,
        "findings": [
            {"scope": scope.id, "table": finding.table, "key": list(finding.key), "problem": finding.problem}
            for scope, finding in report.findings
        ],
        "scopes": [
            {
                "scope": checked.scope.id,
                "rows": checked.rows,
                "found": checked.found,
                "toSchedule": checked.to_schedule,
                "holdings": checked.tally["holdings"],
                "held": checked.tally["held"],
                "entries": checked.tally["entries"],
                "posted": checked.tally["posted"],
            }
            for checked in report.scopes
        ],
    }
