"""The addresses that webhooks may be sent to: a guard against requests into the service's own network (SSRF).

An endpoint's URL makes the service send a request from inside its network, so it is checked twice. At registration
`check_url` reads the URL strictly: it accepts one notation for each part and refuses all others, because a URL that two
parsers read differently can bypass a check. Before each connection `address_allowed` checks the address of the socket,
because a name can resolve to any address, and to another one the next time.

    live    https, to a public address or inside a network that the operator has listed
    test    the same, or http to localhost unless the deployment is for production

The rule is the wire contract's ("Webhooks"); what counts as public follows the IANA registries of special-purpose
addresses. They are listed here because Python's own lists differ between its releases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Literal, NoReturn, TypeAlias

import attrs

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.scope import Environment

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network
_MAX_URL_CHARACTERS: Final = 2048

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>/(?:[a-z0-9._~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)?"
    r"(?P<query>\?(?:[a-z0-9._~!$&'()*+,;=:@/?\[\]-]|%[0-9a-f]{2})*)?",
    re.IGNORECASE | re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Some parsers read a host whose last label has this form as an IPv4 address: decimal, octal or hexadecimal."""

_INTERNAL_V4 = (
    IPv4Network("0.0.0.0/8"),  # this host
    IPv4Network("10.0.0.0/8"),  # private
    IPv4Network("100.64.0.0/10"),  # shared by carriers
    IPv4Network("127.0.0.0/8"),  # loopback
    IPv4Network("169.254.0.0/16"),  # link-local, with the clouds' metadata services
    IPv4Network("172.16.0.0/12"),  # private
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.0.2.0/24"),  # documentation
    IPv4Network("192.31.196.0/24"),  # sink of reverse lookups
    IPv4Network("192.52.193.0/24"),  # multicast tunnels
    IPv4Network("192.88.99.0/24"),  # 6to4 relays
    IPv4Network("192.168.0.0/16"),  # private
    IPv4Network("192.175.48.0/24"),  # sink of reverse lookups
    IPv4Network("198.18.0.0/15"),  # benchmarks
    IPv4Network("198.51.100.0/24"),  # documentation
    IPv4Network("203.0.113.0/24"),  # documentation
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, with broadcast
    IPv4Network("168.63.129.16/32"),  # one cloud's service address, in public space
)
_GLOBAL_V6 = IPv6Network("2000::/3")
"""The only part of IPv6 from which global unicast addresses are assigned."""
_INTERNAL_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, with Teredo and the benchmarks
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4
    IPv6Network("2620:4f:8000::/48"),  # sink of reverse lookups
    IPv6Network("3fff::/20"),  # documentation
)
_TRANSLATED_V6 = IPv6Network("64:ff9b::/96")
"""The prefix by which a network without IPv4 reaches IPv4 addresses (NAT64)."""
_BROADCAST = IPv4Address("255.255.255.255")


@attrs.frozen(kw_only=True)
class Target:
    """An endpoint's URL that passed the check, parsed for the sender."""

    scheme: Literal["https", "http"]
    host: str
    """A name in lower case or a literal address without brackets."""
    port: int
    path: str
    """Path and query for the request line."""
    to_localhost: bool
    """Whether this is the one exception for local tests: then only loopback addresses are allowed."""

    @property
    def url(self) -> str:
        """The URL in its canonical form."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = {"https": 443, "http": 80}[self.scheme]
        return f"{self.scheme}://{host}{'' if self.port == default else f':{self.port}'}{self.path}"


@attrs.frozen(kw_only=True)
class NetworkRules:
    """A deployment's rules for webhook addresses, besides public addresses over https."""

    production: bool = False
    """Whether http to localhost is refused for test endpoints too."""
    allowed_networks: tuple[Network, ...] = ()
    """Internal networks that the operator has allowed."""

    def checked(self, url: str, environment: str, field: str) -> str:
        """The URL in its canonical form; see `check_url`."""
        where: Environment = "live" if environment == "live" else "test"
        return check_url(
            url, where, production=self.production, allowed_networks=self.allowed_networks, field=field
        ).url


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The operator's list of networks, such as `10.20.0.0/16`. Raises `ValueError` for a text that is not a network."""
    return tuple(ip_network(text.strip()) for text in texts)


def check_url(
    url: str,
    environment: Environment,
    *,
    production: bool,
    allowed_networks: Sequence[Network] = (),
    field: str = "url",
) -> Target:
    """Check an endpoint's URL, at registration and again before each use.

    Raises `ValidationFailed` under the path `field` for a URL that an endpoint of this environment may not have.
    """
    try:
        target = _read(url, http=environment == "test" and not production)
        _check_reach(target, environment, production=production, allowed_networks=allowed_networks)
    except _Refused as refused:
        raise ValidationFailed({field: str(refused)}) from None
    return target


def address_allowed(
    address: str | Address, *, to_localhost: bool = False, allowed_networks: Sequence[Network] = ()
) -> bool:
    """Whether a socket may be opened to `address`, for a target with this `to_localhost`.

    An IPv4 address inside an IPv6 one is checked as the IPv4 address that the packets will reach. A text that is not an
    address is refused.
    """
    try:
        reached = _unwrapped(ip_address(address))
    except ValueError:
        return False
    if to_localhost:
        return reached.is_loopback
    if reached.is_unspecified or reached.is_multicast or reached == _BROADCAST:
        return False
    return _is_public(reached) or any(reached in network for network in allowed_networks)


class _Refused(ValueError):
    """A URL that is not allowed, with a message for the person who registers it."""


def _refuse(why: str) -> NoReturn:
    raise _Refused(why)


def _read(url: str, *, http: bool) -> Target:
    """Parse a URL, accepting only one notation for each part; `http` says whether http to localhost will do."""
    if len(url) > _MAX_URL_CHARACTERS:
        _refuse(f"must have at most {_MAX_URL_CHARACTERS} characters")
    if not url.isascii():
        _refuse("must be ASCII: write an international name in its xn-- form")
    match = _URL.fullmatch(url)
    if match is None:
        _refuse_scheme(url, http=http)
        _refuse("must be a plain https URL, without user name, fragment, spaces or backslashes")
    scheme: Literal["https", "http"] = "https" if match["scheme"].lower() == "https" else "http"
    host = _host(match["host"].lower())
    port = int(match["port"]) if match["port"] else {"https": 443, "http": 80}[scheme]
    if port > 65535:
        _refuse("must have a port from 1 to 65535")
    return Target(
        scheme=scheme,
        host=host,
        port=port,
        path=(match["path"] or "/") + (match["query"] or ""),
        to_localhost=scheme == "http",
    )


def _refuse_scheme(url: str, *, http: bool) -> None:
    """Refuse a URL that lacks only its beginning, with the one that was probably meant."""
    match = _URL.fullmatch(f"https://{url}")
    if match is None:
        return
    local = _is_local(match["host"].lower().strip("[]"))
    if not local and "." in match["host"]:
        _refuse(f"must begin with https://: is {_without_query(f'https://{url}')} meant?")
    if not local:
        return
    if http:
        _refuse(f"must begin with http:// or https://: is {_without_query(f'http://{url}')} meant?")
    _refuse("must begin with https://, and have a public host name: localhost is for test endpoints outside production")


def _is_local(host: str) -> bool:
    literal = _literal(host)
    return host == "localhost" if literal is None else literal.is_loopback


def _without_query(url: str) -> str:
    """What may be shown of a URL: its query may hold a token."""
    return url.partition("?")[0]


def _host(text: str) -> str:
    """The host in its canonical form: an address, or a name of letters, digits and hyphens."""
    if text.startswith("["):
        return _literal_v6(text[1:-1])
    labels = text.split(".")
    if labels[-1] == "":
        _refuse("must not have a host that ends in a dot")
    if _NUMBER.fullmatch(labels[-1]):
        return _literal_v4(text)
    if len(text) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _refuse("must have a valid host name")
    return text


def _literal_v4(text: str) -> str:
    try:
        return str(IPv4Address(text))
    except ValueError:
        _refuse("must write an IPv4 address as four decimal numbers without leading zeros")


def _literal_v6(text: str) -> str:
    try:
        address = IPv6Address(text)
    except ValueError:
        _refuse("must have a valid IPv6 address")
    if _unwrapped(address) != address:
        _refuse("must write an IPv4 address as itself, not inside an IPv6 address")
    return str(address)


def _check_reach(
    target: Target, environment: Environment, *, production: bool, allowed_networks: Sequence[Network]
) -> None:
    """Check a well-formed URL against what its environment may reach, as far as possible without resolving the name."""
    literal = _literal(target.host)
    if not target.to_localhost and _is_local(target.host) and environment == "test" and not production:
        _refuse_local_https(target, literal, allowed_networks)
    if target.to_localhost:
        if environment != "test" or production:
            _refuse("must begin with https://")
        if target.host != "localhost" and (literal is None or not literal.is_loopback):
            _refuse("must begin with https://, unless it is http://localhost")
        return
    if literal is not None:
        if not address_allowed(literal, allowed_networks=allowed_networks):
            _refuse("must be at a public address")
    elif not allowed_networks and ("." not in target.host or target.host.endswith(".localhost")):
        _refuse("must have a public host name")


def _refuse_local_https(target: Target, literal: Address | None, allowed_networks: Sequence[Network]) -> None:
    """Refuse https to this machine where http would do, unless the operator has listed its address or any network."""
    if allowed_networks and (literal is None or address_allowed(literal, allowed_networks=allowed_networks)):
        return
    http = attrs.evolve(target, scheme="http").url
    _refuse(f"must be at a public address, or http on this machine: is {_without_query(http)} meant?")


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _unwrapped(address: Address) -> Address:
    """The address that packets reach: without a zone, and the IPv4 address inside an IPv6 one."""
    if isinstance(address, IPv4Address):
        return address
    plain = IPv6Address(int(address))
    if plain.ipv4_mapped is not None:
        return plain.ipv4_mapped
    if plain in _TRANSLATED_V6:
        return IPv4Address(int(plain) & 0xFFFF_FFFF)
    return plain


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _INTERNAL_V4)
    return address in _GLOBAL_V6 and not any(address in network for network in _INTERNAL_V6)
