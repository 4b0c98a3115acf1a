"""Player tools on the wire: what the studio's backend asks about a player as a whole, and what it is shown."""

from __future__ import annotations

from typing import Literal

from livecore.economy.rows import GrantRow
from livecore.kernel.shapes import (
    ABSENT,
    Absent,
    ExternalPlayerId,
    IdempotencyKey,
    Limit,
    ShownExternalId,
    ShownPlayerId,
    Timestamp,
    shape,
)
from livecore.players.rows import Identity, LoginStreak, Platform

__all__ = [
    "BanRow",
    "ErasePlayer",
    "Erased",
    "GetPlayer",
    "MergePlayer",
    "Merged",
    "PlayerDetails",
    "PlayerOverview",
    "PlayerSummary",
]


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
    """A player as the studio's backend sees them; `lastContextSnapshot` is what their client last sent, `{}` if nothing.

    `debugReason` is why the player was marked as a debug account, if that was said.
    """

    id: ShownPlayerId
    external_player_id: ShownExternalId
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
    debug_reason: str | Absent = ABSENT


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


@shape
class MergePlayer:
    """Fold the path's player into another one."""

    to_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class Merged:
    """What a merge came to, by the service's own ids; the source is known by its placeholder from now on."""

    status: Literal["merged", "no_op_already_merged"]
    from_player_id: ShownPlayerId
    to_player_id: ShownPlayerId
    anonymized_external_player_id: str


@shape
class ErasePlayer:
    """Take a player's identity out of everything; the reason is told to whoever receives `player.deleted`."""

    reason: Literal["gdpr_erasure", "studio_request", "test"] = "studio_request"
    idempotency_key: IdempotencyKey | None = None


@shape
class Erased:
    """What an erasure came to, and the placeholder that stands for the player now; `null` if nobody was ever there."""

    status: Literal["erased", "no_op_already_erased", "no_op_never_existed"]
    anonymized_external_id: str | None
