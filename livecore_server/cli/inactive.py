"""`livecore players inactive`: who has not been there for long, for the studio's own rule on how long to keep players."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import click

from livecore.kernel.storage.tables import Key
from livecore.kernel.time import DAY, Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import RECENTLY_SEEN, Player
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.scopes import GameScopes, environment_option
from livecore_server.storage.snapshot import snapshot_store
from livecore_server.system import now_millis

_PAGE: Final = 500
"""How many players are read at once."""


@click.command()
@setting_option("database")
@game_option
@environment_option(required=True)
@click.option(
    "--days", type=click.IntRange(1, 36_500), required=True, metavar="N", help="For how many days they were not there."
)
@json_option
def inactive(database: str, game_id: str | None, environment: str, days: int, *, as_json: bool) -> None:
    """List the players who were not active in the last N days, with their last activity, the longest inactive first.

    Nothing is changed. A line is the time, a space, and the external id. Servers may run meanwhile; what a player does is
    in the database after --flush-seconds.
    """
    with snapshot_store(database) as store:
        found = _found(GameScopes.find(store, game_id, environment), now_millis() - days * DAY)
        if as_json:
            _print_json(found)
            return
        for player in found:
            click.echo(f"{Timestamp(player.last_seen_at).wire} {player.external_id}")


def _found(scopes: GameScopes, before: Millis) -> Iterator[Player]:
    """The players last active before a moment, page by page. Who was merged or erased is nobody any more."""
    (scope,) = scopes.scopes
    after: Key | None = None
    while True:

        def page(unit: Unit, after: Key | None = after) -> list[Player]:
            return unit.tx.scan(RECENTLY_SEEN, after=after, stop=(before,), limit=_PAGE)

        players = scopes.read(scope, page)
        yield from (player for player in players if not player.gone)
        if len(players) < _PAGE:
            return
        after = RECENTLY_SEEN.position_of(players[-1])


def _print_json(found: Iterator[Player]) -> None:
    """One object, written as it is read: there may be very many."""
    click.echo('{"players": [', nl=False)
    separator = ""
    for player in found:
        last = Timestamp(player.last_seen_at).wire
        row = json.dumps({"externalPlayerId": player.external_id, "lastActiveAt": last})
        click.echo(f"{separator}{row}", nl=False)
        separator = ", "
    click.echo("]}")
