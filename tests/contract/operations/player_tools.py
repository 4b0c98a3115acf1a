"""What a studio's people do about whole players, as the specification and the wire contract show it."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import Json, JsonObject
from tests.contract.expected import KEY, NOON, Area, Route, ServerCall
from tests.contract.operations.events import attempt
from tests.contract.operations.grants import grant
from tests.contract.operations.players import IDENTITY, PRESENCE
from tests.contract.stories import CORE, MARK, Life, Step, Thing, Walk
from tests.worlds import give

# -- samples --------------------------------------------------------------------------------------------------------------

PLAYER: Final[JsonObject] = {
    "id": "plr_1", "externalPlayerId": "anna", "firstSeenAt": NOON, "lastSeenAt": NOON,
    "lastContextSnapshot": {"level": 7}, "displayIdentity": IDENTITY, "anonymizedIdentity": IDENTITY,
    "country": "SE", "platform": {"key": "ios", "registered": True}, "appVersion": "1.4.0", "sessions": 3,
    "loginStreak": {"current": 2, "best": 9}, "ban": {"reason": "cheating", "bannedAt": NOON}, "debug": False,
}  # fmt: skip
SHOWN: Final[JsonObject] = {
    "player": PLAYER,
    "attempts": [attempt()],
    "grants": [grant()],
    "lobbies": [],
    "summary": {
        "attemptCount": 1,
        "attemptsCompleted": 0,
        "attemptsExpired": 0,
        "grantsPending": 1,
        "grantsClaimed": 0,
        "lobbiesActive": 0,
    },
}
MERGED: Final[JsonObject] = {
    "status": "merged",
    "fromPlayerId": "plr_1",
    "toPlayerId": "plr_2",
    "anonymizedExternalPlayerId": "__merged_0190__",
}
BANNED: Final[JsonObject] = {"applied": True, "banned": True, "reason": "cheating", "bannedAt": NOON}
UNBANNED: Final[JsonObject] = {"applied": False, "banned": False, "reason": None, "bannedAt": None}
DEBUG: Final[JsonObject] = {"applied": True, "debug": True}
_LISTS: Final = (
    "attempts", "leaderboardEntries", "grants", "inventory", "wallet", "ledger", "lobbies", "teams",
    "partnerInvites", "friends", "friendRequests", "blocks", "gifts", "purchases",
    "guilds", "guildRequests", "guildHelp", "guildDonations", "auditEntries", "moderation", "formerNames", "countries",
    "divisions", "crateOpenings", "seats", "guildHistory", "waitingWebhooks", "contexts", "rejectedScores",
)  # fmt: skip


def export(**lists: list[Json]) -> JsonObject:
    """An export with these lists, the others empty."""
    empty: JsonObject = {name: [] for name in _LISTS}
    return {
        "exportedAt": NOON,
        "player": {
            **PLAYER, "friendCode": "K7RWQ2", "presence": PRESENCE, "registeredAt": NOON, "secretPrefix": "lcs_ab",
            "secretRotatedAt": None, "privacy": {"discoverable": True, "presenceTo": "everybody"}, "debugSince": None,
            "dayCounts": [{"counted": "gifts_sent", "day": "2026-01-31", "count": 2}],
        },
        **empty, **lists,
        "truncated": dict.fromkeys(_LISTS, False), "cursors": dict.fromkeys(_LISTS),
    }  # fmt: skip


# -- operations -----------------------------------------------------------------------------------------------------------

_ROUTES: Final = (
    Route(
        "server", "players.get", "GET",
        asks="limit?",
        answers="player:details attempts:attempt[] grants:grant[] lobbies summary:summary",
        refusals="player_not_found",
        calls=(
            ServerCall(lambda c: c.players.get("anna"), SHOWN),
            ServerCall(lambda c: c.players.get("anna", limit=5), SHOWN, query={"limit": "5"}, note="capped"),
        ),
    ),
    Route(
        "server", "players.merge", "POST /merge-into/{toExternalId}",
        asks=f"toExternalId {KEY}",
        answers="status fromPlayerId toPlayerId anonymizedExternalPlayerId",
        refusals="player_not_found invalid_merge",
        calls=(ServerCall(lambda c: c.players.merge("anna", "bea #1"), MERGED, at={"toExternalId": "bea%20%231"}),),
    ),
    Route(
        "server", "players.erase", "POST /delete",
        asks=f"reason? {KEY}",
        answers="status anonymizedExternalId mergedIntoExternalId?",
        calls=(
            ServerCall(
                lambda c: c.players.erase("anna", reason="gdpr_erasure"),
                {"status": "erased", "anonymizedExternalId": "__deleted_0190__"},
                body={"reason": "gdpr_erasure"},
            ),
            ServerCall(
                lambda c: c.players.erase("anna"),
                {"status": "no_op_never_existed", "anonymizedExternalId": None},
                note="again",
            ),
            ServerCall(
                lambda c: c.players.erase("anna"),
                {
                    "status": "no_op_merged",
                    "anonymizedExternalId": "__merged_0190__",
                    "mergedIntoExternalId": "bea",
                },
                note="merged",
            ),
        ),
    ),
    Route(
        "server", "players.export", "GET /export",
        asks="list? cursor?",
        answers=(
            "exportedAt player:exported attempts:exportedAttempt[] leaderboardEntries:exportedEntry[] grants:grant[] "
            "inventory:item[] wallet:balance[] ledger:posting[] lobbies teams:exportedTeamSeat[] "
            "partnerInvites:exportedInvite[] friends:exportedFriend[] "
            "friendRequests:exportedRequest[] blocks:exportedBlock[] gifts:exportedGift[] purchases:purchase[] "
            "guilds:stintInGuild[] guildRequests:exportedJoinRequest[] guildHelp:exportedHelp[] "
            "guildDonations:exportedDonation[] auditEntries:exportedAuditEntry[] moderation:moderationRow[] "
            "formerNames:formerName[] countries:exportedCountry[] divisions:exportedDivision[] "
            "crateOpenings:exportedOpening[] seats:seatRow[] guildHistory:guildHistoryRow[] "
            "waitingWebhooks:exportedEvent[] contexts:exportedContext[] rejectedScores:exportedRejections[] "
            "truncated cursors"
        ),
        refusals="player_not_found",
        calls=(
            ServerCall(lambda c: c.players.export("anna"), export()),
            ServerCall(
                lambda c: c.players.export("anna", list_="wallet", cursor="c1"),
                export(),
                query={"list": "wallet", "cursor": "c1"}, note="paged",
            ),
        ),
    ),
    Route(
        "server", "players.ban", "POST /ban",
        asks=f"reason {KEY}",
        answers="applied banned reason bannedAt",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.players.ban("anna", reason="cheating"), BANNED, body={"reason": "cheating"}),),
    ),
    Route(
        "server", "players.unban", "POST /unban",
        asks=KEY,
        answers="applied banned reason bannedAt",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.players.unban("anna"), UNBANNED),),
    ),
    Route(
        "server", "players.flagDebug", "POST /debug",
        asks=f"reason? {KEY}",
        answers="applied debug reason?",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.players.flag_debug("anna", reason="QA"), DEBUG, body={"reason": "QA"}),),
    ),
    Route(
        "server", "players.unflagDebug", "DELETE /debug",
        asks=KEY,
        answers="applied debug reason?",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.players.unflag_debug("anna"), DEBUG),),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _look(walk: Walk) -> None:
    for external_id in ("anna", "bert", "dora"):
        walk.ask(walk.server, "players.get", external_id=external_id)


def _moderate(walk: Walk) -> None:
    for reason in ("cheating", "botting"):
        walk.ask(walk.server, "players.ban", external_id="carl", reason=reason)
    walk.ask(walk.server, "players.get", external_id="carl")
    for operation in ("players.unban", "players.flagDebug"):
        walk.ask(walk.server, operation, external_id="carl")
    walk.ask(walk.server, "players.flagDebug", external_id="carl", reason="ours")
    for operation in ("players.get", "players.export", "players.unflagDebug"):
        walk.ask(walk.server, operation, external_id="carl")


def _leave(walk: Walk) -> None:
    """Export everything of somebody who has everything; then one goes into another, and is erased with them."""
    walk.ask(walk.server, "players.export", external_id="anna")
    walk.ask(walk.server, "players.export", external_id="bert", list="inventory")
    for _ in range(2):
        walk.ask(walk.server, "players.merge", external_id="dora", to_external_id="erik")
    walk.ask(walk.server, "players.erase", external_id="dora")
    for external_id in ("erik", "erik", "nobody"):
        walk.ask(walk.server, "players.erase", external_id=external_id, reason="test")


_WALK: Final = (
    Step("look", _look),
    # carl, whose second ban only refreshed the reason
    Step("part", _moderate, {"player.banned": 1, "player.unbanned": 1}),
    # dora into erik, and erik; repeating either tells nobody
    Step("leave", _leave, {"player.merged": 1, "player.deleted": 1}),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _moderate_marked(life: Life) -> None:
    about = {"external_id": MARK}
    life.ask(life.server, "players.flagDebug", reason=MARK, **about)
    life.ask(life.server, "players.unflagDebug", **about)
    life.ask(life.server, "players.flagDebug", reason=MARK, **about)
    life.ask(life.server, "players.ban", reason=MARK, **about)
    life.ask(life.server, "players.unban", **about)


def _merge_marked(life: Life) -> None:
    """Somebody who is the marker as well, and of whom others hold answers, becomes the marked player, who is banned."""
    guest = life.world.player(f"{MARK} as guest")
    life.ask(guest, "players.setIdentity", name=CORE, avatar=MARK)
    life.ask(guest, "presence.heartbeat", status=MARK)
    life.ask(life.world.player("fifth"), "friends.sendRequest", external_player_id=f"{MARK} as guest")
    give(guest, "gold", 5)
    merged = life.ask(life.server, "players.merge", external_id=f"{MARK} as guest", to_external_id=MARK)
    assert merged["status"] == "merged"
    life.ask(life.server, "players.ban", external_id=MARK, reason=MARK)
    life.world.player("sixth")
    life.ask(life.server, "players.erase", external_id="sixth")


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "ban": "reason bannedAt",
        "details": (
            "id externalPlayerId firstSeenAt lastSeenAt lastContextSnapshot displayIdentity:identity "
            "anonymizedIdentity:identity country platform:platform appVersion sessions loginStreak:streak ban:ban debug "
            "debugReason?"
        ),
        "summary": "attemptCount attemptsCompleted attemptsExpired grantsPending grantsClaimed lobbiesActive",
        "exported": (
            "id externalPlayerId firstSeenAt lastSeenAt lastContextSnapshot displayIdentity:identity "
            "anonymizedIdentity:identity country platform:platform appVersion sessions loginStreak:streak ban:ban debug "
            "debugReason? friendCode presence:presence privacy:privacy registeredAt secretPrefix secretRotatedAt debugSince "
            "dayCounts:dayCount[]"
        ),
        "posting": "entryId type resourceKey delta balance reason sourceRefId at",
        "dayCount": "counted day count",
        "exportedAuditEntry": (
            "auditId at playerId by:who via action permission address target:auditTarget before after metadata"
        ),
        "who": "kind key",
        "moderationRow": "at action reason by:who",
        "formerName": "name avatar until",
        "exportedCountry": "source country",
        "exportedContext": "which context",
        "exportedDivision": "leaderboardKey periodNumber division cohort leaderboardId startsAt endsAt",
        "exportedOpening": (
            "crateId crateKey openedAt rolls:rollResult[] contentsGrantId definitionDigest seed waits waitsAfter"
        ),
        "seatRow": (
            "kind seatId lobbyId eventTeamId eventWindowId number contribution joinedAt leftAt leftReason unlocksByThen"
        ),
        "guildHistoryRow": "stintId guildId role joinedAt leftAt leftReason roleSince replacedAt foundedAt",
        "exportedEvent": "eventId eventName occurredAt data deliveries:waitingDelivery[]",
        "waitingDelivery": "deliveryId endpointKey status attempt queuedAt dueAt",
        "exportedRejections": "leaderboardKey periodNumber rejections:rejection[]",
        "exportedEntry": "leaderboardId score reachedAt",
        "exportedFriend": "playerId friendsSince",
        "exportedRequest": "requestId direction playerId createdAt",
        "exportedBlock": "playerId blockedAt",
        "exportedGift": (
            "giftId grantId direction playerId type resourceKey amount message status sentAt claimedAt expiresAt"
        ),
    },
    refusals={422: "invalid_merge"},
    walk=_WALK,
    marked=(Step("part", _moderate_marked), Step("leave", _merge_marked)),
    things={"toExternalId": Thing(lambda _: "fourth")},
)
