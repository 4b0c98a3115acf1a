"""Which calls are tried again, when, and with what; time is virtual throughout."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
import respx
from hypothesis import given
from hypothesis import strategies as st

from livecore_client import NO_RETRIES, RetryPolicy, errors
from livecore_client._retry import RETRIED_STATUSES, retry_after_seconds
from tests.client.flavours import Flavour
from tests.contract.operations import economy
from tests.contract.operations.grants import GRANT

WALLET = httpx.Response(200, json={"data": economy.WALLET})
CHANGE = httpx.Response(200, json={"data": economy.WALLET_CHANGE})


def _refusal(status: int, code: str = "x", **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"code": code, "message": "No."}}, headers=names)


@pytest.mark.parametrize(
    "first",
    [
        *(_refusal(status) for status in sorted(RETRIED_STATUSES)),
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("slow"),
        httpx.ReadTimeout("slow"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("gone"),
    ],
    ids=repr,
)
def test_what_may_pass_is_tried_again(
    first: httpx.Response | Exception, flavour: Flavour, router: respx.Router
) -> None:
    """Lost connections, time-outs, 429 and the three passing faults of a server cost a pause, not the call."""
    router.route().mock(side_effect=[first, WALLET])
    flavour.settle(flavour.sdk(router).wallet.get())
    assert flavour.time.slept_seconds == [0.5]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 410, 413, 415, 418, 422, 500, 501])
def test_a_final_answer_is_not_tried_again(status: int, flavour: Flavour, router: respx.Router) -> None:
    """Waiting does not change a refusal: no 4xx but 429 is repeated, a `gift_cooldown` with its 409 least of all."""
    router.route().mock(return_value=_refusal(status, Retry_After="1"))
    with pytest.raises(errors.ApiError):
        flavour.settle(flavour.sdk(router).wallet.debit("gold", amount=1))
    assert len(router.calls) == 1


def test_every_try_carries_the_same_idempotency_key(flavour: Flavour, router: respx.Router) -> None:
    """A try whose answer was lost must not have its effect again; the next call is another write with another key."""
    router.route().mock(side_effect=[httpx.ReadTimeout("slow"), _refusal(503), CHANGE, CHANGE])
    client = flavour.sdk(router)
    flavour.settle(client.wallet.debit("gold", amount=1))
    flavour.settle(client.wallet.debit("gold", amount=1))
    keys = [call.request.headers["Idempotency-Key"] for call in router.calls]
    assert keys == ["key-1", "key-1", "key-1", "key-2"]
    assert len({call.request.content for call in router.calls}) == 1


def test_the_callers_own_idempotency_key_is_sent(flavour: Flavour, router: respx.Router) -> None:
    """A program that names its writes itself is safe over its own crashes too, so its name must arrive as it is."""
    router.route().mock(side_effect=[_refusal(502), CHANGE])
    flavour.settle(flavour.server(router).wallet.credit("anna", "gold", amount=1, idempotency_key="order 7"))
    assert [call.request.headers["Idempotency-Key"] for call in router.calls] == ["order 7", "order 7"]


def test_a_grant_without_a_key_of_the_callers_gets_one_for_all_tries(flavour: Flavour, router: respx.Router) -> None:
    """Grants insist on a key in the body; the automatic one stands there and in the header, equal over the tries."""
    router.route().mock(side_effect=[_refusal(503), httpx.Response(201, json={"data": GRANT})])
    flavour.settle(flavour.server(router).grants.create("anna", entries=[]))
    for call in router.calls:
        assert call.request.headers["Idempotency-Key"] == "key-1"
        assert b'"idempotencyKey":"key-1"' in call.request.content


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "tab\there", "snö", "padded "])
def test_a_key_that_no_header_can_carry_is_refused_at_once(key: str, flavour: Flavour, router: respx.Router) -> None:
    """A key that would arrive changed is a double payment waiting to happen."""
    with pytest.raises(errors.InvalidArgument):
        flavour.settle(flavour.sdk(router).wallet.debit("gold", amount=1, idempotency_key=key))
    assert not router.calls


def test_retry_after_is_honoured(flavour: Flavour, router: respx.Router) -> None:
    """No try before the moment that the server named, whatever the policy's own pause; up to a tenth more by chance."""
    router.route().mock(side_effect=[_refusal(429, "rate_limited", Retry_After="7"), WALLET])
    flavour.settle(flavour.sdk(router).wallet.get())
    (pause,) = flavour.time.slept_seconds
    assert 7.0 <= pause <= 7.7


def test_a_wish_beyond_the_callers_patience_ends_the_call(flavour: Flavour, router: respx.Router) -> None:
    """A caller who allows a minute is not kept for an hour: the refusal comes back at once and says how long it would be."""
    router.route().mock(return_value=_refusal(503, "overloaded", Retry_After="3600"))
    with pytest.raises(errors.Overloaded) as caught:
        flavour.settle(flavour.sdk(router).wallet.get())
    assert caught.value.retry_after_seconds == 3600
    assert flavour.time.slept_seconds == []


def test_tries_are_bounded_in_number(flavour: Flavour, router: respx.Router) -> None:
    """The last failure is the one that is raised, after pauses that double."""
    router.route().mock(side_effect=httpx.ConnectError("refused"))
    with pytest.raises(errors.ConnectionFailed):
        flavour.settle(flavour.sdk(router).wallet.get())
    assert len(router.calls) == 4
    assert flavour.time.slept_seconds == [0.5, 1.0, 2.0]


def test_tries_are_bounded_in_time(flavour: Flavour, router: respx.Router) -> None:
    """No try begins after the policy's total, however many are left."""
    router.route().mock(return_value=_refusal(503))
    policy = RetryPolicy(max_attempts=1000, total_seconds=10)
    with pytest.raises(errors.ServerError):
        flavour.settle(flavour.sdk(router, retries=policy).wallet.get())
    assert flavour.time.now_seconds <= 1010


def test_retries_can_be_switched_off(flavour: Flavour, router: respx.Router) -> None:
    """A program with its own way of retrying wants each failure at once."""
    router.route().mock(return_value=_refusal(503))
    with pytest.raises(errors.ServerError):
        flavour.settle(flavour.sdk(router, retries=NO_RETRIES).wallet.get())
    assert len(router.calls) == 1


@given(
    attempt=st.integers(1, 2000),
    chance=st.floats(0, 1),
    asked=st.none() | st.floats(0, 10_000),
)
def test_law_a_pause_is_never_shorter_than_asked_nor_longer_than_the_policy_allows(
    attempt: int, chance: float, asked: float | None
) -> None:
    """For any attempt and any luck: at least what the server asked for, and within the cap or a tenth over the wish."""
    policy = RetryPolicy(max_attempts=5000, total_seconds=1e9)
    failure = errors.RateLimited("later", status=429, retry_after_seconds=asked)
    pause = policy.pause_seconds(failure, attempt=attempt, elapsed_seconds=0, chance=chance)
    assert pause is not None
    assert (asked or 0.0) <= pause <= max(policy.cap_seconds, 1.1 * (asked or 0.0) + 1e-6)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        (" 12 ", 12.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        ("9" * 400, 999_999_999.0),
        ("Sat, 31 Jan 2026 12:00:10 GMT", 10.0),
        ("Sat, 31 Jan 2026 11:00:00 GMT", 0.0),
        ("Sat, 99 Jan 2026 11:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_in_both_forms_and_nonsense_is_ignored(value: str | None, seconds: float | None) -> None:
    """Seconds and dates are both legal; whatever a proxy writes, reading it never raises."""
    assert retry_after_seconds(value, now_seconds=1_769_860_800) == seconds


@pytest.mark.parametrize(
    "make",
    [
        lambda: RetryPolicy(max_attempts=0),
        lambda: RetryPolicy(base_seconds=-1),
        lambda: RetryPolicy(cap_seconds=-1),
        lambda: RetryPolicy(total_seconds=-0.1),
    ],
)
def test_a_policy_that_means_nothing_is_refused(make: Callable[[], RetryPolicy]) -> None:
    """A mistake in the configuration shows when the program starts, not when a server fails."""
    with pytest.raises(errors.ConfigurationError):
        make()
