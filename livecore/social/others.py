"""The part of a list row about another player: identity, presence and the requested progression.

Friends, requests, blocks, gifts, search hits and suggestions are rows about other players. This module reads the data for
such rows and announces the reads, so that a long list waits no longer than a short one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from livecore.economy.wallet import progression_ahead, progression_of
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.reads import Get
from livecore.kernel.shapes import ABSENT, Absent
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.social.config import social_config
from livecore.social.rows import Counterparty
from livecore.social.sight import identity_shown, sees_presence

__all__ = ["check_progression", "counterparty", "others_ahead", "progression_row"]


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


def others_ahead(unit: Unit, others: Iterable[str], keys: tuple[str, ...] | Absent = ABSENT) -> Iterator[Wanted]:
    """The reads for rows about these other players."""
    for player_id in others:
        yield Get(PLAYERS, (player_id,))
        if keys is not ABSENT:
            yield from progression_ahead(unit, player_id, keys, own=False)


def counterparty(unit: Unit, player: Player, *, friend: bool | None = None) -> Counterparty:
    """The other player of a request or gift; `friend` as in `sees_presence`."""
    return Counterparty(
        external_player_id=player.external_id, display_identity=identity_shown(unit, player, friend=friend)
    )
