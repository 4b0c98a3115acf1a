"""Listening sockets that are closed: nobody whom they have let in is turned away."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final, cast

import pytest
import uvloop

from livecore_server.http.handshakes import refuse_handshakes
from livecore_server.http.listening import stop_listening
from tests.patience import PATIENCE_SECONDS

CALLERS: Final = 3
ROUNDS: Final = 5
CALLS: Final = 200


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


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is one of Linux")
@pytest.mark.parametrize("new_loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_callers_who_come_all_the_time_are_answered_or_refused(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """None finds its connection made and then reset, however many connect in the moment in which the socket closes."""

    async def scenario() -> Counter[str]:
        found: Counter[str] = Counter()
        for _ in range(ROUNDS):
            with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
                listening.settimeout(0)
                server = await asyncio.get_running_loop().create_server(Echo, sock=listening)
                address = listening.getsockname()
                ends: list[str] = []
                callers = [asyncio.to_thread(_call_until_refused, address, ends) for _ in range(CALLERS)]
                calling = asyncio.gather(*callers)
                while len(ends) < CALLS:  # noqa: ASYNC110 - threads tell nobody
                    await asyncio.sleep(0)
                await stop_listening(server, listening, Echo, alone=True)
            await calling
            found.update(ends)
        return found

    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(scenario())
    assert found.pop("answered") > ROUNDS
    assert found == {"refused": ROUNDS * CALLERS}


def test_a_filter_that_the_system_refuses_changes_nothing() -> None:
    """The socket then closes as it would without."""

    class Stubborn:
        def setsockopt(self, *_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

    assert refuse_handshakes(cast(socket.socket, Stubborn())) is False


def _call_until_refused(address: tuple[str, int], ends: list[str]) -> None:
    """Call again and again until one call is not answered; `ends` gets how each has ended."""
    while True:
        try:
            with socket.create_connection(address, PATIENCE_SECONDS) as caller:
                caller.sendall(b"hello")
                ends.append("answered" if caller.recv(100) == b"hello" else "broken off")
        except ConnectionRefusedError:
            ends.append("refused")
            return
        except OSError as fault:
            ends.append(type(fault).__name__)
            return


def _answer(caller: socket.socket) -> bytes:
    with caller:
        return caller.recv(100)
