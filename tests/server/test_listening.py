"""Listening sockets that are closed: nobody whom they have let in is turned away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final, cast

import pytest
import uvloop

from livecore_server.http.listening import stop_listening
from tests.patience import PATIENCE_SECONDS

CALLERS: Final = 3


class Echo(asyncio.Protocol):
    """Sends back what it receives, and closes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer."""
        self.transport.write(data)
        self.transport.close()


@pytest.mark.parametrize("new_loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_a_connection_that_waits_is_taken_before_the_socket_closes(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Its caller has sent a request already, and a reset would leave open what became of it. The next one is refused."""

    async def scenario() -> list[bytes]:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.settimeout(0)
            address = listening.getsockname()
            server = await asyncio.get_running_loop().create_server(Echo, sock=listening)
            # In one turn of the loop: it cannot have accepted any of them.
            callers = [socket.create_connection(address, PATIENCE_SECONDS) for _ in range(CALLERS)]
            for caller in callers:
                caller.sendall(b"hello")
            await stop_listening(server, listening, Echo)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, PATIENCE_SECONDS)
        return [await asyncio.to_thread(_answer, caller) for caller in callers]

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(scenario()) == [b"hello"] * CALLERS


def _answer(caller: socket.socket) -> bytes:
    with caller:
        return caller.recv(100)
