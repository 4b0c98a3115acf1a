"""A load generator that costs less than what it measures: raw HTTP/1.1 over a few connections, one request on each.

Requests are bytes that were made before the clock starts; an answer is read by its head and `Content-Length`. Latencies are
taken around each request. The generator runs in the measuring process, the server in another, so on two cores each has one;
what the generator itself has used is part of every result, so that one can see who was the slower.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast
from urllib.parse import urlsplit

import attrs

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@attrs.frozen
class Result:
    """What a run gave: requests, seconds, latencies in seconds, answers by status, and the bytes of their bodies."""

    requests: int
    seconds: float
    latencies: Sequence[float]
    statuses: dict[int, int]
    body_bytes: int
    generator_cpu_seconds: float
    """Processor time of this process, while it ran."""
    refused: Sequence[bytes] = ()
    """The bodies of answers that were no success."""

    @property
    def per_second(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    @property
    def mean_body_bytes(self) -> int:
        """The size of a typical answer's body."""
        return round(self.body_bytes / max(1, self.requests))

    def __add__(self, other: Result) -> Result:
        """One run after the other."""
        statuses = Counter(self.statuses) + Counter(other.statuses)
        return Result(
            self.requests + other.requests,
            self.seconds + other.seconds,
            [*self.latencies, *other.latencies],
            dict(statuses),
            self.body_bytes + other.body_bytes,
            self.generator_cpu_seconds + other.generator_cpu_seconds,
            [*self.refused, *other.refused],
        )

    def milliseconds(self, share: float) -> float:
        """A percentile of the latencies, in milliseconds."""
        return percentile(self.latencies, share) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def wire_request(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """A request as it travels."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class _Connection(asyncio.Protocol):
    def __init__(self, take: Callable[[], bytes | None], note: Callable[[int, float, bytes], None]) -> None:
        self._take = take
        self._note = note
        self._buffer = b""
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with the first request."""
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def _send(self) -> None:
        request = self._take()
        assert self._transport is not None
        if request is None:
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read an answer; go on with the next request when it is whole."""
        buffer = self._buffer + data if self._buffer else data
        head = buffer.find(b"\r\n\r\n")
        match = None if head < 0 else _LENGTH.search(buffer, 0, head)
        if match is None or len(buffer) < head + 4 + int(match[1]):
            self._buffer = buffer
            return
        self._buffer = b""
        self._note(int(buffer[9:12]), time.perf_counter() - self._sent_at, buffer[head + 4 :])
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended, as planned or not."""
        if not self.done.done():
            if exc is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(exc)


async def run_load(
    address: str, requests: Iterator[bytes], *, connections: int = 32, keep: Callable[[bytes], None] | None = None
) -> Result:
    """Send every request over `connections` connections and wait for every answer; `keep` sees the bodies."""
    parts = urlsplit(address)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    latencies: list[float] = []
    statuses: dict[int, int] = {}
    refused: list[bytes] = []
    body_bytes = 0

    def note(status: int, seconds: float, body: bytes) -> None:
        nonlocal body_bytes
        latencies.append(seconds)
        statuses[status] = statuses.get(status, 0) + 1
        body_bytes += len(body)
        if status >= 300:
            refused.append(body)
        if keep is not None:
            keep(body)

    loop = asyncio.get_running_loop()
    cpu, started = time.process_time(), time.perf_counter()
    made = [
        await loop.create_connection(lambda: _Connection(lambda: next(requests, None), note), host, port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(protocol.done for _, protocol in made))
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    return Result(len(latencies), seconds, latencies, statuses, body_bytes, cpu_seconds, refused)
