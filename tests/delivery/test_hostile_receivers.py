"""Receivers that do everything wrong: each way of failing has its name, its bound, and no effect on the sender."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from examples.own_server import free_port
from livecore.kernel.time import Millis
from livecore.webhooks.addresses import parse_networks
from livecore.webhooks.outcome import MAX_ANSWER_BYTES, MAX_HEAD_BYTES, MAX_INFORMATIONAL, Outcome
from livecore_server.background.webhooks import NameService, NetworkRules, Poster
from tests.delivery.receivers import (
    Manner,
    Receiver,
    answering,
    certificate,
    receiver,
    saying,
    saying_for_ever,
    saying_then_hanging,
    saying_then_resetting,
)

NOW: Millis = 1_767_225_600_000
LOOPBACK = NetworkRules(allowed_networks=parse_networks(["127.0.0.0/8"]))
OK = "HTTP/1.1 200 OK\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
MALFORMED = Outcome(delivered=False, error="malformed_answer")


def posting(poster: Poster, send: Callable[[Poster], Awaitable[Outcome]]) -> Outcome:
    """One attempt with a poster of its own."""

    async def run() -> Outcome:
        await poster.open()
        try:
            return await send(poster)
        finally:
            await poster.close()

    return asyncio.run(run())


def outcome_of(manner: Manner, *, timeout_seconds: float = 10.0, seen: list[Receiver] | None = None) -> Outcome:
    """How an attempt ends at a receiver of this manner."""

    async def send(poster: Poster) -> Outcome:
        async with receiver(manner) as hook:
            if seen is not None:
                seen.append(hook)
            return await poster.post("test", hook.url, {"X-Signature": "t=1,v1=0"}, b"{}")

    return posting(Poster(NetworkRules(), now=lambda: NOW, timeout_seconds=timeout_seconds), send)


@pytest.mark.parametrize(
    "manner",
    [
        saying_then_hanging(""),
        saying_then_hanging("HTTP/1.1 200"),
        saying_then_hanging(OK + "Content-Length: 5\r\n"),
        saying_then_hanging(OK + "Content-Length: 5\r\n\r\nab"),
        saying_then_hanging(OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
    ],
    ids=["says nothing", "half a status line", "no end of headers", "half a body", "no last chunk"],
)
def test_an_answer_that_is_not_there_in_time_is_a_timeout(manner: Manner) -> None:
    """The seconds count for the whole answer, wherever it stops."""
    assert outcome_of(manner, timeout_seconds=0.1) == Outcome(delivered=False, error="timeout")


@pytest.mark.parametrize(
    "manner",
    [
        saying_then_resetting(""),
        saying_then_resetting(OK + "Content-Len"),
        saying_then_resetting(OK + "Content-Length: 5\r\n\r\nab"),
        saying(""),
        saying(OK + "Content-Length: 5\r\n\r\nab"),
        saying(OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
    ],
    ids=["at once", "in the headers", "in the body", "closed at once", "closed in the body", "closed between chunks"],
)
def test_a_connection_that_ends_too_early_is_a_reset(manner: Manner) -> None:
    """A 2xx that breaks off is no 2xx: whether the receiver has kept the event is not known."""
    assert outcome_of(manner) == Outcome(delivered=False, error="connection_reset")


@pytest.mark.parametrize(
    "manner",
    [
        saying("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
        saying(OK + "Content-Length: minus\r\n\r\n"),
        saying(OK + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        saying(OK + "X: " + "x" * 100_000 + "\r\n\r\n"),
        saying_for_ever(OK, b"X-More: and more\r\n" * 100),
        saying_for_ever("", CONTINUE),
        saying_for_ever("", b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n" * 100),
    ],
    ids=[
        "another protocol",
        "no length",
        "two lengths",
        "a long header",
        "headers without end",
        "always 100",
        "always 103",
    ],
)
def test_what_is_no_http_is_malformed(manner: Manner) -> None:
    """An answer that cannot be read is a failure of its own, and costs bounded memory."""
    assert outcome_of(manner) == Outcome(delivered=False, error="malformed_answer")


@pytest.mark.parametrize(
    "manner",
    [
        saying_for_ever(OK + "\r\n", b"x" * 4096),
        saying_for_ever(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"),
        saying_for_ever(CHUNKED, b"1\r\nx\r\n" * 100),
        saying_for_ever(CHUNKED + "1", b";extension=of-a-chunk" * 100),
        saying_for_ever("", NO_CONTENT * 100),
        answering(200, body=b"x" * (MAX_ANSWER_BYTES + 1)),
        answering(299, "Content-Encoding: gzip", body=gzip.compress(bytes(10_000_000))),
        answering(204),
        saying(OK + "\r\nuntil the end"),
    ],
    ids=[
        "endless",
        "endless chunks",
        "endless small chunks",
        "an endless extension",
        "answer upon answer",
        "long",
        "a bomb of zeros",
        "empty",
        "until the connection closes",
    ],
)
def test_of_a_success_only_so_much_is_read(manner: Manner) -> None:
    """A 2xx counts once 16 KiB of it were read, or all of it."""
    assert outcome_of(manner).delivered


@pytest.mark.parametrize("over", [0, 1])
def test_so_many_informational_answers_may_come_first(over: int) -> None:
    """Eight, all in one piece with the answer; the ninth makes it malformed."""
    outcome = outcome_of(saying("", CONTINUE * (MAX_INFORMATIONAL + over) + NO_CONTENT))
    assert outcome == (MALFORMED if over else Outcome(delivered=True, status=204))


@pytest.mark.parametrize("before", ["headers", "informational answers"])
@pytest.mark.parametrize("over", [0, 1])
def test_so_many_bytes_may_come_before_the_body(over: int, before: str) -> None:
    """The bytes of the head count to the last one, those of the informational answers before it as well."""
    first = b"" if before == "headers" else b"HTTP/1.1 103 X\r\n" + b"Link: 456\r\n" * 100 + b"\r\n"
    bare = first + NO_CONTENT[:-2] + b"\r\n"
    lines = [b"X-%03d: %s\r\n" % (number, b"y" * 6_000) for number in range((MAX_HEAD_BYTES - len(bare)) // 6_009)]
    rest = MAX_HEAD_BYTES + over - len(bare) - sum(map(len, lines))
    lines.append(b"X: " + b"z" * (rest - 5) + b"\r\n")
    said = first + NO_CONTENT[:-2] + b"".join(lines) + b"\r\n"
    assert len(said) == MAX_HEAD_BYTES + over
    assert outcome_of(saying("", said)) == (MALFORMED if over else Outcome(delivered=True, status=204))


@pytest.mark.parametrize(("begin", "unit"), [("", b"1\r\nx\r\n"), ("1;", b"extend")], ids=["chunks", "an extension"])
def test_the_bytes_of_a_body_are_counted_as_they_come_over_the_wire(begin: str, unit: bytes) -> None:
    """With 16 KiB of chunks and a piece it counts as read, however few bytes they stand for; with less it is waited for."""
    body = begin.encode() + unit * MAX_ANSWER_BYTES
    enough, short = body[: MAX_ANSWER_BYTES + 4_096].decode(), body[: MAX_ANSWER_BYTES - 1].decode()
    assert outcome_of(saying_then_hanging(CHUNKED + enough)) == Outcome(delivered=True, status=200)
    assert outcome_of(saying_then_hanging(CHUNKED + short), timeout_seconds=0.2).error == "timeout"


def test_trailers_without_end_are_no_answer() -> None:
    """The HTTP client takes as many as it takes headers; then the body is broken off."""
    trailers = saying_for_ever(CHUNKED + "0\r\n", b"X-Trailer: and more\r\n" * 100)
    assert not outcome_of(trailers).delivered


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    """A redirect is a failure, and its target is not called."""

    async def send(poster: Poster) -> Outcome:
        async with receiver() as target, receiver(answering(status, f"Location: {target.url}")) as hook:
            outcome = await poster.post("test", hook.url, {}, b"{}")
            assert target.connections == 0
            return outcome

    outcome = posting(Poster(NetworkRules(), now=lambda: NOW), send)
    assert (outcome.delivered, outcome.status) == (False, status)


@pytest.mark.parametrize("status", [101, 304, 400, 404, 410, 429, 500, 503, 599])
def test_every_other_status_is_a_failure(status: int) -> None:
    """Only 2xx is success."""
    outcome = outcome_of(answering(status))
    assert (outcome.delivered, outcome.status, outcome.gone) == (False, status, status == 410)


def test_a_failed_status_decides_before_its_body_has_come() -> None:
    """A 500 whose body never ends is a 500, not a timeout."""
    assert outcome_of(saying_then_hanging("HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\n")).status == 500


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("Thu, 01 Jan 2026 00:01:00 GMT", 60), ("soon", None), ("-1", None)],
)
def test_retry_after_is_read(header: str, seconds: int | None) -> None:
    """Seconds and dates are understood, anything else is left alone."""
    assert outcome_of(answering(429, f"Retry-After: {header}")).retry_after_seconds == seconds


def test_each_attempt_has_a_connection_of_its_own() -> None:
    """Two attempts make two connections, and no cookie comes back."""

    async def send(poster: Poster) -> Outcome:
        async with receiver(answering(200, "Set-Cookie: a=b", "Connection: keep-alive")) as hook:
            await poster.post("test", hook.url, {}, b"{}")
            outcome = await poster.post("test", hook.url, {}, b"{}")
            assert hook.connections == 2
            assert "cookie" not in hook.received[1].headers
            return outcome

    assert posting(Poster(NetworkRules(), now=lambda: NOW), send).delivered


def test_the_request_is_what_was_signed() -> None:
    """Path and query arrive as they were registered, the body byte for byte, and nothing is asked to be compressed."""

    async def send(poster: Poster) -> Outcome:
        async with receiver() as hook:
            url = f"http://{hook.host}:{hook.port}/a%2Fb/%C3%A4?x=%20+&y"
            outcome = await poster.post("test", url, {"Content-Type": "application/json"}, b'{"a": 1}\n')
            request = hook.received[0]
            assert request.line == "POST /a%2Fb/%C3%A4?x=%20+&y HTTP/1.1"
            assert request.body == b'{"a": 1}\n'
            assert request.headers["accept-encoding"] == "identity"
            assert request.headers["content-type"] == "application/json"
            return outcome

    assert posting(Poster(NetworkRules(), now=lambda: NOW), send).delivered


def test_a_proxy_of_the_environment_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where deliveries go is the endpoint's word and the guard's, not that of a variable."""

    async def send(poster: Poster) -> Outcome:
        async with receiver() as proxy, receiver() as hook:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
                monkeypatch.setenv(name.lower(), proxy.url)
            outcome = await poster.post("test", hook.url, {}, b"{}")
            assert proxy.connections == 0
            return outcome

    assert posting(Poster(NetworkRules(), now=lambda: NOW), send).delivered


def test_nobody_listening_is_a_failed_connection() -> None:
    """A refused connection has its own name."""
    url = f"http://127.0.0.1:{free_port()}/"
    poster = Poster(NetworkRules(), now=lambda: NOW)
    assert posting(poster, lambda made: made.post("test", url, {}, b"")).error == "connection_failed"


def test_a_name_without_addresses_is_a_failure_of_its_own() -> None:
    def lookup(host: str) -> list[str]:
        raise OSError(f"nothing known of {host}")

    poster = Poster(NetworkRules(), now=lambda: NOW, names=NameService(lookup))
    outcome = posting(poster, lambda made: made.post("live", "https://gone.example/", {}, b""))
    assert outcome.error == "dns_failed"


# -- TLS


def secure(folder: Path, *, trusted: bool, shown_for: str = "127.0.0.1") -> Outcome:
    """An attempt at a receiver whose certificate is for `shown_for`."""
    made = certificate(folder, shown_for)

    async def send(poster: Poster) -> Outcome:
        async with receiver(tls=made.serving) as hook:
            return await poster.post("live", f"https://127.0.0.1:{hook.port}/", {}, b"{}")

    poster = Poster(LOOPBACK, now=lambda: NOW, tls=made.trusting if trusted else None)
    return posting(poster, send)


def test_a_trusted_certificate_is_accepted(tmp_path: Path) -> None:
    """The proof that the failures below are the certificate's."""
    assert secure(tmp_path, trusted=True).delivered


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    """A self-signed certificate is a failure of TLS."""
    assert secure(tmp_path, trusted=False).error == "tls_failed"


def test_a_certificate_for_another_name_is_refused(tmp_path: Path) -> None:
    """A certificate for somebody else is a failure of TLS."""
    assert secure(tmp_path, trusted=True, shown_for="hooks.example").error == "tls_failed"


def test_a_receiver_that_speaks_no_tls_is_refused() -> None:
    """Plain HTTP at an https address is a failure of TLS."""

    async def send(poster: Poster) -> Outcome:
        async with await asyncio.start_server(_plain, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await poster.post("live", f"https://127.0.0.1:{port}/", {}, b"{}")

    assert posting(Poster(LOOPBACK, now=lambda: NOW), send).error == "tls_failed"


async def _plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    writer.close()
