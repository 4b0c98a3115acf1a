"""Exports on the wire: all data that a game holds about one player."""

from __future__ import annotations

from typing import Literal, TypeAlias

from livecore.commerce.rows import PurchaseRow
from livecore.economy.crate_rows import ExportedOpening
from livecore.economy.rows import BalanceRow, GrantRow, ItemRow, LedgerRow
from livecore.events.operator_rows import ExportedAttempt
from livecore.guilds.history_rows import GuildHistoryRow
from livecore.guilds.rows import ExportedDonation, ExportedHelp, ExportedJoinRequest, StintInGuild
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor
from livecore.leaderboards.operator_rows import ExportedRejections
from livecore.leaderboards.rows import ExportedDivision, ExportedEntry
from livecore.lobbies.rows import ExportedSeat
from livecore.player_tools.history_rows import DayCount, ExportedAuditEntry, ExportedEvent, ModerationRow, SeatRow
from livecore.player_tools.rows import PlayerDetails
from livecore.players.export_rows import ExportedContext, ExportedCountry, FormerNameRow
from livecore.players.rows import Presence, PrivacySettings
from livecore.social.rows import ExportedBlock, ExportedFriend, ExportedFriendRequest, ExportedGift
from livecore.teams.rows import ExportedInvite, ExportedTeamSeat

ListName: TypeAlias = Literal[
    "attempts",
    "leaderboardEntries",
    "grants",
    "inventory",
    "wallet",
    "ledger",
    "lobbies",
    "teams",
    "partnerInvites",
    "friends",
    "friendRequests",
    "blocks",
    "gifts",
    "purchases",
    "guilds",
    "guildRequests",
    "guildHelp",
    "guildDonations",
    "auditEntries",
    "moderation",
    "formerNames",
    "countries",
    "divisions",
    "crateOpenings",
    "seats",
    "guildHistory",
    "waitingWebhooks",
    "contexts",
    "rejectedScores",
]
"""The lists of an export, by their names on the wire."""


@shape
class ExportPlayer:
    """All data about a player, with up to 1,000 rows of each list; or, with `list`, only that list from a `cursor` on."""

    list_: ListName | None = None
    cursor: Cursor | None = None


@shape
class ExportedPlayer(PlayerDetails):
    """The player's own record: what the support sees, the further ids and codes of the player, and counts of a day.

    `debugSince` is when the player was marked as a debug account.
    """

    friend_code: str | None
    presence: Presence
    privacy: PrivacySettings
    registered_at: Timestamp | None
    secret_prefix: str | None
    secret_rotated_at: Timestamp | None
    debug_since: Timestamp | None
    day_counts: tuple[DayCount, ...]


@shape
class PlayerExport:
    """All data held about one player. Of other players it shows only the service's ids.

    `truncated` says for each list whether it has more rows, and `cursors` holds the place of the next one: request again
    with `list` and `cursor`. That answer has the same form, with only that list.
    """

    exported_at: Timestamp
    player: ExportedPlayer
    attempts: tuple[ExportedAttempt, ...]
    leaderboard_entries: tuple[ExportedEntry, ...]
    grants: tuple[GrantRow, ...]
    inventory: tuple[ItemRow, ...]
    wallet: tuple[BalanceRow, ...]
    ledger: tuple[LedgerRow, ...]
    lobbies: tuple[ExportedSeat, ...]
    teams: tuple[ExportedTeamSeat, ...]
    partner_invites: tuple[ExportedInvite, ...]
    friends: tuple[ExportedFriend, ...]
    friend_requests: tuple[ExportedFriendRequest, ...]
    blocks: tuple[ExportedBlock, ...]
    gifts: tuple[ExportedGift, ...]
    purchases: tuple[PurchaseRow, ...]
    guilds: tuple[StintInGuild, ...]
    guild_requests: tuple[ExportedJoinRequest, ...]
    guild_help: tuple[ExportedHelp, ...]
    guild_donations: tuple[ExportedDonation, ...]
    audit_entries: tuple[ExportedAuditEntry, ...]
    moderation: tuple[ModerationRow, ...]
    former_names: tuple[FormerNameRow, ...]
    countries: tuple[ExportedCountry, ...]
    divisions: tuple[ExportedDivision, ...]
    crate_openings: tuple[ExportedOpening, ...]
    seats: tuple[SeatRow, ...]
    guild_history: tuple[GuildHistoryRow, ...]
    waiting_webhooks: tuple[ExportedEvent, ...]
    contexts: tuple[ExportedContext, ...]
    rejected_scores: tuple[ExportedRejections, ...]
    truncated: dict[str, bool]
    cursors: dict[str, str | None]
