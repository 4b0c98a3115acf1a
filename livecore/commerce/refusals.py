"""The refusals of purchases: a currency without a rate, and another player's transaction."""

from __future__ import annotations

from livecore.kernel.errors import BadRequest, Conflict

__all__ = ["TransactionConflict", "UnknownCurrency"]


class UnknownCurrency(BadRequest):
    """The game's configuration has no exchange rate for the currency."""

    code = "unknown_currency"
    text = "There is no exchange rate for this currency."
    remedy = "Add the currency to `exchangeRates` in the game's configuration, and send the purchase again."


class TransactionConflict(Conflict):
    """The store's transaction belongs to another player."""

    code = "transaction_conflict"
    text = "This transaction was tracked for another player."
    remedy = "A transaction belongs to one player; check which player the receipt belongs to."
