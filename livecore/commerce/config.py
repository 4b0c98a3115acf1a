"""The part of a game's configuration about purchases: exchange rates, and the limits of reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from operator import attrgetter
from typing import Annotated, Final

from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Config, Fault, section
from livecore.kernel.wire.shapes import Int

EXCHANGE_RATES_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "description": "What one unit of a currency is worth in USD, as a decimal string with at most 12 digits before the "
    "point and 12 after it, by the currency's code.",
    "propertyNames": {"pattern": "^[A-Z]{3}$"},
    "additionalProperties": {"type": "string", "pattern": r"^\d{1,12}(\.\d{1,12})?$"},
    "default": {},
}
"""The JSON Schema of the exchange rates, which is stricter than their type."""
_RATE_FORM: Final = (
    'must be a positive decimal number in quotes, such as "1.08", '
    "with at most 12 digits before the point and 12 after it"
)
_RATE: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


@shape
class PurchaseLimits:
    """Limits of what is reported: a client can report anything, and a backend may use the wrong unit.

    `maxAmountMinor` is the most that one purchase may amount to, in US cents, reported by a client or the backend. Set
    it to the price of the most expensive product. `dailyReportLimit` is how many purchases a player's client may report on
    a UTC day; 0: none, so that only the backend reports; `null`: any number.
    """

    max_amount_minor: Annotated[int, Int(1, 10**10)] = 10**9
    daily_report_limit: Annotated[int, Int(0, 1_000_000)] | None = 200


@section
class CommerceConfig(Config):
    """The part of the configuration about purchases."""

    exchange_rates: dict[str, str] = {}  # noqa: RUF012 - attrs shapes hold class-level defaults; never mutated
    purchases: PurchaseLimits = PurchaseLimits()


commerce_config: Final[Callable[[Unit], CommerceConfig]] = attrgetter("config")
"""The part about purchases of a unit's configuration."""


def faults_of(config: CommerceConfig) -> Iterator[Fault]:
    """The contradictions in the exchange rates."""
    for currency, rate in config.exchange_rates.items():
        path = f"exchangeRates.{currency}"
        if _CURRENCY.fullmatch(currency) is None:
            yield path, "must be named by a three-letter currency code"
        elif _RATE.fullmatch(rate) is None or not Decimal(rate):
            yield path, _RATE_FORM
        elif currency == "USD" and Decimal(rate) != 1:
            yield path, "must be left out, or 1: every rate is what one unit of a currency is worth in USD"


def in_words(path: str, text: str) -> str:
    """The message for a rate that is written as a number, which a reader would round: it says how to write it."""
    return _RATE_FORM if path.startswith("exchangeRates.") else text
