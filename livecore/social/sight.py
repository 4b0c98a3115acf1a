"""What the caller of a request is shown of other players: presence, status, last activity and country.

Three have a say, and the narrowest one counts: the game says what strangers are shown (`privacy.strangers`), a player says
who sees the presence (`presence_to`), and what nobody has said is shown. A stranger is whoever is no friend: members of one
guild are strangers, and so is everybody to a client that proves to be no player, as with leaderboards. Players see
everything of themselves, and the studio sees everything of all: its backend, its members, and the service itself.

    presence_to     friends see    strangers see
    everybody       all            what `privacy.strangers` says
    friends         all            nothing
    nobody          nothing        nothing

A status is shown with the presence only, because it says that somebody is there. For the same reason sessions and login
streaks are not read along of somebody whose presence is hidden (`sees_presence`). The country depends on the game alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from livecore.kernel.reads import Get
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit
from livecore.players.config import players_config
from livecore.players.identity import shown_avatar, shown_name
from livecore.players.player import PLAYERS, Player
from livecore.players.privacy import presence_to
from livecore.players.rows import Identity, Presence
from livecore.players.seen import presence_of
from livecore.social.relations import RELATIONS, pair

__all__ = [
    "country_shown",
    "friendships_ahead",
    "hides_countries",
    "identity_shown",
    "presence_shown",
    "sees_presence",
    "shown_ahead",
    "strangers_see_presence",
]

_CLIENTS: Final = frozenset({"nobody", "client_key", "player"})
"""The kinds of principal that are no part of the studio."""
_NO_PRESENCE: Final = Presence(online=False, last_active_at=None, status=None)


# -- who looks ------------------------------------------------------------------------------------------------------------


def _viewer(unit: Unit) -> str | None:
    """The id of the player who asks, nothing (`""`) for a client that proves to be none; `None` is the studio."""
    if unit.principal.kind not in _CLIENTS:
        return None
    return unit.actor.ref if unit.actor.kind == "player" else ""


def _sees_all(unit: Unit, player: Player) -> bool:
    return _viewer(unit) in (None, player.player_id)


def _is_friend(unit: Unit, player: Player, known: bool | None) -> bool:  # noqa: FBT001 - what the caller knows
    if known is not None:
        return known
    viewer = _viewer(unit)
    relation = unit.tx.get(RELATIONS, *pair(viewer, player.player_id)) if viewer else None
    return relation is not None and relation.friendship == "friends"


# -- what is shown --------------------------------------------------------------------------------------------------------


def strangers_see_presence(unit: Unit, player: Player) -> bool:
    """Whether strangers are shown that the player is there."""
    return presence_to(unit, player) == "everybody" and players_config(unit).privacy_of_players.to_strangers.presence


def sees_presence(unit: Unit, player: Player, *, friend: bool | None = None) -> bool:
    """Whether the caller is shown a player's presence; `friend` says whether the two are friends, if that is known."""
    if _sees_all(unit, player) or strangers_see_presence(unit, player):
        return True
    return presence_to(unit, player) != "nobody" and _is_friend(unit, player, friend)


def presence_shown(unit: Unit, player: Player, *, friend: bool | None = None) -> Presence:
    """A player's presence as of now, as far as the caller is shown it; `friend` as in `sees_presence`."""
    if not sees_presence(unit, player, friend=friend):
        return _NO_PRESENCE
    presence = presence_of(unit, player)
    if presence.status is None or _sees_all(unit, player):
        return presence
    shown = players_config(unit).privacy_of_players.to_strangers.status or _is_friend(unit, player, friend)
    if shown:
        return presence
    return Presence(online=presence.online, last_active_at=presence.last_active_at, status=None)


def hides_countries(unit: Unit) -> bool:
    """Whether the caller is not shown the countries of strangers."""
    return _viewer(unit) is not None and not players_config(unit).privacy_of_players.to_strangers.country


def country_shown(unit: Unit, player: Player, *, friend: bool | None = None) -> str | None:
    """A player's country, if the caller is shown it; `friend` as in `sees_presence`."""
    hidden = hides_countries(unit) and not _sees_all(unit, player) and not _is_friend(unit, player, friend)
    return None if hidden else player.country


def identity_shown(unit: Unit, player: Player, *, friend: bool | None = None) -> Identity:
    """A player's display identity, as far as the caller is shown it; `friend` as in `sees_presence`."""
    country = country_shown(unit, player, friend=friend)
    return Identity(name=shown_name(player), avatar=shown_avatar(player), country=country)


# -- reads ----------------------------------------------------------------------------------------------------------------


def shown_ahead(unit: Unit, player_ids: Iterable[str]) -> Iterator[Wanted]:
    """The reads for showing these players and their countries, to announce them."""
    viewer, by_friendship = _viewer(unit), hides_countries(unit)
    for player_id in player_ids:
        yield Get(PLAYERS, (player_id,))
        if by_friendship and viewer and viewer != player_id:
            yield Get(RELATIONS, pair(viewer, player_id))


def friendships_ahead(unit: Unit, players: Iterable[Player]) -> Iterator[Wanted]:
    """The reads for showing the presence of these players as well, to announce them."""
    viewer = _viewer(unit)
    for player in players:
        decides = presence_to(unit, player) != "nobody" and not strangers_see_presence(unit, player)
        if decides and viewer and viewer != player.player_id:
            yield Get(RELATIONS, pair(viewer, player.player_id))
