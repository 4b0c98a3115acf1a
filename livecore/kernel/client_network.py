"""The network of a client, which limits count by: one for each subscriber, however many addresses the subscriber has.

An IPv4 address is one client. An IPv6 subscriber is given at least a /64 network, so a limit for each address would never
stop an attacker who changes the address with each guess. An IPv4 address in IPv6 form counts as that IPv4 address;
otherwise all IPv4 clients would share one network.

Many subscribers are given more: a /56 or a /48, which is up to 65,536 networks of 64 bits. So what strangers may do without
proof is limited by the /48 as well (`site_of`), at `SITE_TIMES` of the limit, because a /48 may also be that of a
company or of many phones.

Who may not know where a person was sees an address shortened (`shortened`), to a network that many people share.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

SITE_TIMES: Final = 8
"""How many times the limit of one network its site has."""


def network_of(address: str) -> str:
    """The subscriber's network, or the text itself where it is not an IPv6 address."""
    found = _six(address) if ":" in address else None
    if found is None:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), 64), strict=False))


def site_of(address: str) -> str | None:
    """The /48 network of an IPv6 address; `None` for others."""
    found = _six(address) if ":" in address else None
    if found is None or found.ipv4_mapped is not None:
        return None
    return str(IPv6Network((int(found), 48), strict=False))


@lru_cache(maxsize=1024)
def shortened(address: str) -> str | None:
    """The /24 network of an IPv4 address or the /48 network of an IPv6 address; `None` for other text.

    A network that is at least as wide stays as it is.
    """
    if "/" in address:
        return _network(address)
    try:
        four = IPv4Address(network_of(address))
    except ValueError:
        return site_of(address)
    return str(IPv4Network((int(four), 24), strict=False))


def _network(text: str) -> str | None:
    """A network that is wide enough already; `None` for one that is not, and for what is none."""
    try:
        found = ip_network(text)
    except ValueError:
        return None
    return text if found.prefixlen <= (24 if found.version == 4 else 48) else None


def _six(address: str) -> IPv6Address | None:
    try:
        return IPv6Address(address)
    except ValueError:
        return None
