"""Values for single calls, the deadline of a call with all its attempts, and headers of one's own; time is virtual."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
import respx

from livecore_client import NO_RETRIES, RetryPolicy, SdkClient, ServerClient, errors
from livecore_client._settings import Settings
from tests.client.flavours import BASE_URL, AnySdk, Flavour
from tests.contract.operations.economy import WALLET
from tests.contract.operations.players import REGISTERED

ANSWER = httpx.Response(200, json={"data": WALLET})


def refused(status: int, code: str, **headers: str) -> httpx.Response:
    """A refusal."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"code": code, "message": "No."}}, headers=names)


def read(flavour: Flavour, client: AnySdk) -> None:
    """One call."""
    flavour.settle(client.wallet.get())


def settings(**options: float) -> Settings:
    """The settings of a backend's client."""
    made = ServerClient(base_url=BASE_URL, api_key="k", **options)  # type: ignore[arg-type] # numbers all
    return made._caller.settings


# -- the deadline ---------------------------------------------------------------------------------------------------------


def test_a_429_with_54_seconds_does_not_sleep_in_the_callers_thread(flavour: Flavour, router: respx.Router) -> None:
    """It slept for 54 s; now the refusal comes at once, with the time to wait."""
    router.route().mock(return_value=refused(429, "rate_limited", Retry_After="54"))
    with pytest.raises(errors.RateLimited) as caught:
        read(flavour, flavour.sdk(router))
    assert caught.value.retry_after_seconds == 54
    assert flavour.time.slept_seconds == []
    assert len(router.calls) == 1


def test_whoever_has_the_time_may_wait_for_it(flavour: Flavour, router: respx.Router) -> None:
    """A backend's job gives a longer deadline, for all its calls or for one."""
    router.route().mock(side_effect=[refused(429, "rate_limited", Retry_After="54"), ANSWER])
    read(flavour, flavour.sdk(router).with_options(deadline_seconds=90))
    (pause,) = flavour.time.slept_seconds
    assert 54 <= pause <= 60


def test_a_pause_that_would_pass_the_deadline_is_not_begun(flavour: Flavour, router: respx.Router) -> None:
    """Of the pauses of half a second, one and two, the deadline of three seconds leaves two."""
    router.route().mock(side_effect=httpx.ConnectError("refused"))
    with pytest.raises(errors.ConnectionFailed):
        read(flavour, flavour.sdk(router).with_options(deadline_seconds=3))
    assert flavour.time.slept_seconds == [0.5, 1.0]
    assert len(router.calls) == 3


def test_a_machine_that_slept_too_long_ends_with_the_failure_before(flavour: Flavour, router: respx.Router) -> None:
    """A laptop that was closed for an hour does not begin an attempt with no time left."""
    router.route().mock(side_effect=[refused(503, "overloaded", Retry_After="1"), ANSWER])
    client = flavour.sdk(router)
    flavour.time.oversleep_seconds = 3600
    with pytest.raises(errors.Overloaded) as caught:
        read(flavour, client)
    assert caught.value.retry_after_seconds == 1
    assert len(router.calls) == 1


def test_an_attempt_has_no_more_time_than_is_left(flavour: Flavour, router: respx.Router) -> None:
    """With time-outs of ten seconds and a deadline of twelve, the second attempt has what the first one left."""

    def late(request: httpx.Request) -> httpx.Response:
        allowed.append(request.extensions["timeout"])
        flavour.time.now_seconds += request.extensions["timeout"]["read"]
        raise httpx.ReadTimeout("slow", request=request)

    allowed: list[dict[str, float]] = []
    router.route().mock(side_effect=late)
    with pytest.raises(errors.TimedOut) as caught:
        read(flavour, flavour.sdk(router).with_options(deadline_seconds=12))
    assert allowed == [dict.fromkeys(("connect", "read", "write", "pool"), seconds) for seconds in (10.0, 1.5)]
    assert str(caught.value) == (
        "no answer from live.example.com:443 within 1.5 s, which was left until the deadline (2 attempts)"
    )


def test_an_answer_that_comes_in_small_parts_ends_with_the_deadline(flavour: Flavour, router: respx.Router) -> None:
    """Each part comes within the time-out, so the time-out alone would never end it."""

    class Slowly(httpx.SyncByteStream, httpx.AsyncByteStream):
        """A part every four seconds, without an end."""

        def __iter__(self):  # type: ignore[no-untyped-def] # noqa: ANN204 - an iterator of bytes
            while True:
                flavour.time.now_seconds += 4
                yield b" "

        async def __aiter__(self):  # type: ignore[no-untyped-def] # noqa: ANN204 - an iterator of bytes
            for piece in self:
                yield piece

    router.route().mock(side_effect=lambda _: httpx.Response(200, stream=Slowly()))
    with pytest.raises(errors.TimedOut) as caught:
        read(flavour, flavour.sdk(router))
    assert str(caught.value) == "the answer of live.example.com:443 was not complete before the deadline"
    assert flavour.time.now_seconds == 1_032
    assert len(router.calls) == 1


def test_the_deadline_is_30_seconds_unless_something_longer_was_asked_for() -> None:
    """A longer time-out, or a policy that goes on for longer, is not cut short by a default."""
    assert settings().deadline_seconds == 30
    assert settings(timeout_seconds=2).deadline_seconds == 30
    assert settings(timeout_seconds=45).deadline_seconds == 45
    patient = replace(settings(), retries=RetryPolicy(total_seconds=300))
    assert patient.deadline_seconds == 300
    assert replace(patient, given_deadline_seconds=7).deadline_seconds == 7
    assert patient.bounded_retries.total_seconds == 300
    assert settings(deadline_seconds=7).bounded_retries.total_seconds == 7


@pytest.mark.parametrize("seconds", [0, -1.0, float("inf"), float("nan"), True, "5"])
@pytest.mark.parametrize("name", ["timeout_seconds", "deadline_seconds"])
def test_a_time_that_means_nothing_is_refused(name: str, seconds: float) -> None:
    """In the client's own options and for single calls."""
    given = {name: seconds}
    with pytest.raises(errors.ConfigurationError, match=f"^{name} must be a positive number$"):
        settings(**given)
    with (
        ServerClient(base_url=BASE_URL, api_key="k") as client,
        pytest.raises(errors.ConfigurationError, match=f"^{name} must be a positive number$"),
    ):
        client.with_options(**given)  # type: ignore[arg-type] # numbers all


# -- values for single calls ----------------------------------------------------------------------------------------------


def test_values_for_one_call_leave_the_client_as_it_is(flavour: Flavour, router: respx.Router) -> None:
    """`with_options(timeout_seconds=…, retries=…)`, as users of other libraries know it."""
    router.route().mock(return_value=refused(503, "overloaded"))
    client = flavour.sdk(router)
    for made, attempts, seconds in (
        (client.with_options(timeout_seconds=2, retries=NO_RETRIES), 1, 2.0),
        (client.with_options(retries=RetryPolicy(max_attempts=2)), 2, 10.0),
        (client, 4, 10.0),
    ):
        before = len(router.calls)
        with pytest.raises(errors.Overloaded):
            read(flavour, made)
        assert len(router.calls) - before == attempts
        assert router.calls.last.request.extensions["timeout"]["read"] == seconds


def test_what_is_made_keeps_what_was_made_before(flavour: Flavour, router: respx.Router) -> None:
    """Options of options add up, and a namespace that was used already does not call with the old ones."""
    router.route().mock(return_value=refused(503, "overloaded"))
    client = flavour.sdk(router)
    with pytest.raises(errors.Overloaded):
        read(flavour, client)
    before = len(router.calls)
    with pytest.raises(errors.Overloaded):
        read(flavour, client.with_options(timeout_seconds=2).with_options(retries=NO_RETRIES))
    call, *more = list(router.calls)[before:]
    assert more == []
    assert call.request.extensions["timeout"]["read"] == 2


def test_it_is_the_same_player_over_the_same_connections(flavour: Flavour, router: respx.Router) -> None:
    """A secret that either of the two gets is the other's as well; the kind of client stays."""
    router.post(path__regex=".*/register$").mock(return_value=httpx.Response(200, json={"data": REGISTERED}))
    client = flavour.sdk(router, player_secret=None)
    made = client.with_options(timeout_seconds=2)
    assert type(made) is type(client)
    assert repr(made) == repr(client)
    assert made.external_player_id == "anna"
    flavour.settle(made.players.register())
    assert client.player_secret == made.player_secret == "lcs_new"
    client.player_secret = "lcs_newer"
    assert made.player_secret == "lcs_newer"
    assert made._caller._connections is client._caller._connections


def test_closing_what_was_made_closes_nothing(router: respx.Router) -> None:
    """Its block may end before the client's does."""
    router.route().mock(return_value=ANSWER)
    with SdkClient(
        base_url=BASE_URL,
        api_key="k",
        external_player_id="anna",
        player_secret="s",
        transport=httpx.MockTransport(router.handler),
    ) as client:
        with client.with_options(timeout_seconds=2) as made:
            made.wallet.get()
        client.wallet.get()
        made.wallet.get()
    assert len(router.calls) == 3


def test_a_client_brought_along_keeps_its_time_outs_unless_a_call_has_its_own(router: respx.Router) -> None:
    """They are what the pool was made with; a number that is given for one call is meant for that call."""
    router.route().mock(return_value=ANSWER)
    mine = httpx.Timeout(connect=1.0, read=None, write=3.0, pool=4.0)
    with httpx.Client(transport=httpx.MockTransport(router.handler), timeout=mine) as own:
        client = SdkClient(
            base_url=BASE_URL, api_key="k", external_player_id="anna", player_secret="s", http_client=own
        )
        client.wallet.get()
        client.with_options(timeout_seconds=2).wallet.get()
        allowed = [call.request.extensions["timeout"] for call in router.calls]
        assert allowed[0] == {"connect": 1.0, "read": 30.0, "write": 3.0, "pool": 4.0}
        assert allowed[1] == dict.fromkeys(("connect", "read", "write", "pool"), 2.0)
        client.close()
        assert not own.is_closed
        with pytest.raises(errors.ClientClosed, match=r"^this client was closed: make another one"):
            client.wallet.get()


def test_a_closed_client_that_was_brought_along_is_named(router: respx.Router) -> None:
    """It is not this client that was closed."""
    own = httpx.Client(transport=httpx.MockTransport(router.handler))
    client = ServerClient(base_url=BASE_URL, api_key="k", http_client=own)
    own.close()
    with pytest.raises(errors.ClientClosed, match=r"^the http_client that this client was given was closed$"):
        client.ping()


# -- headers --------------------------------------------------------------------------------------------------------------


def test_headers_of_ones_own_are_sent_beside_ours(flavour: Flavour, router: respx.Router) -> None:
    """Those for one call beside those of the client, and instead of one of the same name."""
    router.route().mock(return_value=ANSWER)
    client = flavour.sdk(router).with_options(headers={"X-Trace": "a", "X-Shard": "7"})
    read(flavour, client.with_options(headers={"x-trace": "b"}))
    read(flavour, client)
    first, second = (call.request.headers for call in router.calls)
    assert (first["X-Trace"], first["X-Shard"]) == ("b", "7")
    assert (second["X-Trace"], second["X-Shard"]) == ("a", "7")
    assert first["Authorization"] == "Bearer lc_test_client_abc"
    assert first["X-Player-Secret"] == "lcs_secret"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Authorization", "headers must not hold Authorization: the client makes it of api_key"),
        ("authorization", "headers must not hold authorization: the client makes it of api_key"),
        ("Idempotency-Key", "headers must not hold Idempotency-Key: give idempotency_key to the call"),
        ("X-Player-Secret", "headers must not hold X-Player-Secret: give player_secret to the client"),
        ("Content-Type", "headers must not hold Content-Type: the client sends JSON only"),
        ("User-Agent", "headers must not hold User-Agent: it names this library"),
        ("X Trace", "headers: 'X Trace' is no name of a header"),
        ("", "headers: '' is no name of a header"),
    ],
)
def test_headers_that_are_ours_are_refused(name: str, words: str) -> None:
    """One of the two would silently not be used; the text does not repeat the value, which may be a key."""
    with pytest.raises(errors.ConfigurationError) as caught:
        ServerClient(base_url=BASE_URL, api_key="k", headers={name: "value-of-it"})
    assert str(caught.value) == words
    with ServerClient(base_url=BASE_URL, api_key="k") as client, pytest.raises(errors.ConfigurationError):
        client.with_options(headers={name: "value-of-it"})


@pytest.mark.parametrize("value", ["a\r\nAuthorization: x", " padded", "två", ""])
def test_a_value_that_no_header_can_carry_is_refused(value: str) -> None:
    """A line break would begin another header."""
    words = "^headers: the value of X-Trace must be printable ASCII without spaces around it$"
    with pytest.raises(errors.ConfigurationError, match=words):
        ServerClient(base_url=BASE_URL, api_key="k", headers={"X-Trace": value})


def test_every_header_that_we_send_is_one_that_nobody_can_add(flavour: Flavour, router: respx.Router) -> None:
    """So that a header that we add later is refused as well."""
    router.route().mock(return_value=ANSWER)
    client = flavour.sdk(router, app_version="1.0")
    with pytest.raises(errors.UnreadableAnswer):
        flavour.settle(client.wallet.debit("gold", amount=1))
    for name in set(router.calls.last.request.headers) - {"accept-encoding"}:
        with pytest.raises(errors.ConfigurationError):
            client.with_options(headers={name: "x"})
