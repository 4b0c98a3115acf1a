"""Player tools on the wire: requests of the studio's backend about a whole player, and answers."""

from __future__ import annotations

from typing import Literal

from livecore.economy.rows import GrantRow
from livecore.events.rows import AttemptRow
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    ExternalPlayerId,
    IdempotencyKey,
    Limit,
    ShownExternalId,
    ShownPlayerId,
)
from livecore.lobbies.rows import ExportedSeat
from livecore.players.rows import Identity, LoginStreak, Platform


@shape
class GetPlayer:
    """A player with recent activity; `limit` is the most rows of each of the three lists."""

    limit: Limit = 50


@shape
class BanRow:
    """Since when and why a player is banned."""

    reason: str
    banned_at: Timestamp


@shape
class PlayerDetails:
    """A player as the studio's backend sees them; `lastContextSnapshot` is the client's last context, `{}` if there is none.

    `debugReason` is the reason for the debug mark, if one was given.
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
    """Counts of all rows of which the lists show the latest."""

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
    attempts: tuple[AttemptRow, ...]
    grants: tuple[GrantRow, ...]
    lobbies: tuple[ExportedSeat, ...]
    summary: PlayerSummary


@shape
class MergePlayer:
    """Fold the path's player into another one."""

    to_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class Merged:
    """The result of a merge, with the service's own ids; the source now has a placeholder as its external id."""

    status: Literal["merged", "no_op_already_merged"]
    from_player_id: ShownPlayerId
    to_player_id: ShownPlayerId
    anonymized_external_player_id: str


@shape
class ErasePlayer:
    """Remove a player's identity from all data; the event `player.deleted` holds the reason."""

    reason: Literal["gdpr_erasure", "studio_request", "test"] = "studio_request"
    idempotency_key: IdempotencyKey | None = None


@shape
class Erased:
    """The result of an erasure, and the player's placeholder; `null` if the player never existed.

    With `no_op_merged` nothing was erased: the data is that of the player with the id `mergedIntoExternalId`.
    """

    status: Literal["erased", "no_op_already_erased", "no_op_never_existed", "no_op_merged"]
    anonymized_external_id: str | None
    merged_into_external_id: ShownExternalId | Absent = ABSENT
