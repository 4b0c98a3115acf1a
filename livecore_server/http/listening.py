"""The sockets that a server listens on: opened here, or inherited from the process that started it.

systemd opens the sockets of a `.socket` unit itself and passes them to the service (`LISTEN_PID`, `LISTEN_FDS`,
`LISTEN_FDNAMES`; see sd_listen_fds(3)). They stay open while the service restarts, so a connection made meanwhile waits and
is not refused. A socket named `metrics` serves the metrics, every other one the API.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import suppress
from typing import Final

import attrs

from livecore_server.http.handshakes import refuse_handshakes
from livecore_server.problem import Problem
from livecore_server.setting_values import parse_address
from livecore_server.settings import Settings

BACKLOG: Final = 1024
"""How many connections may wait to be accepted."""
_HANDSHAKE_SECONDS: Final = 0.1
"""How long a connection that has begun to be made may take, before the socket closes."""
_FIRST_HANDED: Final = 3
"""The first inherited file descriptor, by systemd's convention."""
_FOR_METRICS: Final = "metrics"


class ListenProblem(Problem):
    """An address cannot be listened on."""


@attrs.frozen
class Listeners:
    """Listening sockets: for the API, and for the metrics where these have an address of their own."""

    main: Sequence[socket.socket]
    metrics: Sequence[socket.socket] = ()

    @property
    def hosts(self) -> list[str]:
        """The addresses, without ports, on which the API listens."""
        return [str(one.getsockname()[0]) for one in self.main]

    @property
    def addresses(self) -> list[str]:
        """The addresses of the API as URLs; the first is the main one."""
        return [_url(one) for one in (*self.main, *self.metrics)]

    def close(self) -> None:
        """Close the sockets. A copy of a socket in another process continues to listen."""
        for one in (*self.main, *self.metrics):
            one.close()


def _url(listening: socket.socket) -> str:
    host, port, *_ = listening.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


Handed = tuple[Sequence[socket.socket], Sequence[socket.socket]]
"""Inherited sockets: for the API, and for the metrics."""


def handed_over(environment: MutableMapping[str, str]) -> Handed:
    """The sockets that this process was started with; removes the variables that name them.

    Raises `ListenProblem` for a descriptor that is not a listening TCP socket.
    """
    process, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    names = environment.pop("LISTEN_FDNAMES", "").split(":")
    if process != str(os.getpid()) or not count.isdecimal():
        return (), ()
    main: list[socket.socket] = []
    metrics: list[socket.socket] = []
    for place in range(int(count)):
        taken = _taken(_FIRST_HANDED + place)
        (metrics if names[place : place + 1] == [_FOR_METRICS] else main).append(taken)
    return main, metrics


def _taken(descriptor: int) -> socket.socket:
    try:
        taken = socket.socket(fileno=descriptor)
    except OSError as fault:
        raise ListenProblem(
            f"file descriptor {descriptor} was handed over and is no socket: {fault.strerror}"
        ) from fault
    listens = taken.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if taken.family not in (socket.AF_INET, socket.AF_INET6) or not listens:
        raise ListenProblem(f"file descriptor {descriptor} was handed over and is no listening TCP socket")
    taken.set_inheritable(False)
    return taken


def open_listeners(settings: Settings, handed: Handed = ((), ())) -> Listeners:
    """Every socket for the settings; inherited sockets replace those addresses.

    Raises `ListenProblem`, and then leaves open only inherited sockets.
    """
    main, metrics = handed
    opened = main or _listen(settings.host, settings.port)
    try:
        if settings.metrics and settings.metrics_address is not None and not metrics:
            metrics = _listen(*parse_address(settings.metrics_address), "--metrics-address, LIVECORE_METRICS_ADDRESS")
    except ListenProblem:
        if not main:
            _close(opened)
        raise
    return Listeners(opened, metrics)


async def stop_listening(
    server: asyncio.Server,
    listening: socket.socket,
    protocol: Callable[[], asyncio.BaseProtocol],
    *,
    alone: bool = False,
) -> None:
    """Close a server with its socket, and take the connections that wait in the socket's queue.

    To their callers they are made, and may carry a request already; closing the last copy of the socket resets them. With
    `alone` nobody else listens on the socket: then, where the system can, no connection is made in the last moment either.
    `listening` must not be blocking.
    """
    if alone and refuse_handshakes(listening):
        await asyncio.sleep(_HANDSHAKE_SECONDS)
    with listening.dup() as copy:
        server.close()
        taken = list(_waiting(copy))
    for connection in taken:
        with suppress(OSError):  # it is gone again
            await asyncio.get_running_loop().connect_accepted_socket(protocol, connection)


def _waiting(listening: socket.socket) -> Iterator[socket.socket]:
    """The connections that wait, or as many as one queue holds, where other processes listen on the same socket."""
    with suppress(OSError):  # none is left, or no handle for it
        for _ in range(BACKLOG):
            connection, _ = listening.accept()
            connection.settimeout(0)
            yield connection


def _listen(host: str, port: int, option: str = "--port, LIVECORE_PORT") -> list[socket.socket]:
    """Listen on every address of a name; `option` is what says another port."""
    opened: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((family, address) for family, _, _, _, address in found):
            opened.append(socket.create_server(address, family=family, backlog=BACKLOG))
    except OSError as fault:
        _close(opened)
        # Python adds to the system's words where it tried to; the numbers of Windows are not those of `os.strerror`.
        reason = (fault.strerror or str(fault)).partition(" (while attempting")[0]
        raise ListenProblem(f"cannot listen on {host} port {port}: {reason}{_way_out(fault, option)}") from fault
    return opened


def _way_out(fault: OSError, option: str) -> str:
    """What to do where a port is taken, most often by another server of this program."""
    taken = fault.errno == errno.EADDRINUSE
    return f"; stop the server that runs there, or take another port ({option})" if taken else ""


def _close(sockets: Iterable[socket.socket]) -> None:
    for one in sockets:
        one.close()
