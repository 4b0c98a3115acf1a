"""What operators do about one player, as the wire contract shows it."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import KEY, PAGE, Area, Route
from tests.contract.operations import commerce, economy, friends, gifts, player_tools, players
from tests.contract.stories import MARK, Life, Scene, Step
from tests.worlds import give

_PLAYER: Final = "/studios/{studioId}/games/{gameId}/players/{externalId}"
_MAY: Final = {
    "players.ban": "player.ban",
    "players.unban": "player.ban",
    "players.flagDebug": "player.debug",
    "players.unflagDebug": "player.debug",
    "players.rotateSecret": "player.rotate_secret",
    "players.merge": "player.merge",
    "players.erase": "player.erase",
    "players.export": "player.export",
    "friends.list": "player.read",
    "friends.listRequests": "player.read",
    "friends.listBlocks": "player.read",
    "gifts.list": "player.read",
    "purchases.list": "purchase.read",
    "spend.get": "purchase.read",
    "wallet.get": "wallet.read",
    "inventory.get": "inventory.read",
    "ledger.list": "wallet.read",
}
"""What operators do just as the studio's backend does, and the permission that it needs."""
_AS_SERVER: Final = tuple(
    Route(
        "admin", row.operation, row.route,
        below=_PLAYER, statuses=row.statuses, asks=row.asks, answers=row.answers, refusals=row.refusals,
        repeats=row.repeats, body=row.body, query_string=row.query_string, named=row.named, permission=_MAY[row.operation],
    )
    for area in (players, player_tools, friends, gifts, economy, commerce)
    for row in area.AREA.routes
    if row.surface == "server" and row.operation in _MAY
)  # fmt: skip
_WALLET: Final = "economy_key_not_found"
_LOCKED: Final = "system_resource_locked economy_not_platform_managed"


def _have_potion(scene: Scene) -> None:
    give(scene.me, "potion", 3)


_OWN: Final = (
    Route(
        "admin", "players.search", "GET /players",
        asks=f"q? {PAGE}", answers="players:foundPlayer[] nextCursor", query_string="q=me&limit=1",
        permission="player.read",
    ),
    Route(
        "admin", "players.get", "GET", below=_PLAYER,
        asks="limit?",
        answers=(
            "player:exported attempts:attempt[] grants:grant[] lobbies summary:summary wallet:balance[] "
            "inventory:heldItem[] guild:guildOfPlayer spend:spent social:socialCounts"
        ),
        refusals="player_not_found", permission="player.read",
    ),
    Route(
        "admin", "players.timeline", "GET /timeline", below=_PLAYER,
        asks=f"kinds? {PAGE}", answers="entries:timelineEntry[] nextCursor", refusals="player_not_found",
        query_string="kinds=audit,ledger", permission="player.read",
    ),
    Route(
        "admin", "grants.create", "POST /grants",
        statuses=(201, 200),
        asks="idempotencyKey externalPlayerId entries:entry[] kind? expiresAt? sourceKind? sourceRefId? metadata?",
        answers="grant:grant",
        refusals="system_resource_locked",
        body={
            "idempotencyKey": "by an operator",
            "externalPlayerId": "me",
            "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
        },
        permission="grant.manual_create",
    ),
    Route(
        "admin", "grants.get", "GET /grants/{grantId}",
        asks="grantId", answers="grant:grant player:grantHolder giftId", refusals="grant_not_found",
        permission="grant.read",
    ),
    Route(
        "admin", "grants.forceClaim", "POST /grants/{grantId}/force-claim",
        asks=f"grantId reason? {KEY}", answers="grant:grant",
        refusals="grant_not_found crate_must_be_opened grant_refunded balance_overflow",
        permission="grant.manual_force_claim",
    ),
    Route(
        "admin", "wallet.adjust", "POST /wallet/{economyKey}/adjust", below=_PLAYER,
        asks=f"economyKey delta reason {KEY}", answers="economyKey balance delta entryId",
        refusals=f"player_not_found {_WALLET} {_LOCKED} insufficient_balance balance_overflow",
        permission="wallet.adjust",
    ),
    Route(
        "admin", "wallet.entries", "GET /wallet/{economyKey}/entries", below=_PLAYER,
        asks=f"economyKey {PAGE}", answers="entries:posting[] nextCursor", refusals=f"player_not_found {_WALLET}",
        permission="wallet.read",
    ),
    Route(
        "admin", "inventory.adjust", "POST /inventory/{itemKey}/adjust", below=_PLAYER,
        asks=f"itemKey delta reason {KEY}", answers="itemKey quantity delta entryId",
        refusals=f"player_not_found item_not_found {_LOCKED} insufficient_quantity balance_overflow",
        permission="inventory.adjust",
    ),
    Route(
        "admin", "inventory.entries", "GET /inventory/{itemKey}/entries", below=_PLAYER,
        asks=f"itemKey {PAGE}", answers="entries:posting[] nextCursor", refusals="player_not_found item_not_found",
        permission="inventory.read",
    ),
    Route(
        "admin", "inventory.setAttributes", "PUT /inventory/{itemKey}/attributes", below=_PLAYER,
        asks=f"itemKey parameters reason? {KEY}", answers="item:heldItem",
        refusals=f"player_not_found item_not_found {_LOCKED} insufficient_quantity",
        body={"parameters": {"level": 3}}, ready=_have_potion, permission="inventory.edit_attributes",
    ),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _help_marked(life: Life) -> None:
    """An operator changes what they have, and says why."""
    operator, about = life.world.operator(), {"external_id": MARK, "reason": MARK}
    life.ask(operator, "wallet.adjust", economy_key="gold", delta=3, **about)
    life.ask(operator, "inventory.adjust", item_key="sword", delta=1, **about)
    life.ask(operator, "inventory.setAttributes", item_key="sword", parameters={MARK: {MARK: [MARK]}}, **about)
    entries = [{"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {MARK: MARK}}]
    granted = life.ask(
        operator, "grants.create", external_player_id=MARK, entries=entries, metadata={MARK: MARK}, source_ref_id=MARK
    )
    life.ask(operator, "grants.forceClaim", grant_id=granted.text("grant.grantId"), reason=MARK)


AREA: Final = Area(
    routes=(*_AS_SERVER, *_OWN),
    rows={
        "grantHolder": "playerId externalPlayerId",
        "foundPlayer": (
            "playerId externalPlayerId displayIdentity:identity country banned debug online firstSeenAt lastSeenAt"
        ),
        "guildOfPlayer": "guildId name role joinedAt",
        "spent": "lifetimeAmountMinor purchaseCount verifiedAmountMinor",
        "socialCounts": ("friends requestsIncoming requestsOutgoing blocks giftsReceivedPending giftsSentPending"),
        "timelineEntry": "at kind summary ref:timelineRef",
        "timelineRef": "type id",
        "heldItem": "itemKey quantity parameters? ownParameters",
    },
    refusals={409: "grant_refunded"},
    marked=(Step("trade", _help_marked),),
)
