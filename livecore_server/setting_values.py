"""Values of settings: how their texts are read and checked. Each raises `ValueError` with what is wrong with a text."""

from __future__ import annotations

import sys
from typing import Final, cast
from urllib.parse import urlsplit

import attrs

from livecore.api.requests.limits import DEFAULT_PER_MINUTE, RateLimits
from livecore.api.table.operation import Bucket
from livecore.webhooks.addresses import Network, parse_networks
from livecore_server.sign_in.web_addresses import require_web_address
from livecore_server.vault import KeyVault, VaultError

_OTHERS: Final = {
    "unauthenticated": "unauthenticated_per_minute",
    "sdk_address": "address_per_minute",
    "new_players": "new_players_per_hour",
    "player_bytes": "stored_bytes_per_day",
}
"""The further limits, by address and by player, each with its field."""
_COUNTED: Final = {"new_players": "players an hour", "player_bytes": "bytes a day"}
"""What they count, where it is not requests a minute."""


def parse_rate_limits(text: str, *, per_player: bool = False) -> RateLimits:
    """Read `on`, `off`, or a list such as `sdk_write=300,admin=off`, which changes the buckets that it names.

    Raises `ValueError` naming the bucket.
    """
    if text == "off":
        return attrs.evolve(RateLimits.off(), per_player=per_player)
    per_minute: dict[Bucket, int] = dict(DEFAULT_PER_MINUTE)
    others: dict[str, int | None] = {}
    for part in [] if text == "on" else text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        number = _number_of(name, value)
        if name in _OTHERS:
            others[_OTHERS[name]] = number
        elif number is None:
            per_minute.pop(cast(Bucket, name), None)
        else:
            per_minute[cast(Bucket, name)] = number
    usual = RateLimits(per_minute=per_minute, per_player=per_player)
    return attrs.evolve(usual, **others)  # type: ignore[arg-type] # the names are of fields with such values


def _number_of(name: str, value: str) -> int | None:
    known = (*DEFAULT_PER_MINUTE, *_OTHERS)
    if name not in known:
        raise ValueError(f"'{name}' is no bucket; give 'on', 'off', or numbers for any of {', '.join(known)}")
    if value == "off":
        return None
    if not value.isdecimal() or not 1 <= int(value) <= 10**9:
        counted = _COUNTED.get(name, "requests a minute")
        raise ValueError(f"'{name}' wants 'off' or a number of {counted} from 1 to 1000000000")
    return int(value)


def parse_address(text: str) -> tuple[str, int]:
    """Read `HOST:PORT`, an IPv6 host in brackets. Raises `ValueError`."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > 65_535:
        raise ValueError(f"'{text}' is not HOST:PORT with a port up to 65535")
    return host, int(port)


def parse_network_list(text: str) -> tuple[Network, ...]:
    """Read networks such as `10.0.0.0/8,fd00::/8`. Raises `ValueError`."""
    return parse_networks(part for part in text.split(",") if part.strip())


def check_workers(text: str) -> None:
    """Raises `ValueError` for several processes where there can be one only."""
    if text != "1" and sys.platform == "win32":
        raise ValueError(
            "on Windows the server is one process: leave --workers and LIVECORE_WORKERS out, or run it on Linux or macOS, "
            "in WSL or in a container"
        )


def check_issuer(text: str) -> None:
    """Raises `ValueError` for what is no address of an identity provider."""
    require_web_address(text, http_on_loopback=True)
    if "?" in text:
        raise ValueError("must have no query")


def check_public_url(text: str) -> None:
    """Raises `ValueError` for what is no origin at which a server is reached."""
    require_web_address(text, http_on_loopback=True)
    parts = urlsplit(text)
    if parts.path not in ("", "/") or parts.query or "?" in text:
        raise ValueError("must be an origin, such as https://live.example.com, without a path")


def check_client_text(text: str) -> None:
    """Raises `ValueError` for what an identity provider could not have given as id or secret."""
    if not text or not text.isprintable() or len(text) > 1_000:
        raise ValueError("must be printable text")


def parse_vault_keys(text: str) -> KeyVault:
    """Read the keys of the vault. Raises `ValueError`."""
    try:
        return KeyVault.parse(text)
    except VaultError as fault:
        raise ValueError(str(fault)) from None
