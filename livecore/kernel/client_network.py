"""The network of a client, by which limits count: one for each subscriber, however many addresses they have.

An IPv4 address is one client. Of IPv6 a subscriber is given at least a network of 64 bits, which is more addresses than
could ever be counted one by one: whoever changes the address with each guess would never be limited. An IPv4 address in an
IPv6 spelling is that IPv4 address, or all of them would share one network.
"""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network

__all__ = ["network_of"]


def network_of(address: str) -> str:
    """The subscriber's network, or the text itself where it is no IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), 64), strict=False))
