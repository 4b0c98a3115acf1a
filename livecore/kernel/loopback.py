"""Names and addresses by which only a machine itself reaches its servers.

A page on the web can have its own name resolved to such an address ("DNS rebinding"), and a proxy on the machine connects
from one. So the address of a peer does not say that a request comes from this machine: its `Host` must name the machine as
well, which a browser takes from the address that the person or the page asked for.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final

_HOST: Final = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]{2,45})\]|(?P<name>[^\[\]:]{1,255}))(?::[0-9]{1,5})?")


def is_loopback(host: str) -> bool:
    """Whether a host, without a port, is this machine alone: `localhost`, an address in 127.0.0.0/8, or ::1."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def names_loopback(header: str | None) -> bool:
    """Whether a `Host` header, with any port or none, names this machine alone."""
    found = _HOST.fullmatch(header or "")
    return found is not None and is_loopback(found["v6"] or found["name"])
