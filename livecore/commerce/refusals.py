"""The refusals of purchases: a currency without a rate, another player's transaction, and too many reports in a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import BadRequest, Conflict, Json


class UnknownCurrency(BadRequest):
    """The game's configuration has no exchange rate for the currency."""

    code = "unknown_currency"
    text = "There is no exchange rate for this currency."
    named = "There is no exchange rate for the currency {}"
    remedy = "Add the currency to `exchangeRates` in the game's configuration, and send the purchase again."


class TransactionConflict(Conflict):
    """The store's transaction belongs to another player."""

    code = "transaction_conflict"
    text = "This transaction was tracked for another player."
    remedy = "A transaction belongs to one player; check which player the receipt belongs to."


class PurchaseLimitReached(Conflict):
    """The client has reported all purchases of the day (`details`: `dailyReportLimit`, `reportedToday`, `resetsAt`)."""

    code = "purchase_limit_reached"
    text = "The daily limit of reported purchases is reached."
    remedy = "Report it after `details.resetsAt`, or by the studio's backend, which has no such limit."
    example: ClassVar[Mapping[str, Json]] = {
        "dailyReportLimit": 200,
        "reportedToday": 200,
        "resetsAt": "2026-02-01T00:00:00.000Z",
    }
