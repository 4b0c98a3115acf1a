"""The contexts that a player's client has stated: the first one and the last one.

The last one is what the support sees and what segments are made of. The first one says how a player came to the game. As
long as a player has stated only one, it is stored once.
"""

from __future__ import annotations

from livecore.kernel.storage.records import JsonText, evolve
from livecore.players.player import Player


def with_context(player: Player, context: JsonText | None) -> Player:
    """The player with another last context; without one the player stays as they are."""
    if context is None or context == player.context:
        return player
    return evolve(player, context=context, first_context=first_context_of(player))


def first_context_of(player: Player) -> JsonText | None:
    """The first context that is known; a player of an earlier release may have had others before."""
    return player.context if player.first_context is None else player.first_context


def united_first_context(source: Player, target: Player) -> JsonText | None:
    """The first context of a player who is made of two: that of who came first, if they stated any."""
    earlier, later = (source, target) if source.first_seen_at < target.first_seen_at else (target, source)
    known = first_context_of(earlier)
    return first_context_of(later) if known is None else known
