"""What each webhook carries, written by hand from the event catalog of the specification (6.2) and the wire contract.

Left are the fields that the specification shows. Right are those that it leaves open and we add: the ids of the record, of
what it belongs to and of the player, its state and its timestamps. `?` marks a field that may be left out.
"""

from __future__ import annotations

from typing import Final

PLAYER: Final = "playerId externalPlayerId"
ATTEMPT: Final = f"attemptId eventId eventKey eventWindowId leaderboardId {PLAYER}"
WHOLE_ATTEMPT: Final = f"{ATTEMPT} status score startedAt endsAt"
GRANT: Final = (
    f"grantId {PLAYER} status kind entries sourceKind sourceRefId metadata createdAt expiresAt claimedAt ackedBy"
)
LOBBY_BEGINS: Final = "lobbyId leaderboardId capacity participantCount botCount startedAt endsAt promotionReason"
TEAM: Final = "eventTeamId teamKey eventKey eventWindowId"
GUILD: Final = "guildId guildName by"
TWO_ENDS: Final = "senderPlayerId senderExternalPlayerId recipientPlayerId recipientExternalPlayerId"
SECRET: Final = f"{PLAYER} secretPrefix registeredAt secretRotatedAt via"

FIELDS: Final[dict[str, tuple[str, str]]] = {
    "player.registered": (f"{PLAYER} firstSeenAt contextSnapshot", ""),
    "player.secret_set": (SECRET, ""),
    "player.secret_rotated": (SECRET, ""),
    "player.merged": (
        "fromPlayerId fromExternalPlayerId toPlayerId toExternalPlayerId anonymizedExternalPlayerId mergedAt actor",
        "",
    ),
    "player.deleted": (f"{PLAYER} reason anonymizedExternalId mergedPlayerIds?", ""),
    "player.banned": (f"{PLAYER} reason bannedAt actor", ""),
    "player.unbanned": (f"{PLAYER} unbannedAt actor", ""),
    "friend.request_sent": (
        "requesterPlayerId requesterExternalPlayerId targetPlayerId targetExternalPlayerId requestId createdAt",
        "",
    ),
    "friend.request_accepted": (
        f"requestId {PLAYER} friendPlayerId friendExternalPlayerId reciprocal friendsSince",
        "",
    ),
    "friend.removed": (f"{PLAYER} friendPlayerId friendExternalPlayerId reason removedAt", ""),
    "gift.sent": (
        f"giftId grantId {TWO_ENDS} type resourceKey amount deductedFromSender message sentAt expiresAt",
        "",
    ),
    "gift.claimed": (f"giftId grantId {TWO_ENDS} type resourceKey amount claimedAt", ""),
    "grant.created": ("", GRANT),
    "grant.claimed": ("", GRANT),
    "grant.expired": ("", GRANT),
    "crate.opened": ("contentsGrantId", f"crateId crateKey {PLAYER} entries openedAt"),
    "inventory.changed": ("", f"{PLAYER} itemKey delta quantity reason sourceRefId entryId changedAt"),
    "wallet.changed": ("", f"{PLAYER} economyKey delta balance reason sourceRefId entryId changedAt"),
    "purchase.tracked": (
        (
            f"purchaseId {PLAYER} transactionId store productId productType amountMinor currency normalizedAmountMinor "
            "fxRate validationStatus purchasedAt lifetimeAmountMinor purchaseCount metadata"
        ),
        "",
    ),
    "event.attempt_started": (f"{ATTEMPT} startedAt endsAt attemptCount", ""),
    "event.attempt_restarted": (f"{ATTEMPT} priorAttemptId priorScore priorStatus", ""),
    "event.progress_updated": ("", f"{WHOLE_ATTEMPT} metrics updatedAt"),
    "event.completed": ("", f"{WHOLE_ATTEMPT} metrics milestonesFired completedAt"),
    "event.force_completed": (
        (
            "attemptId eventId eventWindowId leaderboardId playerId score priorScore completedAt actorMemberId reason "
            "milestonesFired"
        ),
        "",
    ),
    "event.expired": ("", f"{WHOLE_ATTEMPT} expiredAt"),
    "event.attempt_flagged": (
        f"attemptId eventId eventKey {PLAYER} validatorKey reason metricSnapshot flaggedAt",
        "",
    ),
    "event.milestone_granted": ("", f"{WHOLE_ATTEMPT} milestoneKey threshold grantId grantedAt"),
    "entry_cost.charged": (f"eventId eventKey eventWindowId {PLAYER} cost", ""),
    "window.opened": ("", "eventWindowId eventId eventKey status startsAt endsAt openedAt"),
    "window.closed": ("", "eventWindowId eventId eventKey status startsAt endsAt closedAt"),
    "leaderboard.finalized": (
        "participantScope?",
        "leaderboardId eventId eventKey eventWindowId lobbyId status startsAt endsAt entryCount topRanks finalizedAt",
    ),
    "leaderboard.period_finalized": (
        "",
        "leaderboardId leaderboardKey period status periodStartsAt periodEndsAt entryCount topRanks finalizedAt",
    ),
    "session.terminated": (
        "firedTrigger firedTriggerType resolution",
        "lobbyId eventId eventKey eventWindowId leaderboardId frozenCount terminatedAt",
    ),
    "session.frozen": (
        "",
        (
            f"lobbyId eventId eventKey eventWindowId leaderboardId attemptId {PLAYER} status score firedTrigger "
            "firedTriggerType frozenAt"
        ),
    ),
    "event_team.formed": ("", f"{TEAM} displayName formation memberCount goalTarget attributes formedAt"),
    "event_team.member_joined": ("", f"{TEAM} seatId {PLAYER} memberCount joinedAt"),
    "event_team.member_left": (
        "reason contribution contributionRemoved",
        f"{TEAM} seatId {PLAYER} memberCount leftAt",
    ),
    "event_team.milestone_unlocked": (
        "eventTeamId teamKey eventKey milestoneKey threshold teamScore seatCount paidSeatCount payState",
        "",
    ),
    "event_team.goal_completed": ("", f"{TEAM} score goalTarget memberCount completedAt"),
    "event_team.finalized": (
        "rank boardSize segmentValues score goalTarget completed memberCount",
        f"{TEAM} finalizedAt",
    ),
    "partner.invite_sent": (
        "eventTeamId fromExternalPlayerId toExternalPlayerId",
        "inviteId eventKey eventWindowId fromPlayerId toPlayerId status sentAt expiresAt",
    ),
    "partner.invite_accepted": (
        "eventTeamId fromExternalPlayerId toExternalPlayerId goalTarget",
        "inviteId eventKey eventWindowId fromPlayerId toPlayerId status acceptedAt",
    ),
    "lobby.created": (
        "",
        (
            "lobbyId lobbyKey eventId eventKey eventWindowId leaderboardId status capacity participantCount botCount "
            "metadata createdAt fillBy source?"
        ),
    ),
    "lobby.player_joined": (f"lobbyId eventId {PLAYER} participantCount capacity joinedAt source?", ""),
    "lobby.bot_filled": ("lobbyId leaderboardId botCount bots", ""),
    "lobby.started": (LOBBY_BEGINS, ""),
    "lobby.fill_timeout": (LOBBY_BEGINS, ""),
    "lobby.closed": (
        "",
        (
            "lobbyId lobbyKey eventId eventKey eventWindowId leaderboardId status capacity participantCount botCount "
            "startedAt endsAt closedAt reason"
        ),
    ),
    "guild.created": (
        f"{GUILD} joinType country leaderPlayerId leaderExternalPlayerId cost costsChargedBy createdAt",
        "",
    ),
    "guild.updated": (f"{GUILD} changes", "updatedAt"),
    "guild.disbanded": (f"{GUILD} reason", "disbandedAt"),
    "guild.member_joined": (f"{GUILD} {PLAYER} role via memberCount joinedAt", ""),
    "guild.member_left": (f"{GUILD} reason", f"{PLAYER} role memberCount leftAt"),
    "guild.role_changed": (f"{GUILD} from to reason", f"{PLAYER} changedAt"),
    "guild.join_requested": (f"{GUILD} requestId message", f"{PLAYER} requestedAt"),
    "guild.help_requested": (f"{GUILD} type resourceKey amount expiresAt", f"{PLAYER} requestId requestedAt"),
    "guild.help_donated": (
        (
            f"{GUILD} requestId donationId grantId rewardGrantId donorPlayerId donorExternalPlayerId recipientPlayerId "
            "recipientExternalPlayerId type resourceKey amount costsDonor costsChargedBy amountReceived amountRequested "
            "filled donatedAt"
        ),
        "",
    ),
    "webhook.endpoint.failed": (
        "endpointId endpointKey url consecutiveFailures threshold lastStatus lastError reason",
        "",
    ),
}

NESTED: Final[dict[tuple[str, str], str]] = {
    ("player.banned", "actor"): "kind prefix? memberId?",
    ("player.merged", "actor"): "kind prefix? memberId?",
    ("guild.updated", "by"): "kind playerId? externalPlayerId? memberId? apiKeyPrefix?",
    ("guild.created", "cost"): "type key amount",
    ("entry_cost.charged", "cost"): "currencies items",
    ("event.attempt_flagged", "metricSnapshot"): "metricKey before after elapsedSec avgRate limit",
    ("lobby.bot_filled", "bots"): "id botId name",
    ("grant.created", "entries"): "type resourceKey amount parameters?",
}
"""The fields of what lies one level deeper."""

VALUES: Final[dict[tuple[str, str], str]] = {
    ("player.deleted", "reason"): "gdpr_erasure studio_request test",
    ("friend.removed", "reason"): "removed blocked",
    ("gift.sent", "type"): "item currency",
    ("gift.claimed", "type"): "item currency",
    ("grant.created", "kind"): "reward crate",
    ("purchase.tracked", "validationStatus"): "unverified verified",
    ("session.terminated", "resolution"): "freeze close",
    ("event_team.member_left", "reason"): "left kicked",
    ("event_team.milestone_unlocked", "payState"): "inline_done pending",
    ("lobby.started", "promotionReason"): "capacity timeout external_push",
    ("guild.created", "costsChargedBy"): "platform studio",
    ("guild.disbanded", "reason"): "last_member_left admin",
    ("guild.member_joined", "role"): "leader co_leader member",
    ("guild.member_joined", "via"): "created open request admin merge",
    ("guild.member_left", "reason"): "left kicked removed disbanded erased merged",
    ("guild.role_changed", "from"): "leader co_leader member",
    ("guild.role_changed", "reason"): "promoted demoted leadership_transferred succession_leader_left "
    "succession_leader_inactive operator",
    ("webhook.endpoint.failed", "reason"): "consecutive_failures",
}
"""The values that the specification lists for a field."""
