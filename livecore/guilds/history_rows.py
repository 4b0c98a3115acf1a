"""The history of a player in guilds, as the player's export shows it."""

from __future__ import annotations

from typing import ClassVar

from livecore.guilds.rows import LeftReason, Role
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape


@shape
class GuildHistoryRow:
    """One time that a player was in a guild, with all that is stored of it.

    `role` is the present role, or the last one. While the time lasts, `roleSince` is when the player got it, and
    `replacedAt` when the player was last replaced as a leader because they had been away. `foundedAt` is when the player
    founded this guild; only the last time that a player founded one is known.
    """

    stint_id: str
    guild_id: str
    role: Role
    joined_at: Timestamp
    left_at: Timestamp | None
    left_reason: LeftReason | None
    role_since: Timestamp | None
    replaced_at: Timestamp | None
    founded_at: Timestamp | None

    example: ClassVar = {"left_at": None, "left_reason": None, "replaced_at": None}
