"""The rehearsal of a receiver over HTTP: sends the deliveries of a plan as the service sends its own.

Each delivery has a connection of its own and ten seconds for everything; no redirect is followed, and no more of an answer's
body is read than the service reads. Unlike the service's deliveries, these go wherever the operator says, by http too: the
operator names the address by hand, and sends from their own machine to a receiver that may not have a public address yet.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import Final

import aiohttp
from yarl import URL

from livecore.kernel.time import Millis
from livecore.rehearsal.answers import APPLIED_HEADER, Answer, Exchange, is_hopeless, read_applied
from livecore.rehearsal.deliveries import Delivery
from livecore.rehearsal.plan import Plan
from livecore.webhooks.outcome import MAX_ANSWER_BYTES
from livecore_server.background.webhooks.post import default_tls, fault_of, read_answer
from livecore_server.system import now_millis

_HANGS_UP_SECONDS: Final = 0.05
"""How long a sender waits that does not wait for the answer: long enough to send the request, and for a quick answer."""


async def rehearse(
    plan: Plan,
    url: str,
    *,
    advance: Callable[[int], None] = lambda _: None,
    now: Callable[[], Millis] = now_millis,
    tls: ssl.SSLContext | None = None,
) -> list[Exchange]:
    """Send the deliveries of a plan to `url` and return them with their answers, in the order of the plan.

    It stops early where nothing more is learned (`is_hopeless`). `advance` is called with the number of deliveries that were
    sent since its last call.
    """
    exchanges: list[Exchange] = []
    async with _session(tls or default_tls()) as session:
        for group in plan.groups:
            sent = [_exchange(session, url, delivery, plan.timeout_seconds, now) for delivery in group]
            exchanges += await asyncio.gather(*sent)
            advance(len(group))
            if is_hopeless(exchanges):
                break
    return exchanges


def _session(tls: ssl.SSLContext) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True, ssl=tls),
        headers={"Accept": "*/*", "Accept-Encoding": "identity"},
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        trust_env=False,
        auto_decompress=False,
        read_bufsize=MAX_ANSWER_BYTES,
    )


async def _exchange(
    session: aiohttp.ClientSession, url: str, delivery: Delivery, timeout_seconds: float, now: Callable[[], Millis]
) -> Exchange:
    """Send one delivery; nothing that the receiver does raises."""
    began = time.monotonic()
    status: int | None = None
    applied: bool | None = None
    fault: str | None = None
    try:
        async with asyncio.timeout(_HANGS_UP_SECONDS if delivery.hangs_up else timeout_seconds):
            status, applied = await _answer(session, url, delivery, now)
    except (aiohttp.ClientError, OSError) as error:
        fault = fault_of(error)
    except Exception as error:  # noqa: BLE001 - an answer at which the HTTP client stumbles is the receiver's mistake
        fault = f"malformed_answer, {error!r}"
    answer = Answer(status=status, seconds=time.monotonic() - began, applied=applied, fault=fault)
    return Exchange(delivery=delivery, answer=answer)


async def _answer(
    session: aiohttp.ClientSession, url: str, delivery: Delivery, now: Callable[[], Millis]
) -> tuple[int, bool | None]:
    """The status of the complete answer, and what it says of the effect."""
    headers = delivery.headers(now() // 1000)
    request = session.post(URL(url, encoded=True), data=delivery.body, headers=headers, allow_redirects=False)
    async with request as response:
        if 200 <= response.status < 300:
            await read_answer(response.content)
        # Closed and not released: the rest of the answer is not waited for.
        response.close()
        return response.status, read_applied(response.headers.get(APPLIED_HEADER))
