"""How soon a player may found another guild.

Whoever founds guilds one after another and leaves each leaves a row, a name and texts behind every time. A game says how
many seconds must lie between two of them (`guilds.createCooldownSeconds`). When a player last founded a guild is a row of
its own, because the history of a player may have gone elsewhere since.
"""

from __future__ import annotations

from typing import Final

from livecore.guilds.config import guilds_config
from livecore.guilds.refusals import GuildCooldown
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import SECOND, Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player


@record
class Founding:
    """When a player last founded a guild."""

    player_id: PlayerId
    founded_at: Millis


FOUNDINGS: Final = Table(
    "guild_foundings",
    Founding,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="guildHistory",
)


def check_cooldown(unit: Unit, player: Player) -> None:
    """Raises `GuildCooldown` for a player who has founded a guild lately."""
    seconds = guilds_config(unit).guilds.create_cooldown_seconds
    last = unit.tx.get(FOUNDINGS, player.player_id)
    if not seconds or last is None:
        return
    until = last.founded_at + seconds * SECOND
    if unit.now < until:
        raise GuildCooldown(cooldown_until=Timestamp(until).wire)


def note_founding(unit: Unit, player: Player) -> None:
    """Keep that a player has founded a guild."""
    unit.tx.put(FOUNDINGS, Founding(player_id=player.player_id, founded_at=unit.now))


def unite_foundings(unit: Unit, merging: Merging) -> None:
    """Keep the later one of both, so that a merge lets nobody found sooner."""
    source = unit.tx.get(FOUNDINGS, merging.source_id)
    target = unit.tx.get(FOUNDINGS, merging.target_id)
    if source is None:
        return
    unit.tx.delete(FOUNDINGS, merging.source_id)
    at = source.founded_at if target is None else max(source.founded_at, target.founded_at)
    unit.tx.put(FOUNDINGS, Founding(player_id=merging.target_id, founded_at=at))
