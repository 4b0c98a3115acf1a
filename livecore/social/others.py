"""The part of a list row about another player: identity, presence and the requested progression.

Friends, requests, blocks, gifts, search hits and suggestions are rows about other players. This module reads the data for
all rows of a list in one call, so that a long list waits no longer than a short one.
"""

from __future__ import annotations

from collections.abc import Iterable

from livecore.economy.ledger import Holding
from livecore.economy.wallet import progression_of, progression_reads
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players.player import PLAYERS, Player, present
from livecore.social.config import social_config
from livecore.social.rows import Counterparty
from livecore.social.sight import identity_shown, sees_presence, viewed_by_id


def check_progression(unit: Unit, keys: tuple[str, ...] | Absent) -> tuple[str, ...] | Absent:
    """The requested keys. Raises `ValidationFailed` for one that the game does not define."""
    if keys is not ABSENT:
        unknown = [key for key in keys if social_config(unit).economy_key(key) is None]
        if unknown:
            raise ValidationFailed({"progression": f"names {unknown[0]!r}, which is no economy key of this game"})
    return keys


def progression_row(
    unit: Unit, player: Player, keys: tuple[str, ...] | Absent, *, own: bool = False, friend: bool | None = None
) -> dict[str, int] | Absent:
    """The values of the requested keys, or `ABSENT` where no keys were requested; `friend` as in `sees_presence`."""
    if keys is ABSENT:
        return ABSENT
    return progression_of(unit, player, keys, own=own, activity=own or sees_presence(unit, player, friend=friend))


def counterparty(unit: Unit, player: Player, *, friend: bool | None = None) -> Counterparty:
    """The other player of a request or gift; `friend` as in `sees_presence`."""
    return Counterparty(
        external_player_id=player.external_id, display_identity=identity_shown(unit, player, friend=friend)
    )


# -- several at once ------------------------------------------------------------------------------------------------------


def counterparties(unit: Unit, player_ids: Iterable[str]) -> dict[str, Counterparty]:
    """The players with these ids as rows about them show them, each by its id."""
    viewed = viewed_by_id(unit, player_ids)
    return {player_id: counterparty(unit, player, friend=friend) for player_id, (player, friend) in viewed.items()}


def others_by_id(unit: Unit, player_ids: Iterable[str], keys: tuple[str, ...] | Absent) -> dict[str, Player]:
    """The players with these ids, each by its id; with what `progression_row` reads of them."""
    ids = list(dict.fromkeys(player_ids))
    rows, _ = unit.tx.read_lists((Get(PLAYERS, (player_id,)) for player_id in ids), _progressions(unit, ids, keys))
    return {player.player_id: player for player in map(present, rows)}


def bring_progression(unit: Unit, player_ids: Iterable[str], keys: tuple[str, ...] | Absent) -> None:
    """Read at once what `progression_row` reads of each of these players."""
    unit.tx.read_all(_progressions(unit, player_ids, keys))


def _progressions(unit: Unit, player_ids: Iterable[str], keys: tuple[str, ...] | Absent) -> list[Get[Holding]]:
    if keys is ABSENT:
        return []
    return [read for player_id in player_ids for read in progression_reads(unit, player_id, keys, own=False)]
