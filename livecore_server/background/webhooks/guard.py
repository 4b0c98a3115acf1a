"""The guard at the socket: no connection is opened to an address that a webhook may not reach.

A URL was checked when it was registered, but its name may resolve to another address by now, or to one address for the
check and to another for the connection. So the final check is where nothing can change any more: `AddressGuard.open_socket`
makes every socket of the HTTP client, and gets the exact address to connect to. The resolver uses the same guard earlier,
after resolving a name: if one of the addresses is forbidden, the whole name is refused, because a name that points into the
own network is suspicious. Literal addresses do not use the resolver; only the socket checks them.

Names are resolved in separate threads, because the system's resolver blocks, with one look-up at a time for each name. So a
slow name server of one endpoint blocks one thread, and no other endpoint's deliveries.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import attrs
from aiohttp.abc import AbstractResolver, ResolveResult

from livecore.webhooks.addresses import NetworkRules, address_allowed

AddrInfo: TypeAlias = (
    "tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int] "
    "| tuple[int, bytes]]"
)
"""An entry of `socket.getaddrinfo`, with the types that the HTTP client declares."""
_Lookup: TypeAlias = Callable[[str], Sequence[str]]
"""Resolves a name, blocking. Raises `OSError` if it has no addresses."""


class AddressRefused(OSError):
    """A webhook may not be sent to this address."""

    def __init__(self) -> None:
        # The same text for every address: the HTTP client then raises one exception instead of a group.
        super().__init__("a webhook may not be sent to this address")


@attrs.frozen(kw_only=True)
class AddressGuard:
    """Checks addresses for one kind of target: http to localhost, or all others."""

    rules: NetworkRules
    to_localhost: bool

    def check(self, address: str) -> None:
        """Raise `AddressRefused` for an address that the target may not reach."""
        if not address_allowed(address, to_localhost=self.to_localhost, allowed_networks=self.rules.allowed_networks):
            raise AddressRefused

    def open_socket(self, info: AddrInfo) -> socket.socket:
        """A socket for an address that was checked; the HTTP client connects it to exactly that address."""
        family, kind, protocol, _, place = info
        self.check(str(place[0]))
        return socket.socket(family=family, type=kind, proto=protocol)


def _system_lookup(host: str) -> list[str]:
    """A name's addresses in the system's order of preference, each once."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class NameService:
    """Resolves names in its own threads; concurrent requests for one name share one look-up."""

    def __init__(self, lookup: _Lookup = _system_lookup, *, threads: int = 32) -> None:
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="livecore-names")
        self._asking: dict[str, asyncio.Future[Sequence[str]]] = {}

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a name, as of now. Raises `OSError` when it has none."""
        asking = self._asking.get(host)
        if asking is None:
            loop = asyncio.get_running_loop()
            asking = self._asking[host] = loop.run_in_executor(self._threads, self._lookup, host)
            asking.add_done_callback(lambda done: self._answered(host, done))
        # A waiter that times out does not cancel the look-up: others may wait for the same answer.
        return await asyncio.shield(asking)

    def _answered(self, host: str, done: asyncio.Future[Sequence[str]]) -> None:
        del self._asking[host]
        if not done.cancelled():
            done.exception()  # retrieved, also when nobody waits any more

    def close(self) -> None:
        """Release the threads; the results of running look-ups are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class GuardedResolver(AbstractResolver):
    """The HTTP client's resolver: the name service, checked by the guard."""

    def __init__(self, names: NameService, guard: AddressGuard) -> None:
        self._names = names
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a name, all of them or none. Raises `AddressRefused`, `OSError`."""
        addresses = await self._names.addresses(host)
        for address in addresses:
            self._guard.check(address)
        wanted = (family,) if family != socket.AF_UNSPEC else (socket.AF_INET, socket.AF_INET6)
        found = [(socket.AF_INET6 if ":" in address else socket.AF_INET, address) for address in addresses]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=kind,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for kind, address in found
            if kind in wanted
        ]

    async def close(self) -> None:
        """Nothing to do: the name service belongs to its creator."""
