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

from collections.abc import Iterable
from typing import Final, TypeAlias

from livecore.kernel.storage.reads import AnyRead, Get
from livecore.kernel.units.unit import Unit
from livecore.players.config import players_config
from livecore.players.identity import shown_avatar, shown_name
from livecore.players.player import Player, player_reads, present
from livecore.players.privacy import presence_to
from livecore.players.rows import Identity, Presence
from livecore.players.seen import presence_of
from livecore.social.relations import RELATIONS, Relation, other_id, pair

_CLIENTS: Final = frozenset({"nobody", "client_key", "player"})
"""The kinds of principal that are no part of the studio."""
Viewed: TypeAlias = "tuple[Player, bool | None]"
"""A player at whom the caller looks, and whether the two are friends, as `friend` says it in all functions here."""
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
    return presence_to(unit, player) == "everybody" and players_config(unit).to_strangers.presence


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
    shown = players_config(unit).to_strangers.status or _is_friend(unit, player, friend)
    if shown:
        return presence
    return Presence(online=presence.online, last_active_at=presence.last_active_at, status=None)


def hides_countries(unit: Unit) -> bool:
    """Whether the caller is not shown the countries of strangers."""
    return _viewer(unit) is not None and not players_config(unit).to_strangers.country


def country_shown(unit: Unit, player: Player, *, friend: bool | None = None) -> str | None:
    """A player's country, if the caller is shown it; `friend` as in `sees_presence`."""
    hidden = hides_countries(unit) and not _sees_all(unit, player) and not _is_friend(unit, player, friend)
    return None if hidden else player.country


def identity_shown(unit: Unit, player: Player, *, friend: bool | None = None) -> Identity:
    """A player's display identity, as far as the caller is shown it; `friend` as in `sees_presence`."""
    country = country_shown(unit, player, friend=friend)
    return Identity(name=shown_name(player), avatar=shown_avatar(player), country=country)


# -- several at once ------------------------------------------------------------------------------------------------------


def viewed_by_id(unit: Unit, player_ids: Iterable[str], *, presence: bool = False) -> dict[str, Viewed]:
    """The players with these ids, each by its id, with what decides how their identities are shown, read in one call.

    With `presence` also with what decides whether their presence is shown. That may take a second call, because players
    choose for themselves whether it depends on who is a friend.
    """
    ids = list(dict.fromkeys(player_ids))
    known = hides_countries(unit)
    rows, relations = unit.tx.read_lists(player_reads(ids), _relations(unit, ids) if known else ())
    players = [present(row) for row in rows]
    if known or not presence:
        friends = _friends(unit, relations)
    else:
        friends = friends_among(unit, (player.player_id for player in players if _depends_on_friendship(unit, player)))
    return {
        player.player_id: (player, player.player_id in friends if known or presence else None) for player in players
    }


def viewing_reads(unit: Unit, player_ids: Iterable[str]) -> list[AnyRead]:
    """What `viewed_by_id` reads of these players, to be read together with other things before."""
    ids = list(dict.fromkeys(player_ids))
    relations = _relations(unit, ids) if hides_countries(unit) else []
    return [*player_reads(ids), *relations]


def friends_among(unit: Unit, player_ids: Iterable[str]) -> frozenset[str]:
    """The ids of those of these players who are friends of the player who asks, read in one call; nobody has any else."""
    return _friends(unit, unit.tx.read_all(_relations(unit, player_ids)))


def _relations(unit: Unit, player_ids: Iterable[str]) -> list[Get[Relation]]:
    viewer = _viewer(unit)
    return [Get(RELATIONS, pair(viewer, one)) for one in player_ids if one != viewer] if viewer else []


def _friends(unit: Unit, relations: Iterable[Relation | None]) -> frozenset[str]:
    viewer = _viewer(unit) or ""
    return frozenset(other_id(row, viewer) for row in relations if row is not None and row.friendship == "friends")


def _depends_on_friendship(unit: Unit, player: Player) -> bool:
    """Whether friends are shown more of the player's presence than strangers are."""
    status = players_config(unit).to_strangers.status
    return presence_to(unit, player) != "nobody" and not (status and strangers_see_presence(unit, player))
