"""What amounts come to in US cents: exactly, and rounded half to even."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.configuration.game_config import parse_config
from livecore.commerce.exchange import rate_of, us_cents
from livecore.commerce.refusals import UnknownCurrency
from livecore.kernel.wire.shapes import MAX_AMOUNT
from tests.worlds import config

RATES = st.from_regex(r"[0-9]{1,12}(\.[0-9]{1,12})?", fullmatch=True, alphabet="0123456789.").filter(
    lambda rate: Fraction(rate) > 0
)


@pytest.mark.parametrize(
    ("amount", "currency", "rate", "cents"),
    [
        (999, "USD", "1", 999),
        (999, "EUR", "1.08", 1079),  # 10.7892
        (1000, "JPY", "0.0067", 670),  # whole yen
        (1234, "KWD", "3.25", 401),  # thousandths: 1.234 dinars are 4.0105
        (12345, "CLF", "40", 4938),  # ten-thousandths: 1.2345 are 49.38
        (1, "EUR", "0.5", 0),  # half a cent goes to the even side
        (3, "EUR", "0.5", 2),
        (5, "EUR", "0.5", 2),
        (0, "EUR", "1.08", 0),
        (MAX_AMOUNT, "USD", "1", MAX_AMOUNT),
    ],
)
def test_amounts_that_a_person_has_worked_out(amount: int, currency: str, rate: str, cents: int) -> None:
    """Currencies count their own smallest unit."""
    assert us_cents(amount, currency, rate) == cents


@given(st.integers(0, MAX_AMOUNT), st.sampled_from(["EUR", "JPY", "KWD", "CLF"]), RATES)
def test_the_arithmetic_is_exact(amount: int, currency: str, rate: str) -> None:
    """Against fractions, which never round; Python rounds them half to even."""
    decimals = {"EUR": 2, "JPY": 0, "KWD": 3, "CLF": 4}[currency]
    assert us_cents(amount, currency, rate) == round(Fraction(amount, 10**decimals) * Fraction(rate) * 100)


def test_a_rate_is_the_configured_one_and_the_dollar_needs_none() -> None:
    """Anything else is unknown, upper case or not."""
    game = parse_config(config(exchangeRates={"EUR": "1.08"}))
    assert rate_of(game, "EUR") == "1.08"
    assert rate_of(game, "USD") == "1"
    with pytest.raises(UnknownCurrency):
        rate_of(game, "GBP")
