"""Converts amounts of any currency to US cents, in exact decimal arithmetic.

An amount is in the smallest unit of its currency: cents for EUR, whole yen for JPY, thousandths for KWD (ISO 4217). A rate
is the USD for one unit of the currency, as a decimal text in the game's configuration; USD needs none. The result is
rounded half to even.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from livecore.commerce.config import CommerceConfig
from livecore.commerce.refusals import UnknownCurrency

_NO_DECIMALS: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DECIMALS: Final = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DECIMALS: Final = "CLF UYW"
_DECIMALS: Final = {
    **dict.fromkeys(_NO_DECIMALS.split(), 0),
    **dict.fromkeys(_THREE_DECIMALS.split(), 3),
    **dict.fromkeys(_FOUR_DECIMALS.split(), 4),
}
"""The currencies that do not have two decimals."""
_EXACT: Final = Context(prec=80, rounding=ROUND_HALF_EVEN)
"""Enough digits for any amount at any rate, so that only the last step rounds."""


def rate_of(config: CommerceConfig, currency: str) -> str:
    """USD for one unit of a currency, as configured. Raises `UnknownCurrency`."""
    rate = "1" if currency == "USD" else config.exchange_rates.get(currency)
    if rate is None:
        raise UnknownCurrency.of(currency, known=sorted({"USD", *config.exchange_rates}))
    return rate


def in_units(amount_minor: int, currency: str) -> str:
    """An amount in a currency's smallest unit as people write it: with the currency's own number of decimals."""
    return str(Decimal(amount_minor).scaleb(-_DECIMALS.get(currency, 2), _EXACT))


def us_cents(amount_minor: int, currency: str, rate: str) -> int:
    """An amount in a currency's smallest unit as US cents."""
    dollars = _EXACT.multiply(Decimal(amount_minor).scaleb(-_DECIMALS.get(currency, 2), _EXACT), Decimal(rate))
    return int(dollars.scaleb(2, _EXACT).quantize(Decimal(1), context=_EXACT))
