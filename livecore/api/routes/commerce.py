"""Purchases on both surfaces, and spend and revenue on the studio's and for operators."""

from __future__ import annotations

from typing import Final

from livecore.api.table.admin_routes import as_admin
from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.commerce import purchases, revenue, rows, spend
from livecore.commerce.refusals import PurchaseLimitReached, TransactionConflict, UnknownCurrency
from livecore.economy.refusals import BalanceOverflow
from livecore.kernel.errors import IdempotencyConflict
from livecore.players.refusals import PlayerBanned

_OF_PLAYERS: Final[tuple[Operation, ...]] = (
    SDK.write(
        "purchases.track",
        "POST /purchases",
        rows.TrackPurchase,
        {200: rows.PurchaseTracked},
        purchases.track,
        PlayerBanned,
        UnknownCurrency,
        TransactionConflict,
        IdempotencyConflict,
        PurchaseLimitReached,
        BalanceOverflow,
        summary="Report a purchase.",
        about=(
            "It counts once for each transaction of each store, however often it is sent. `amount_minor` counts the "
            "smallest unit of `currency`: 999 is 9.99 EUR and 999 JPY. `purchased_at` left out is now. A transaction of "
            "another player is refused with `transaction_conflict`, one that was reported differently with "
            "`idempotency_conflict`, and more new ones in a day than the game allows with `purchase_limit_reached`."
        ),
    ),
    SERVER.read(
        "purchases.list",
        "/purchases",
        rows.ListPurchases,
        rows.Purchases,
        purchases.list_purchases,
        summary="List a player's purchases.",
        about="A page of at most `limit` (1 to 200), newest first.",
    ),
    SERVER.write(
        "purchases.track",
        "POST /purchases",
        rows.TrackPurchaseAsServer,
        {200: rows.PurchaseTracked},
        purchases.track_as_server,
        UnknownCurrency,
        TransactionConflict,
        IdempotencyConflict,
        BalanceOverflow,
        summary="Report a purchase, or that it is verified.",
        about=(
            "With the `validation_status` `verified` also that you have checked it with the store: a purchase that "
            "the client has reported becomes verified by this, and never unverified again. `amount_minor` counts "
            "the smallest unit of `currency`: 999 is 9.99 EUR and 999 JPY. `purchased_at` left out is now. A transaction "
            "of another player is refused with `transaction_conflict`, one that was reported differently with "
            "`idempotency_conflict`."
        ),
    ),
    SERVER.read(
        "spend.get",
        "/spend",
        rows.GetPlayerSpend,
        rows.PlayerSpend,
        spend.get_player_spend,
        summary="Read what a player has spent.",
        about="In US cents: ever, and in the last so many days for each of `windows`.",
    ),
)

_OF_GAME: Final[tuple[Operation, ...]] = (
    SERVER.question(
        "spend.listPlayers",
        "/spend/players",
        rows.ListSpenders,
        rows.Spenders,
        spend.list_spenders,
        summary="List players by what they spent.",
        about=(
            "Players who spent at least `min_amount_minor` US cents, the most first: in the last `window_days` "
            "days, or ever. Debug accounts are left out."
        ),
    ),
    SERVER.question(
        "spend.summary",
        "/spend/summary",
        rows.GetRevenueSummary,
        rows.RevenueSummary,
        revenue.get_revenue_summary,
        summary="Read the revenue of some days.",
        about=(
            "Of the UTC days from `from_` up to before `to` (such as `2026-01-31`); by default of the last 30 days. "
            "Debug accounts are left out."
        ),
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    *_OF_PLAYERS,
    *_OF_GAME,
    *(as_admin(row, "revenue.read") for row in _OF_GAME),
)
