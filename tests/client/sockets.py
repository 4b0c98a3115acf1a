"""Other servers on real sockets: silent ones, ones that speak https, and ones that are not Livecore."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

import attrs

from tests.patience import PATIENCE_SECONDS

Manner: TypeAlias = Callable[[socket.socket], None]
"""What a server does with a connection, before it is closed."""


@attrs.define(eq=False)
class Other:
    """A server that listens, and how many connections it has taken."""

    port: int
    count: int = 0
    taken: threading.Event = attrs.field(factory=threading.Event)
    """Set when the first connection has come and its request was read."""

    @property
    def place(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def other_server(manner: Manner, *, tls: ssl.SSLContext | None = None) -> Iterator[Other]:
    """A server of this manner, on a thread of its own for each connection, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        other = Other(listener.getsockname()[1])
        threads: list[threading.Thread] = []
        held: list[socket.socket] = []

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                wrapped = connection if tls is None else tls.wrap_socket(connection, server_side=True)
                with wrapped:
                    held.append(wrapped)
                    wrapped.recv(65536)
                    other.taken.set()
                    manner(wrapped)

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:  # closed with the block
                    return
                other.count += 1
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield other
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join(PATIENCE_SECONDS)
            for connection in held:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(PATIENCE_SECONDS)


def silent(connection: socket.socket) -> None:
    """Answer nothing, until the other side or the block ends."""
    while connection.recv(65536):
        pass


def answering(status: str, content: str = "", *, kind: str = "text/html", further: str = "") -> Manner:
    """Answer with these bytes, and close."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n{further}"
    answer = f"{head}Content-Length: {len(content)}\r\n\r\n{content}".encode()
    return lambda connection: connection.sendall(answer)


def unused_port() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
