"""What players and the studio know of each other outside the game: friend codes that were told, guilds, rosters."""

from __future__ import annotations

import attrs

from livecore.simulation.draws import Draws

_ACQUAINTANCES = 8


@attrs.define(eq=False)
class Community:
    """Shared by all virtual players of a run."""

    draws: Draws
    order: dict[str, int] = attrs.field(factory=dict)
    """Every virtual player, registered or not, by place."""
    names: tuple[str, ...] = ()
    codes: dict[str, str] = attrs.field(factory=dict)
    """Friend codes that players have told."""
    shown: dict[str, str] = attrs.field(factory=dict)
    """Names that players have given themselves."""
    guild_of: dict[str, str] = attrs.field(factory=dict)
    """The guild of each player who has one, as the studio's backend is told by webhooks."""
    seated: dict[str, dict[str, str]] = attrs.field(factory=dict)
    """By window of an event whose teams the backend forms: each player's team."""

    def acquaintances(self, name: str) -> list[str]:
        """Players whom a player knows from elsewhere: some of those before it, so that more players change nobody's."""
        place = self.order[name]
        if place == 0:
            return []
        entropy = self.draws.next(name, "acquaintances")
        count = 1 + entropy.below(_ACQUAINTANCES)
        # Of few neighbours and some anywhere, friendships are dense in places and connected over all.
        known = [
            place - 1 - entropy.below(min(place, 30)) if entropy.below(3) else entropy.below(place)
            for _ in range(count)
        ]
        return list(dict.fromkeys(self.names[one] for one in known))
