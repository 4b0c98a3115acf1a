"""The network of a client, which limits count by: one for each subscriber, however many addresses the subscriber has.

An IPv4 address is one client. An IPv6 subscriber is given at least a /64 network, so a limit for each address would never
stop an attacker who changes the address with each guess. An IPv4 address in IPv6 form counts as that IPv4 address;
otherwise all IPv4 clients would share one network.
"""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network

__all__ = ["network_of"]


def network_of(address: str) -> str:
    """The subscriber's network, or the text itself where it is not an IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), 64), strict=False))
