"""What a virtual player remembers of the answers to its calls; a client that knows a thing does not ask for it."""

from __future__ import annotations

import attrs

from livecore.events.rows import AttemptRow, EventRow
from livecore.kernel.time import Millis


@attrs.define(eq=False)
class Knowledge:
    """What one player remembers."""

    # -- others
    acquaintances: list[str] = attrs.field(factory=list)
    """Players known from elsewhere."""
    # -- wallet and inventory
    wallet: dict[str, int] = attrs.field(factory=dict)
    items: dict[str, int] = attrs.field(factory=dict)
    # -- friends
    friends: dict[str, Millis] = attrs.field(factory=dict)
    """Each friend, with when the next gift may be sent."""
    asked: dict[str, str] = attrs.field(factory=dict)
    """Players who were asked to be friends, with the request's id."""
    refused: set[str] = attrs.field(factory=set)
    """Players who need not be asked again."""
    blocked: dict[str, None] = attrs.field(factory=dict)
    code: str | None = None
    gifts_sent: int = 0
    """Today."""
    # -- events
    events: dict[str, EventRow] = attrs.field(factory=dict)
    events_until: Millis = 0
    """Until when what is known of the events' windows holds."""
    attempts: dict[str, AttemptRow] = attrs.field(factory=dict)
    """The newest attempt at each event."""
    teams: dict[str, str] = attrs.field(factory=dict)
    """By event: the window in which the player sits in a team."""
    paired: dict[str, set[str]] = attrs.field(factory=dict)
    """By window: players who have a partner already, and who need not be invited."""
    founded: dict[str, str] = attrs.field(factory=dict)
    """By event: the window in which the player has founded a team."""
    # -- guild
    guild_id: str | None = None
    role: str | None = None
    guild_read: bool = False
    help_after: Millis = 0
    """When the guild may be asked for help again."""
    helped: dict[str, None] = attrs.field(factory=dict)
    """Requests to which the player has donated."""

    def spent(self, key: str, amount: int) -> None:
        """Something was taken from the wallet."""
        self.wallet[key] = max(0, self.wallet.get(key, 0) - amount)

    def got(self, key: str, amount: int) -> None:
        """Something came into the wallet."""
        self.wallet[key] = self.wallet.get(key, 0) + amount

    def got_item(self, key: str, quantity: int) -> None:
        """Items came or went."""
        self.items[key] = max(0, self.items.get(key, 0) + quantity)
