"""Why no answer came, or whose it was, in words: on real sockets, in both flavours, and without a secret."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest

from livecore_client import NO_RETRIES, AsyncSdkClient, RetryPolicy, SdkClient, errors
from tests.client.flavours import Flavour
from tests.client.sockets import Manner, answering, other_server, silent, unused_port
from tests.delivery.receivers import certificate

SECRETS = ("lc_test_client_abc", "lcs_secret", "trace-me")


def failure(
    flavour: Flavour, base_url: str, *, retries: RetryPolicy = NO_RETRIES, timeout_seconds: float = 60.0
) -> errors.LivecoreError:
    """What a call to that address raises; nothing that is said of it holds a secret."""
    kind = AsyncSdkClient if flavour.is_async else SdkClient
    client = kind(
        base_url=base_url,
        api_key=SECRETS[0],
        external_player_id="anna",
        player_secret=SECRETS[1],
        headers={"X-Trace": SECRETS[2]},
        retries=retries,
        timeout_seconds=timeout_seconds,
    )
    flavour.clients.append(client)
    with pytest.raises(errors.LivecoreError) as caught:
        flavour.settle(client.wallet.get())
    text = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(client._caller.settings)
    assert not any(secret in text for secret in SECRETS)
    return caught.value


def test_a_server_that_is_not_there_is_named(flavour: Flavour) -> None:
    """Was `[Errno 111] Connection refused`, and `All connection attempts failed` in asyncio."""
    port = unused_port()
    caught = failure(flavour, f"http://127.0.0.1:{port}")
    assert type(caught) is errors.ConnectionFailed
    assert str(caught) == f"no connection to 127.0.0.1:{port}: refused, so no server listens there"
    tried = failure(flavour, f"http://127.0.0.1:{port}", retries=RetryPolicy(max_attempts=3, base_seconds=0))
    assert str(tried) == f"no connection to 127.0.0.1:{port}: refused, so no server listens there (3 attempts)"


def test_a_name_that_does_not_exist_is_named(flavour: Flavour) -> None:
    """Was `[Errno -2] Name or service not known`; `.invalid` never exists."""
    caught = failure(flavour, "https://live.game.invalid")
    assert type(caught) is errors.ConnectionFailed
    assert str(caught).startswith(
        "no connection to live.game.invalid:443: the name live.game.invalid cannot be resolved ("
    )


def test_https_spoken_to_an_http_port_is_said_and_not_tried_again(flavour: Flavour) -> None:
    """Was `[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)`, after four attempts."""
    with other_server(answering("400 Bad Request")) as other:
        caught = failure(flavour, f"https://{other.place}", retries=RetryPolicy(max_attempts=4, base_seconds=0))
        assert isinstance(caught, errors.TlsFailed)
        assert str(caught) == (
            f"no connection to {other.place}: the server does not speak https: did you mean http://{other.place}?"
        )
        assert other.count == 1


def test_http_spoken_to_an_https_port_is_said(flavour: Flavour, tmp_path: Path) -> None:
    """Was an empty text in asyncio; a server of TLS hangs up on what is none."""
    with other_server(silent, tls=certificate(tmp_path, "127.0.0.1").serving) as other:
        caught = failure(flavour, f"http://{other.place}")
    assert isinstance(caught, errors.ConnectionFailed)
    assert str(caught).startswith(f"the connection to {other.place} broke before the answer was complete")
    assert str(caught).endswith("; if the server speaks https, base_url must begin with https://")


def test_an_alert_of_tls_is_not_taken_for_an_answer(flavour: Flavour) -> None:
    """Other servers send seven bytes before they hang up."""
    with other_server(lambda connection: connection.sendall(b"\x15\x03\x01\x00\x02\x02\x46\r\n\r\n")) as other:
        caught = failure(flavour, f"http://{other.place}")
    assert str(caught) == (
        f"{other.place} answered with something that is not HTTP; if the server speaks https, "
        "base_url must begin with https://"
    )


def test_a_proxy_that_wants_https_is_understood(flavour: Flavour) -> None:
    """Nginx answers 400 with a page."""
    page = "<html><center>The plain HTTP request was sent to HTTPS port</center></html>"
    with other_server(answering("400 Bad Request", page)) as other:
        caught = failure(flavour, f"http://{other.place}")
    assert isinstance(caught, errors.BadRequest)
    assert caught.message == f"{other.place} speaks https, and was asked by http: did you mean https://{other.place}?"


def test_a_certificate_that_is_not_trusted_is_said_and_not_tried_again(flavour: Flavour, tmp_path: Path) -> None:
    """With the reason that the library of TLS has."""
    with other_server(silent, tls=certificate(tmp_path, "127.0.0.1").serving) as other:
        caught = failure(flavour, f"https://{other.place}", retries=RetryPolicy(max_attempts=4, base_seconds=0))
        assert isinstance(caught, errors.TlsFailed)
        assert str(caught) == (
            f"no connection to {other.place}: its certificate is not trusted (self-signed certificate)"
        )
        assert other.count == 1


def test_a_server_that_does_not_answer_is_named_with_the_time(flavour: Flavour) -> None:
    """Was `no answer in time: timed out`."""
    with other_server(silent) as other:
        caught = failure(flavour, f"http://{other.place}", timeout_seconds=0.25)
        assert isinstance(caught, errors.TimedOut)
        assert str(caught) == f"no answer from {other.place} within 0.25 s"


ADVICE = "is base_url right, or is a proxy or the login of a network between?"


@pytest.mark.parametrize(
    ("manner", "kind", "words"),
    [
        (answering("200 OK", "<html>Welcome</html>"), errors.UnreadableAnswer,
         f"an HTML page with status 200; {ADVICE}"),
        (answering("200 OK", '{"ok":true}', kind="application/json"), errors.UnreadableAnswer,
         f"JSON of another shape with status 200; {ADVICE}"),
        (answering("200 OK", "OK", kind="text/plain"), errors.UnreadableAnswer,
         f"something that is no JSON with status 200; {ADVICE}"),
        (answering("204 No Content"), errors.UnreadableAnswer, f"an empty answer with status 204; {ADVICE}"),
        (answering("404 Not Found", "<html>404</html>"), errors.NotFound, f"an HTML page with status 404; {ADVICE}"),
        (answering("404 Not Found", '{"detail":"Not Found"}', kind="application/json"), errors.NotFound,
         f"JSON of another shape with status 404; {ADVICE}"),
        (answering("502 Bad Gateway", "<html>bad gateway</html>"), errors.ServerError,
         "an HTML page with status 502; a proxy in front of it may have lost it"),
    ],
    ids=["page", "json", "text", "empty", "404 page", "404 json", "502"],
)  # fmt: skip
def test_what_is_not_livecore_is_said(
    manner: Manner, kind: type[errors.LivecoreError], words: str, flavour: Flavour
) -> None:
    """Was `the answer with status 200 has no data`, and `404: the answer has no error envelope`."""
    with other_server(manner) as other:
        caught = failure(flavour, f"http://{other.place}")
        assert isinstance(caught, kind)
        assert str(caught).endswith(f"what answered at {other.place} is not Livecore: {words}")


def test_a_redirect_is_not_followed_and_its_target_named_without_its_query(flavour: Flavour) -> None:
    """Was `the server answered with status 302: is the base address right?`; a query may hold a token."""
    login = "Location: https://login.example.com/portal?token=trace-me\r\n"
    with other_server(answering("302 Found", further=login)) as other:
        caught = failure(flavour, f"http://{other.place}")
        assert isinstance(caught, errors.UnreadableAnswer)
        assert str(caught) == (
            f"{other.place} redirects to https://login.example.com (status 302), which Livecore never does: "
            "is base_url right, or does a network want a login first?"
        )
    secure = "Location: https://127.0.0.1/sdk/v1/players/anna/wallet\r\n"
    with other_server(answering("301 Moved Permanently", further=secure)) as other:
        caught = failure(flavour, f"http://{other.place}")
        assert str(caught).endswith("which Livecore never does: did you mean base_url=https://127.0.0.1?")


def test_a_closed_client_raises_one_of_ours(flavour: Flavour) -> None:
    """Was httpx's `RuntimeError: Cannot send a request, as the client has been closed.`; it still is one."""
    with other_server(silent) as other:
        kind = AsyncSdkClient if flavour.is_async else SdkClient
        client = kind(base_url=f"http://{other.place}", api_key="k", external_player_id="anna", player_secret="s")
        made = client.with_options(timeout_seconds=2)
        flavour.clients += [client, made]
        flavour.close()
        for closed in (client, made):
            with pytest.raises(errors.ClientClosed) as caught:
                flavour.settle(closed.wallet.get())
            assert isinstance(caught.value, RuntimeError)
            assert str(caught.value) == "this client was closed: make another one, or call it before its block ends"
        assert other.count == 0


def test_the_log_of_a_failure_names_no_secret(flavour: Flavour, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever turns on every line of the log may send it to others."""
    caplog.set_level(logging.DEBUG)
    port = unused_port()
    failure(flavour, f"http://127.0.0.1:{port}", retries=RetryPolicy(max_attempts=2, base_seconds=0))
    ours = [record.getMessage() for record in caplog.records if record.name == "livecore_client"]
    call = "GET /sdk/v1/players/anna/wallet"
    refused = f"no connection to 127.0.0.1:{port}: refused, so no server listens there"
    assert [line.split(" after ")[0] for line in ours] == [
        f"{call} attempt 1: ConnectionFailed: {refused}",
        f"{call}: ConnectionFailed: {refused}; again in 0.00 s",
        f"{call} attempt 2: ConnectionFailed: {refused} (2 attempts)",
    ]
    assert not any(secret in caplog.text for secret in SECRETS)
