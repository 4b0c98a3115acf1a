"""One attempt at a delivery over HTTP: the request, reading the answer, and the names of all failures.

The receiver may be hostile, so every attempt is bounded. It has ten seconds in total, from resolving the name to the last
byte that is read, and the bytes that it reads are bounded (`livecore_server.background.webhooks.bounds`). A failed status
decides at once, and nothing more is read; a 2xx counts when its body has ended or 16 KiB of it were read. No redirect is
followed, no cookie kept, nothing decompressed, no proxy from the environment trusted. Each attempt opens a new connection,
through the guard: reusing one would save a handshake, but lose deliveries to receivers that close it at that moment.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import aiohttp
from yarl import URL

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.scope import Environment
from livecore.kernel.time import Millis
from livecore.webhooks.addresses import NetworkRules, Target, check_url
from livecore.webhooks.dispatch import Attempt
from livecore.webhooks.envelope import plain_headers
from livecore.webhooks.outcome import MAX_ANSWER_BYTES, TIMEOUT_SECONDS, Fault, Outcome, answered, unanswered
from livecore.webhooks.signature import SIGNATURE_HEADER, sign
from livecore_server.background.webhooks.bounds import BoundedConnector
from livecore_server.background.webhooks.guard import AddressGuard, AddressRefused, GuardedResolver, NameService

_log = logging.getLogger("livecore.webhooks")

_FAULTS: Final[tuple[tuple[type[BaseException], Fault], ...]] = (
    (TimeoutError, "timeout"),
    (aiohttp.ClientConnectorDNSError, "dns_failed"),
    (aiohttp.ClientSSLError, "tls_failed"),
    (ssl.SSLError, "tls_failed"),
    (aiohttp.ClientConnectorError, "connection_failed"),
    (aiohttp.ClientResponseError, "malformed_answer"),
    (aiohttp.InvalidURL, "address_refused"),
    # Anything that ends an open connection, also in the middle of a body.
    (aiohttp.ClientError, "connection_reset"),
    (OSError, "connection_reset"),
)
"""The fault for each exception of the HTTP client; the first match counts."""


def default_tls() -> ssl.SSLContext:
    """Receivers must have a certificate for their name from an authority that the system trusts."""
    return ssl.create_default_context()


def headers_of(attempt: Attempt, secrets: Sequence[str], now: Millis) -> dict[str, str]:
    """The headers of one attempt, signed now with every secret that still signs."""
    return {**plain_headers(sample=attempt.sample), SIGNATURE_HEADER: sign(secrets, now // 1000, attempt.body)}


class Poster:
    """Makes attempts. The caller limits how many run at the same time.

    `timeout_seconds` bounds a whole attempt. Tests set the other two: `names` resolves names, `tls` says which certificates
    to trust.
    """

    def __init__(
        self,
        rules: NetworkRules,
        *,
        now: Callable[[], Millis],
        timeout_seconds: float = TIMEOUT_SECONDS,
        names: NameService | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._rules = rules
        self._now = now
        self._timeout_seconds = timeout_seconds
        self._names = names or NameService()
        self._tls = tls or default_tls()
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def open(self) -> None:
        """Open, on the running event loop."""
        self._sessions = {to_localhost: self._session(to_localhost=to_localhost) for to_localhost in (False, True)}

    async def close(self) -> None:
        """Close every connection and release the threads."""
        for session in self._sessions.values():
            await session.close()
        self._names.close()

    async def post(self, environment: str, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Send one request and return its outcome; nothing that the receiver does raises."""
        try:
            target = check_url(
                url,
                cast(Environment, environment),
                production=self._rules.production,
                allowed_networks=self._rules.allowed_networks,
            )
        except ValidationFailed:
            return unanswered("address_refused")
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._exchange(target, headers, body)
        except (aiohttp.ClientError, OSError) as error:
            return unanswered(fault_of(error))
        except Exception:  # noqa: BLE001 - an answer that the HTTP client stumbles over must not be asked for for ever
            _log.exception("the HTTP client failed at an answer")
            return unanswered("malformed_answer")

    async def _exchange(self, target: Target, headers: Mapping[str, str], body: bytes) -> Outcome:
        session = self._sessions[target.to_localhost]
        request = session.post(URL(target.url, encoded=True), data=body, headers=headers, allow_redirects=False)
        async with request as response:
            outcome = answered(response.status, retry_after=response.headers.get("Retry-After"), now=self._now())
            if outcome.delivered:
                await read_answer(response.content)
            # Closed and not released: the rest of the answer is not waited for.
            response.close()
            return outcome

    def _session(self, *, to_localhost: bool) -> aiohttp.ClientSession:
        guard = AddressGuard(rules=self._rules, to_localhost=to_localhost)
        connector = BoundedConnector(
            tls=self._tls, resolver=GuardedResolver(self._names, guard), open_socket=guard.open_socket
        )
        return aiohttp.ClientSession(
            connector=connector,
            headers={"Accept": "*/*", "Accept-Encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            trust_env=False,
            auto_decompress=False,
            read_bufsize=MAX_ANSWER_BYTES,
        )


async def read_answer(content: aiohttp.StreamReader) -> None:
    """Read a body to its end or to the limit, whichever comes first."""
    left = MAX_ANSWER_BYTES
    while left > 0:
        chunk = await content.read(left)
        if not chunk:
            return
        left -= len(chunk)


def fault_of(error: BaseException) -> Fault:
    """The fault for an `aiohttp.ClientError` or an `OSError` of an attempt."""
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, AddressRefused):
        return "address_refused"
    return next(fault for kind, fault in _FAULTS if isinstance(error, kind))
