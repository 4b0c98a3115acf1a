"""`livecore players`: work on players that needs no server."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, Final

import attrs
import click

from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import decode
from livecore.kernel.wire.shapes import ExternalPlayerId
from livecore.player_tools.rows import Erased
from livecore_server.cli.directory import operator
from livecore_server.cli.groups import Group
from livecore_server.cli.inactive import inactive
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.progress import progress
from livecore_server.cli.scopes import GameScopes, environment_option
from livecore_server.operations.erasing import Reason, erase_player
from livecore_server.storage.database import Database, is_postgres, refuse_open_file
from livecore_server.storage.snapshot import snapshot_store
from livecore_server.system import draw_seed, now_millis

_MOST_LINE_BYTES: Final = 1_024


@click.group(cls=Group)
def players() -> None:
    """Players of a game: what a studio does to them without a server."""


players.add_command(inactive)


@players.command()
@setting_option("database")
@game_option
@environment_option(required=True)
@click.argument("file", type=click.File("rb"))
@click.option(
    "--reason", type=click.Choice(["gdpr_erasure", "studio_request", "test"]), default="studio_request",
    show_default=True, help="What the webhook player.deleted and the audit trail say.",
)  # fmt: skip
@json_option
def erase(
    database: str, game_id: str | None, environment: str, file: BinaryIO, *, reason: Reason, as_json: bool
) -> int:
    """Erase the players whose external ids are the lines of FILE (- reads standard input), each as the server does it.

    Ids that were erased before, or that never existed, change nothing, so the same file may be given again, also after an
    interruption. Ends with status 1 if an id is of a player who was merged: then the data is that of another player, who is
    named. On PostgreSQL servers may run, and they forget the players at once. A file must not be served meanwhile: there,
    stop the server, or send the requests to it.
    """
    external_ids = _external_ids(file)
    refuse_open_file(database)
    found = _Found()
    with snapshot_store(database) as store, progress("Erasing", len(external_ids)) as advance:
        scopes = GameScopes.find(store, game_id, environment)
        ephemeral = _ephemeral_of(store, database)
        for external_id in external_ids:
            found.note(external_id, _erase(scopes, ephemeral, external_id, reason))
            advance(1)
    show(found.as_json(), found.lines(), as_json=as_json)
    return int(bool(found.merged))


def _erase(scopes: GameScopes, ephemeral: Callable[[], EphemeralState], external_id: str, reason: Reason) -> Erased:
    (scope,) = scopes.scopes
    now, seed = now_millis(), draw_seed()

    def work(tx: Transaction) -> Erased:
        unit = system_unit(tx, scopes.game, now, seed, new_deployment(ephemeral=ephemeral()), actor=operator())
        return erase_player(unit, external_id, reason)

    return scopes.store.write(scope, work)


def _ephemeral_of(store: Database, url: str) -> Callable[[], EphemeralState]:
    """Makes the ephemeral state of a unit. Of PostgreSQL, whose servers may run, one that tells them what to forget."""
    if not is_postgres(url):
        return EphemeralState
    from livecore_server.storage.postgres import PostgresStore  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.shared.forgetting import ForgettingEphemeralState  # noqa: PLC0415 - an extra

    assert isinstance(store, PostgresStore)  # noqa: S101 - by its URL
    return partial(ForgettingEphemeralState, store)


# -- the ids --------------------------------------------------------------------------------------------------------------


@shape
class _Line:
    external_id: ExternalPlayerId


def _external_ids(file: BinaryIO) -> list[str]:
    """The ids, each once, in the order of the file. Raises `click.UsageError` for the first line that is none."""
    return list(dict.fromkeys(_lines(file)))


def _lines(file: BinaryIO) -> Iterator[str]:
    number = 0
    while raw := file.readline(_MOST_LINE_BYTES + 1):
        number += 1
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            text = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise _faulty(file, number, "is not UTF-8 text") from None
        if not text.strip():
            continue
        try:
            yield decode(_Line, {"externalId": text}).external_id
        except ValidationFailed as fault:
            raise _faulty(file, number, "; ".join(fault.fields.values())) from None


def _faulty(file: BinaryIO, number: int, problem: str) -> click.UsageError:
    return click.UsageError(f"nobody is erased: line {number} of {file.name} is no external id: {problem}")


# -- what is printed ------------------------------------------------------------------------------------------------------


@attrs.define
class _Found:
    """What became of the ids."""

    counts: Counter[str] = attrs.field(factory=Counter)
    merged: dict[str, str] = attrs.field(factory=dict)
    """By id the id of the player whose data it is."""
    never_existed: list[str] = attrs.field(factory=list)

    def note(self, external_id: str, answer: Erased) -> None:
        """Add an answer."""
        self.counts[answer.status] += 1
        if answer.status == "no_op_merged":
            self.merged[external_id] = str(answer.merged_into_external_id)
        elif answer.status == "no_op_never_existed":
            self.never_existed.append(external_id)

    def as_json(self) -> dict[str, Json]:
        """All of it."""
        merged: list[Json] = [
            {"externalPlayerId": left, "mergedIntoExternalId": into} for left, into in self.merged.items()
        ]
        return {
            "erased": self.counts["erased"],
            "alreadyErased": self.counts["no_op_already_erased"],
            "merged": merged,
            "neverExisted": list(self.never_existed),
        }

    def lines(self) -> Iterator[str]:
        """The same for people, the counts last."""
        for external_id in self.never_existed:
            yield f"{external_id}: never existed"
        for external_id, into in self.merged.items():
            yield f"{external_id}: not erased, because the player was merged and the data is that of {into}"
        yield (
            f"{self.counts['erased']} erased, {self.counts['no_op_already_erased']} erased before, "
            f"{len(self.never_existed)} never existed, {len(self.merged)} merged"
        )
