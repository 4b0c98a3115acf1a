"""Players whom other rows name: `livecore.players.player.by_id` for many that are read in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from livecore.kernel.reads import Get
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.players.refusals import PlayerNotFound

__all__ = ["existing", "named_players", "player_reads"]


def named_players(unit: Unit, player_ids: Iterable[str]) -> list[Player]:
    """The players with these ids, in their order; the ids are from other rows, so the players must exist."""
    return list(existing(unit.tx.read_all(player_reads(player_ids))))


def player_reads(player_ids: Iterable[str]) -> Iterator[Get[Player]]:
    """The reads of the players with these ids."""
    return (Get(PLAYERS, (player_id,)) for player_id in player_ids)


def existing(found: Iterable[Player | None]) -> Iterator[Player]:
    """What reads of players have found, who must exist. Raises `PlayerNotFound`."""
    for player in found:
        if player is None:
            raise PlayerNotFound
        yield player
