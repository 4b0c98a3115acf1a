"""`livecore migrate-in`: move players, balances or items in from a file, or find out what would happen if one did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import attrs
import click

from livecore.access.directory import Game
from livecore.api.configuration.game_config import config_of
from livecore.kernel.scope import Scope
from livecore.kernel.units.unit import Unit
from livecore.player_tools.migration_rows import MigrationOutcome
from livecore.players.config import MOVED_IN
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.progress import progress
from livecore_server.cli.scopes import GameScopes, noted
from livecore_server.operations.migrate_in import (
    KINDS,
    FileProblem,
    Kind,
    Progress,
    Rehearsed,
    Tally,
    held,
    move_in,
    read_lines,
    rehearse,
    unused_failures,
)
from livecore_server.storage.snapshot import snapshot_store


@click.command("migrate-in")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@setting_option("database")
@game_option
@click.option("--environment", type=click.Choice(["test", "live"]), required=True, help="Where the rows go.")
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What the rows are about.")
@click.option(
    "--key-prefix",
    metavar="TEXT",
    help="Give rows without an idempotency key one of TEXT and their place among the rows.",
)
@click.option("--emit-webhooks", is_flag=True, help="Tell webhook endpoints of what moves in.")
@click.option(
    "--failures",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A new file for the rows that fail; by default FILE.failures.jsonl, or the next number that is free.",
)
@click.option("--restart", is_flag=True, help="Forget how far an unfinished run has come.")
@click.option("--rehearse", "rehearsing", is_flag=True, help="Change nothing: apply the file to a copy in memory.")
@json_option
def migrate_in(
    file: Path,
    database: str,
    game_id: str | None,
    environment: str,
    kind: str,
    key_prefix: str | None,
    *,
    failures: Path | None,
    emit_webhooks: bool,
    restart: bool,
    rehearsing: bool,
    as_json: bool,
) -> int:
    """Move players, balances or items in; the first to register an id gets the player, unless knownPlayers is backend.

    That is registration.knownPlayers of the game's configuration. FILE is JSON Lines or CSV, and the rules are those of the
    migration routes. A server may be running. Run the same command again to go on after an interruption. Rows that fail are
    written down with the reason, and the others apply; the exit status is 1 then.
    """
    _check_failures(file, failures)
    with held(file), snapshot_store(database) as store, progress("Moving in", file.stat().st_size) as move:
        scopes = GameScopes.find(store, game_id, environment)
        (scope,) = scopes.scopes
        at, warning = _BarPosition(move), _warning(scopes.game, environment)
        warning()
        if rehearsing:
            failed = failures or unused_failures(file)
            done = rehearse(
                store, scopes.game, scope, read_lines(file), cast(Kind, kind), failed, key_prefix=key_prefix,
                reached=at.reached,
            )  # fmt: skip
            warning()
            return _show_rehearsed(done, failed, as_json=as_json)
        target = f"{scopes.game.game_id}/{environment}"
        note = Progress.of(file, failures, target, cast(Kind, kind), restart=restart)
        tally = move_in(
            read_lines(file), cast(Kind, kind), _applying(scopes, scope, kind), note, key_prefix=key_prefix,
            emit_webhooks=emit_webhooks, reached=at.reached,
        )  # fmt: skip
        warning()
    return _show(tally, note.failures, as_json=as_json)


def _warning(game: Game, environment: str) -> Callable[[], None]:
    """Says who may become the players, on standard error, where strangers may: before the rows and after them."""
    known_players = config_of(game).known_players
    if environment != "live" or known_players == "backend":
        return lambda: None
    text = f"livecore: {MOVED_IN} It is `{known_players}`; docs/how-to/move-players-in.md shows what `backend` takes."
    return partial(click.echo, text, err=True)


def _check_failures(file: Path, failures: Path | None) -> None:
    """Raises `FileProblem` where the rows that fail would go into the file that they come from."""
    if failures is not None and failures.exists() and failures.samefile(file):
        raise FileProblem(f"{file.name}: the rows that fail need a file of their own")


@attrs.define
class _BarPosition:
    """Moves a bar from one position to the next."""

    _move: Callable[[int], None]
    _at: int = 0

    def reached(self, position: int) -> None:
        self._move(position - self._at)
        self._at = position


def _applying(
    scopes: GameScopes, scope: Scope, kind: str
) -> Callable[[Callable[[Unit], MigrationOutcome]], MigrationOutcome]:
    def apply(work: Callable[[Unit], MigrationOutcome]) -> MigrationOutcome:
        def unit_of_work(unit: Unit) -> MigrationOutcome:
            outcome = work(unit)
            noted(unit, f"migrate.{kind}", applied=str(outcome.applied), failed=str(outcome.failed))
            return outcome

        return scopes.write(scope, unit_of_work)

    return apply


def _show(tally: Tally, failures: Path, *, as_json: bool) -> int:
    show(_as_json(tally), _lines(tally, failures, "were"), as_json=as_json)
    return int(tally.failed > 0)


def _show_rehearsed(done: Rehearsed, failures: Path, *, as_json: bool) -> int:
    lines = (
        *_lines(done.tally, failures, "would be"),
        f"{done.new_players} players would be new.",
        *(f"  {asset}: {amount:+}" for asset, amount in done.added.items()),
    )
    shown = {**_as_json(done.tally), "newPlayers": done.new_players, "added": done.added}
    show(shown, lines, as_json=as_json)
    return int(done.tally.failed > 0)


def _as_json(tally: Tally) -> dict[str, object]:
    fields = attrs.asdict(tally)
    return {**fields, "codes": dict(sorted(tally.codes.items()))}


def _lines(tally: Tally, failures: Path, verb: str) -> Iterator[str]:
    yield (
        f"Of {tally.received} rows {tally.applied} {verb} applied, {tally.replayed} had been before, "
        f"{tally.failed} failed."
    )
    for code, count in sorted(tally.codes.items()):
        yield f"  {code}: {count}"
    if tally.failed:
        yield f"The rows that failed are in {failures}."
