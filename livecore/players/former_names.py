"""Former names: the names and pictures that a player had chosen before the present ones.

The service itself needs none of them. They are kept so that an export can show a person every name that is stored about
them, and so a studio can see under which name somebody was reported. There are few: the last `MOST_KEPT` of each player, and
none longer than the deployment keeps its audit trail, which may hold the same names. An erasure deletes them. The
anonymised identity, which says nothing about a person, never becomes a former name.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player, by_id

MOST_KEPT: Final = 50
"""How many former names of a player are kept: the last ones."""


@record
class FormerName:
    """A name and a picture that a player had chosen, until another one was stored or the player was merged."""

    name_id: str
    player_id: PlayerId
    name: str
    avatar: str | None
    until: Millis


FORMER_NAMES = Table(
    "former_names",
    FormerName,
    key=("name_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="formerNames",
)
NAMES_OF_PLAYER = FORMER_NAMES.index("of_player", prefix=("player_id",), order=("until",))
_BY_TIME = FORMER_NAMES.index("by_time", order=("until",))


def note_former_name(unit: Unit, before: Player, after: Player) -> None:
    """Keep the name and the picture that a player had chosen, if the player has others now."""
    if before.name is None or (before.name, before.avatar) == (after.name, after.avatar):
        return
    _keep(unit, after.player_id, before)
    _shorten(unit, after.player_id)


def _keep(unit: Unit, player_id: PlayerId, before: Player) -> None:
    row = FormerName(
        name_id=unit.new_id("fnm"),
        player_id=player_id,
        name=before.name or "",
        avatar=before.avatar,
        until=unit.now,
    )
    unit.tx.insert(FORMER_NAMES, row)


def _shorten(unit: Unit, player_id: PlayerId) -> None:
    over = unit.tx.count(NAMES_OF_PLAYER, player_id) - MOST_KEPT
    for row in unit.tx.scan(NAMES_OF_PLAYER, player_id, limit=over) if over > 0 else ():
        unit.tx.delete(FORMER_NAMES, row.name_id)


def unite_names(unit: Unit, merging: Merging) -> None:
    """Give the target the source's former names, and the name that the source had until now."""
    for row in unit.tx.scan(NAMES_OF_PLAYER, merging.source_id):
        unit.tx.put(FORMER_NAMES, evolve(row, player_id=merging.target_id))
    source = by_id(unit, merging.source_id)
    if source.name is not None:
        _keep(unit, merging.target_id, source)
    _shorten(unit, merging.target_id)


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.audit
    rows = [] if kept_for is None else unit.tx.scan(_BY_TIME, stop=(unit.now - kept_for,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(FORMER_NAMES, row.name_id)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("players.former_names", _sweep, recurs=next_midnight)
"""Deletes each day the former names that are older than what the deployment keeps of the audit trail."""
