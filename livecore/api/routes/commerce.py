"""Purchases on both surfaces, and spend and revenue on the studio's."""

from __future__ import annotations

from typing import Final

from livecore.api.operation import Operation
from livecore.api.player_routes import SDK, SERVER
from livecore.commerce import purchases, revenue, rows, spend
from livecore.commerce.refusals import TransactionConflict, UnknownCurrency
from livecore.economy.refusals import BalanceOverflow
from livecore.kernel.errors import IdempotencyConflict
from livecore.players.refusals import PlayerBanned

__all__ = ["OPERATIONS"]


OPERATIONS: Final[tuple[Operation, ...]] = (
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
        BalanceOverflow,
        summary="Report a purchase.",
    ),
    SERVER.read(
        "purchases.list",
        "/purchases",
        rows.ListPurchases,
        rows.Purchases,
        purchases.list_purchases,
        ahead=purchases.list_ahead,
        summary="List a player's purchases.",
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
    ),
    SERVER.read(
        "spend.get",
        "/spend",
        rows.GetPlayerSpend,
        rows.PlayerSpend,
        spend.get_player_spend,
        ahead=spend.get_player_spend_ahead,
        summary="Read what a player has spent.",
    ),
    SERVER.question(
        "spend.listPlayers",
        "/spend/players",
        rows.ListSpenders,
        rows.Spenders,
        spend.list_spenders,
        summary="List players by what they spent.",
    ),
    SERVER.question(
        "spend.summary",
        "/spend/summary",
        rows.GetRevenueSummary,
        rows.RevenueSummary,
        revenue.get_revenue_summary,
        summary="Read the revenue of some days.",
    ),
)
