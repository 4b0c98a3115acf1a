"""How an attempt's result is read: statuses, faults and `Retry-After`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.time import Timestamp
from livecore.webhooks.outcome import answered, retry_after_seconds, unanswered

NOW = int(Timestamp.parse("2026-01-31T09:30:00.000Z"))


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
def test_any_2xx_is_delivered(status: int) -> None:
    """A receiver may answer with whichever success it likes."""
    outcome = answered(status, now=NOW)
    assert outcome.delivered
    assert (outcome.status, outcome.error) == (status, None)


@pytest.mark.parametrize(
    "status", [100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599]
)
def test_everything_else_has_failed(status: int) -> None:
    """Redirects are failures like errors are; only 410 says that the receiver is gone."""
    outcome = answered(status, now=NOW)
    assert not outcome.delivered
    assert (outcome.status, outcome.error) == (status, f"the endpoint answered {status}")
    assert outcome.gone == (status == 410)


@pytest.mark.parametrize("fault", ["timeout", "address_refused", "connection_reset"])
def test_no_answer_has_failed(fault: str) -> None:
    """Running out of time, a refused address and a reset connection are failures without a status."""
    outcome = unanswered(fault)  # type: ignore[arg-type] # the words of a table
    assert not outcome.delivered
    assert not outcome.gone
    assert (outcome.status, outcome.error, outcome.retry_after_seconds) == (None, fault, None)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        ("", None),
        ("0", 0),
        ("120", 120),
        (" 120 ", 120),
        ("007", 7),
        ("9" * 18, 10**9),
        ("9" * 19, None),
        ("-1", None),
        ("1.5", None),
        ("+5", None),
        ("\u0661\u0662", None),
        ("soon", None),
        ("Sat, 31 Jan 2026 09:31:30 GMT", 90),
        ("Sat, 31 Jan 2026 09:30:00 GMT", 0),
        ("Sat, 31 Jan 2026 09:29:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 10**9),
        ("Sat, 32 Jan 2026 09:31:30 GMT", None),
        ("Sat, 31 Jan 2026 25:31:30 GMT", None),
        ("Sat, 31 Jan 0000 09:31:30 GMT", None),
        ("Saturday, 31-Jan-26 09:31:30 GMT", None),
        ("Sat, 31 Jan 2026 09:31:30 +0000", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, expected: int | None) -> None:
    """Both forms of the header are read, past dates mean now, and nonsense means nothing."""
    assert retry_after_seconds(header, NOW) == expected
    assert answered(503, retry_after=header, now=NOW).retry_after_seconds == expected


def test_part_of_a_second_is_rounded_up() -> None:
    """A receiver that names a moment is not called before it."""
    assert retry_after_seconds("Sat, 31 Jan 2026 09:31:30 GMT", NOW + 1) == 90
    assert retry_after_seconds("Sat, 31 Jan 2026 09:31:30 GMT", NOW - 1) == 91


@given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"))
def test_no_header_breaks_the_reader(header: str) -> None:
    """Whatever a receiver sends, the result is a bounded number or nothing."""
    seconds = retry_after_seconds(header, NOW)
    assert seconds is None or 0 <= seconds <= 10**9
