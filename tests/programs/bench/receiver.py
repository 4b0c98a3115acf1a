"""A receiver of webhooks that costs less than the sender: it verifies nothing, and counts.

Run as a process: prints its address; holds back its answers until a line arrives on standard input, so that nobody needs to
guess when sending began; prints how long the deliveries took, as JSON, when as many have come as the argument says.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from typing import Final, cast

import uvloop

_LENGTH: Final = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_TAKEN: Final = b"HTTP/1.1 204 No Content\r\n\r\n"


class _Receiver:
    """Deliveries so far, by target and body."""

    def __init__(self, awaited: int) -> None:
        self.whole = asyncio.Event()
        self._awaited = awaited
        self._taken: list[tuple[bytes, bytes]] = []
        self._held: list[asyncio.Transport] | None = []
        self._started = 0.0
        self._ended = 0.0

    def open(self) -> None:
        """Answer from now on, first whoever has been waiting."""
        held, self._held = self._held or [], None
        self._started = time.perf_counter()
        for transport in held:
            transport.write(_TAKEN)

    def take(self, head: bytes, body: bytes, transport: asyncio.Transport) -> None:
        """A delivery has arrived."""
        self._taken.append((head.split(b" ", 2)[1], body))
        if self._held is None:
            transport.write(_TAKEN)
        else:
            self._held.append(transport)
        if len(self._taken) == self._awaited:
            self._ended = time.perf_counter()
            self.whole.set()

    def summary(self) -> dict[str, object]:
        """What has come, and in how many seconds."""
        distinct = {(target, json.loads(body)["id"]) for target, body in self._taken}
        return {
            "seconds": self._ended - self._started,
            "deliveries": len(self._taken),
            "repeated": len(self._taken) - len(distinct),
        }


class _Connection(asyncio.Protocol):
    def __init__(self, receiver: _Receiver) -> None:
        self._receiver = receiver
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The sender has connected."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Take a delivery when it is whole."""
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        length = None if head < 0 else _LENGTH.search(self._buffer, 0, head)
        if length is None or len(self._buffer) < head + 4 + int(length[1]):
            return
        whole, self._buffer = self._buffer, b""
        assert self._transport is not None
        self._receiver.take(whole[:head], whole[head + 4 :], self._transport)


async def _receive(awaited: int) -> None:
    receiver = _Receiver(awaited)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: _Connection(receiver), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)

    def go() -> None:
        loop.remove_reader(sys.stdin.fileno())
        receiver.open()

    loop.add_reader(sys.stdin.fileno(), go)
    await receiver.whole.wait()
    print(json.dumps(receiver.summary()), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_receive(int(sys.argv[1])))
