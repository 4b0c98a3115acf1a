"""Refusals and failures as exceptions: the exact class, everything the answer said, and no secret."""

from __future__ import annotations

import pickle
import traceback

import httpx
import pytest
import respx

from livecore.api.areas import AREAS
from livecore_client import errors
from tests.client.flavours import Flavour
from tests.contract.operations.players import REGISTERED

REFUSALS = list(AREAS.refusals)
BY_HAND = [
    ("gift_cooldown", 409, errors.GiftCooldown, errors.Conflict),
    ("gift_expired", 410, errors.GiftExpired, errors.Gone),
    ("player_secret_invalid", 401, errors.PlayerSecretInvalid, errors.Unauthorized),
    ("wrong_permission_set", 403, errors.WrongPermissionSet, errors.Forbidden),
    ("friend_code_invalid", 404, errors.FriendCodeInvalid, errors.NotFound),
    ("validation_failed", 400, errors.ValidationFailed, errors.BadRequest),
    ("rate_limited", 429, errors.RateLimited, errors.TooManyRequests),
    ("overloaded", 503, errors.Overloaded, errors.ServerError),
    ("internal_error", 500, errors.InternalError, errors.ServerError),
    ("body_too_large", 413, errors.BodyTooLarge, errors.ApiError),
]


def _raised(flavour: Flavour, router: respx.Router, response: httpx.Response | Exception) -> errors.LivecoreError:
    router.route().mock(side_effect=[response] * 4)
    with pytest.raises(errors.LivecoreError) as caught:
        flavour.settle(flavour.sdk(router).wallet.get())
    return caught.value


@pytest.mark.parametrize(("code", "status", "kind", "family"), BY_HAND, ids=str)
def test_a_code_raises_its_class_within_its_family(
    code: str,
    status: int,
    kind: type[errors.ApiError],
    family: type[errors.ApiError],
    flavour: Flavour,
    router: respx.Router,
) -> None:
    """Codes are what a program matches on, and the families let it match more coarsely."""
    answer = httpx.Response(status, json={"error": {"code": code, "message": "No."}})
    failure = _raised(flavour, router, answer)
    assert type(failure) is kind
    assert isinstance(failure, family)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.code)
def test_every_code_of_the_service_has_a_class(refusal: type) -> None:
    """Each refusal that the service knows has an exported exception of the same name that stands for its code."""
    kind = getattr(errors, refusal.__name__)
    assert issubclass(kind, errors.ApiError)
    assert refusal.__name__ in errors.__all__


def test_a_refusal_says_all_that_the_answer_said(flavour: Flavour, router: respx.Router) -> None:
    """Status, code, message, details, request id and the time to wait are there to be read."""
    details = {"giftCooldownUntil": "2026-02-01T12:00:00.000Z"}
    answer = httpx.Response(
        409,
        json={"error": {"code": "gift_cooldown", "message": "Too soon.", "details": details}},
        headers={"X-Request-Id": "req-7", "Retry-After": "30"},
    )
    failure = _raised(flavour, router, answer)
    assert isinstance(failure, errors.GiftCooldown)
    assert (failure.status, failure.code, failure.message) == (409, "gift_cooldown", "Too soon.")
    assert (failure.details, failure.request_id, failure.retry_after_seconds) == (details, "req-7", 30.0)
    assert str(failure) == (
        "409 gift_cooldown: Too soon. (gift_cooldown_until='2026-02-01T12:00:00.000Z', request req-7)"
    )


@pytest.mark.parametrize(
    ("status", "code", "details", "text"),
    [
        (
            409,
            "insufficient_balance",
            {"resource": "gold", "needed": 25, "have": 10},
            "409 insufficient_balance: No. (resource='gold', needed=25, have=10)",
        ),
        (400, "gift_amount_invalid", {"maxAmount": 100}, "400 gift_amount_invalid: No. (max_amount=100)"),
        (500, "internal_error", {"requestId": "req_1"}, "500 internal_error: No. (request req_1)"),
        (409, "settings_refused", {"reasons": ["x" * 1_100]}, f"409 settings_refused: No. (reasons=['{'x' * 998}…)"),
        (404, "grant_not_found", {}, "404 grant_not_found: No."),
        (599, "tired", {"fields": 7}, "599 tired: No. (fields=7)"),
    ],
)
def test_the_text_of_a_refusal_shows_its_details(
    status: int, code: str, details: object, text: str, flavour: Flavour, router: respx.Router
) -> None:
    """`str(error)` is what ends in a log: how much was needed and how much there was, spelled as Python spells names."""
    error = {"code": code, "message": "No.", "details": details}
    headers = {"X-Request-Id": "req_1"} if code == "internal_error" else {}
    failure = _raised(flavour, router, httpx.Response(status, json={"error": error}, headers=headers))
    assert str(failure) == text
    assert isinstance(failure, errors.ApiError)
    assert failure.details == details
    again = pickle.loads(pickle.dumps(failure))  # noqa: S301 - our own
    assert str(again) == text


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.BadRequest),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (418, errors.ApiError),
        (429, errors.TooManyRequests),
        (500, errors.ServerError),
        (599, errors.ServerError),
    ],
)
def test_an_unknown_code_raises_its_statuses_family(
    status: int, kind: type[errors.ApiError], flavour: Flavour, router: respx.Router
) -> None:
    """A newer service may refuse for reasons that this release has no class for, and a program still catches them."""
    failure = _raised(flavour, router, httpx.Response(status, json={"error": {"code": "tired", "message": "No."}}))
    assert type(failure) is kind
    assert isinstance(failure, errors.ApiError)
    assert failure.code == "tired"


def test_an_error_envelope_with_a_status_of_success_is_raised(flavour: Flavour, router: respx.Router) -> None:
    """A lobby that is still forming answers 202 with an error envelope, which is no data and must not be read as such."""
    failure = _raised(flavour, router, httpx.Response(202, json={"error": {"code": "lobby_forming", "message": "…"}}))
    assert isinstance(failure, errors.NotYet)
    assert failure.code == "lobby_forming"


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", b"", b"[]", b'{"error": 7}', b"\xff", b"[" * 100_000])
def test_a_proxys_refusal_without_an_envelope_is_a_refusal(body: bytes, flavour: Flavour, router: respx.Router) -> None:
    """Load balancers answer with pages of their own; the status still counts."""
    failure = _raised(flavour, router, httpx.Response(502, content=body))
    assert isinstance(failure, errors.ServerError)
    assert (failure.status, failure.code) == (502, "")


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>please log in</html>"),
        httpx.Response(200, json={"balances": []}),
        httpx.Response(200, json={"data": {"balances": [{"key": "gold"}]}}),
        httpx.Response(200, json={"data": {"balances": 7}}),
        httpx.Response(200, json={"data": None}),
        httpx.Response(204),
        httpx.Response(302, headers={"Location": "https://elsewhere.example.com"}),
        httpx.DecodingError("bad gzip"),
    ],
    ids=repr,
)
def test_a_success_that_is_not_the_documented_shape_is_unreadable(
    answer: httpx.Response | Exception, flavour: Flavour, router: respx.Router
) -> None:
    """A captive portal or a wrong address shows as one typed error, and is never followed to another host."""
    assert isinstance(_raised(flavour, router, answer), errors.UnreadableAnswer)
    assert len(router.calls) == 1


def test_losing_the_connection_and_running_out_of_time_are_told_apart(flavour: Flavour, router: respx.Router) -> None:
    """Both also answer to Python's own names, so code that knows nothing of this library catches them."""
    timeout = _raised(flavour, router, httpx.ReadTimeout("slow"))
    assert isinstance(timeout, errors.TimedOut)
    assert isinstance(timeout, TimeoutError)
    lost = _raised(flavour, router, httpx.ConnectError("refused"))
    assert isinstance(lost, errors.ConnectionFailed)
    assert isinstance(lost, ConnectionError)
    other = _raised(flavour, router, httpx.UnsupportedProtocol("ftp"))
    assert type(other) is errors.TransportError


def test_no_secret_shows_in_a_traceback_or_a_representation(flavour: Flavour, router: respx.Router) -> None:
    """Logs are read by many: neither the key nor the player's secret may end there."""
    failure = _raised(flavour, router, httpx.ConnectError("refused"))
    client = flavour.sdk(router)
    text = "".join(traceback.format_exception(failure)) + repr(client) + repr(client._caller.settings) + repr(failure)
    assert "lc_test_client_abc" not in text
    assert "lcs_secret" not in text
    assert "anna" in repr(client)


def test_answers_with_secrets_do_not_show_them(flavour: Flavour, router: respx.Router) -> None:
    """The rows that carry a new player secret keep it out of their representation."""
    router.route().mock(return_value=httpx.Response(200, json={"data": REGISTERED}))
    answer = flavour.settle(flavour.sdk(router).players.register())
    assert answer.player_secret == "lcs_new"
    assert "lcs_new" not in repr(answer)


def test_a_refusal_survives_pickling() -> None:
    """Exceptions cross process boundaries in task queues and test runners, with all they carry."""
    failure = errors.GiftCooldown("Too soon.", status=409, code="gift_cooldown", details={"a": 1}, request_id="r")
    copy = pickle.loads(pickle.dumps(failure))  # noqa: S301 - we have just written it ourselves
    assert type(copy) is errors.GiftCooldown
    assert (copy.status, copy.code, copy.details, copy.request_id) == (409, "gift_cooldown", {"a": 1}, "r")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\x00b", "a\nb", "\x9f", "\ud800"])
def test_an_id_that_would_change_the_path_is_refused_before_it_is_sent(
    name: str, flavour: Flavour, router: respx.Router
) -> None:
    """Removing the friend `..` must not become a request for something else."""
    with pytest.raises(errors.InvalidArgument):
        flavour.settle(flavour.sdk(router).friends.remove(name))
    with pytest.raises(errors.InvalidArgument):
        flavour.settle(flavour.server(router).friends.list(name))
    assert not router.calls


@pytest.mark.parametrize(
    "metadata", [{"n": float("nan")}, {"o": object()}, {"s": "\ud800"}], ids=["nan", "object", "surrogate"]
)
def test_metadata_that_is_no_json_is_refused_before_it_is_sent(
    metadata: dict[str, object], flavour: Flavour, router: respx.Router
) -> None:
    """The caller hears of it as one typed error, and nothing leaves."""
    with pytest.raises(errors.InvalidArgument):
        flavour.settle(flavour.sdk(router).players.register(player_context=metadata))
    assert not router.calls
