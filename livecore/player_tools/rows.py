"""Player tools on the wire: what the studio's backend asks about a player as a whole, and what it is shown."""

from __future__ import annotations

from livecore.economy.rows import GrantRow
from livecore.kernel.shapes import Limit, Timestamp, shape
from livecore.players.rows import Identity, LoginStreak, Platform

__all__ = ["BanRow", "GetPlayer", "PlayerDetails", "PlayerOverview", "PlayerSummary"]


@shape
class GetPlayer:
    """A player with what they did lately; `limit` caps each of the three lists."""

    limit: Limit = 50


@shape
class BanRow:
    """Why and since when a player is banned."""

    reason: str
    banned_at: Timestamp


@shape
class PlayerDetails:
    """A player as the studio's backend sees them; `lastContextSnapshot` is what their client last sent, `{}` if nothing."""

    id: str
    external_player_id: str
    first_seen_at: Timestamp
    last_seen_at: Timestamp
    last_context_snapshot: dict[str, object]
    display_identity: Identity
    anonymized_identity: Identity
    country: str | None
    platform: Platform | None
    app_version: str | None
    sessions: int
    login_streak: LoginStreak
    ban: BanRow | None
    debug: bool


@shape
class PlayerSummary:
    """How much there is of what the lists show the latest of."""

    attempt_count: int
    attempts_completed: int
    attempts_expired: int
    grants_pending: int
    grants_claimed: int
    lobbies_active: int


@shape
class PlayerOverview:
    """A player with recent attempts, grants and lobbies, newest first."""

    player: PlayerDetails
    attempts: tuple[dict[str, object], ...]
    grants: tuple[GrantRow, ...]
    lobbies: tuple[dict[str, object], ...]
    summary: PlayerSummary
