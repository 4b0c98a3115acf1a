"""What players decide about themselves: whether they are found, and who sees whether they are there.

A player's row holds choices only. Where a player has made none the game's settings hold, as they are at that moment, so a
studio that changes them reaches everybody who never chose. `livecore.social.sight` decides what a viewer is shown.
"""

from __future__ import annotations

from typing import Final, get_args

from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT
from livecore.players.config import Privacy, players_config
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.rows import PresenceTo, PrivacySet, PrivacySettings, SetPrivacy

_FROM_WIDE_TO_NARROW: Final[tuple[PresenceTo, ...]] = get_args(PresenceTo)


# -- rules ----------------------------------------------------------------------------------------------------------------


def _discoverable(game: Privacy, player: Player) -> bool:
    return game.discoverable if player.discoverable is None else player.discoverable


def _presence_to(game: Privacy, player: Player) -> PresenceTo:
    return player.presence_to or game.presence_to


def with_stricter(game: Privacy, source: Player, target: Player) -> Player:
    """The target of a merge, with each choice of the source that shows less than what holds for the target.

    So a merge shows nobody what the source had hidden from them. Where the source has made no choice, what holds for the
    target stands. Where the target has made none, a choice of the source that shows as much as the game does is taken as
    well: the game may show more later.
    """
    narrowness = _FROM_WIDE_TO_NARROW.index
    discoverable, to = target.discoverable, target.presence_to
    if source.discoverable is False:
        discoverable = False
    if source.presence_to is not None and narrowness(source.presence_to) >= narrowness(_presence_to(game, target)):
        to = source.presence_to
    return evolve(target, discoverable=discoverable, presence_to=to)


# -- reading --------------------------------------------------------------------------------------------------------------


def is_discoverable(unit: Unit, player: Player) -> bool:
    """Whether searches and suggestions show the player."""
    return _discoverable(players_config(unit).privacy_of_players, player)


def presence_to(unit: Unit, player: Player) -> PresenceTo:
    """Who sees the player's presence."""
    return _presence_to(players_config(unit).privacy_of_players, player)


def privacy_row(unit: Unit, player: Player) -> PrivacySettings:
    """What holds for a player."""
    return PrivacySettings(discoverable=is_discoverable(unit, player), presence_to=presence_to(unit, player))


# -- operations -----------------------------------------------------------------------------------------------------------


def set_privacy(unit: Unit, args: SetPrivacy) -> PrivacySet:
    """Choose what others see of oneself, or take a choice back."""
    before = acting(unit)
    after = evolve(
        before,
        discoverable=before.discoverable if args.discoverable is ABSENT else args.discoverable,
        presence_to=before.presence_to if args.presence_to is ABSENT else args.presence_to,
    )
    if after != before:
        unit.tx.put(PLAYERS, after)
    return PrivacySet(privacy=privacy_row(unit, after))
