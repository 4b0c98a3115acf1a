"""The caller by the network: the address behind trusted proxies, and the country of that address.

Any caller can send any header. `X-Forwarded-For` is trusted only for the number of proxies that the operator has
configured, counted from its end: entries further to the left may be forged. Where no proxy is configured, the first request
with such a header is told of in the log: perhaps there is one, and then all of its callers count as one address.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from aiohttp.web import BaseRequest

from livecore_server.problem import WrongInput

_log = logging.getLogger("livecore.limits")
_REMEMBERED: Final = 65_536
_FORWARDING: Final = ("X-Forwarded-For", "Forwarded")
"""The headers by which proxies say whose request they pass on."""


class CountryFileProblem(WrongInput):
    """The offline country file cannot be read."""


class CountryFile:
    """Countries by address, from a MaxMind DB file that is read once, at start."""

    def __init__(self, path: Path) -> None:
        import maxminddb  # noqa: PLC0415 - few servers have such a file

        try:
            self._reader = maxminddb.open_database(path, maxminddb.MODE_MEMORY)
        except (OSError, ValueError, maxminddb.InvalidDatabaseError) as fault:
            raise CountryFileProblem(f"--country-file {path} cannot be read: {fault}") from fault
        self.country = lru_cache(maxsize=_REMEMBERED)(self._look_up)

    def _look_up(self, address: str) -> str | None:
        try:
            found = self._reader.get(address)
        except ValueError:
            return None
        country = found.get("country") if isinstance(found, dict) else None
        code = country.get("iso_code") if isinstance(country, dict) else None
        return code if isinstance(code, str) else None

    def close(self) -> None:
        """Release the file."""
        self._reader.close()


def caller_address(peer: str, forwarded: list[str], trusted_proxies: int) -> str:
    """The caller's address: the entry at `trusted_proxies` places before the end of `forwarded` and `peer` together.

    If the chain is too short, or has no address there, the result is the peer. A port after the address is left out, because
    some proxies append it. An address never has a zone, because a zone has a meaning only on the machine that wrote it, and
    may be any text.
    """
    peer = peer.partition("%")[0]
    if not trusted_proxies:
        return peer
    chain = [part.strip() for line in forwarded for part in line.split(",")]
    if len(chain) < trusted_proxies:
        return peer
    try:
        return str(ip_address(_without_port(chain[-trusted_proxies]))).partition("%")[0]
    except ValueError:
        return peer


def _without_port(named: str) -> str:
    """The address in `203.0.113.9:443`, `[2001:db8::1]:443` or one of them without a port; other texts as they are."""
    if named[:1] == "[":
        address, closing, port = named[1:].partition("]")
        return address if closing and (not port or _is_port(port)) else named
    address, colon, number = named.partition(":")
    return address if _is_port(colon + number) else named


def _is_port(text: str) -> bool:
    number = text[1:]
    return text[:1] == ":" and number.isascii() and number.isdecimal() and len(number) <= 5 and int(number) <= 65_535


class ClientAddresses:
    """Finds the caller's address and country in a request, by the deployment's settings."""

    def __init__(
        self,
        *,
        trusted_proxies: int = 0,
        country_header: str | None = None,
        country_of: Callable[[str], str | None] | None = None,
    ) -> None:
        self._trusted_proxies = trusted_proxies
        self._country_header = country_header
        self._country_of = country_of
        self._warned = False

    @property
    def headers(self) -> tuple[str, ...]:
        """The names of the headers that it takes one value of."""
        return () if self._country_header is None else (self._country_header,)

    def address(self, request: BaseRequest) -> str:
        """The caller's address."""
        peer = request.remote or ""
        if not self._trusted_proxies:
            if not self._warned:
                self._tell(request)
            return peer.partition("%")[0]
        return caller_address(peer, request.headers.getall("X-Forwarded-For", []), self._trusted_proxies)

    def _tell(self, request: BaseRequest) -> None:
        """Say once that a proxy seems to be in front of which the settings do not know."""
        found = next((name for name in _FORWARDING if name in request.headers), None)
        if found is not None:
            self._warned = True
            _log.warning(
                "a request has the header %s, which is ignored: --trusted-proxies (LIVECORE_TRUSTED_PROXIES) is 0. If "
                "a proxy is in front, set it to the number of proxies: until then all callers count as one address. If none "
                "is, the caller has made the header up, and nothing has to be done",
                found,
            )

    def countries(self, request: BaseRequest, address: str) -> tuple[str | None, str | None]:
        """The country that a trusted proxy named, and the one that the offline file gives."""
        return (
            None if self._country_header is None else request.headers.get(self._country_header),
            None if self._country_of is None else self._country_of(address),
        )
