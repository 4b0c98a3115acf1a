"""Writes small MaxMind DB files of IPv4 networks and their countries, in as much of the format as a test needs."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from ipaddress import IPv4Network
from pathlib import Path

_SEPARATOR = b"\0" * 16
_METADATA = b"\xab\xcd\xefMaxMind.com"


def country_file(path: Path, countries: Mapping[str, str]) -> Path:
    """A file that gives each network's country."""
    data, offsets = b"", {}
    for country in sorted(set(countries.values())):
        offsets[country] = len(data)
        data += _map({"country": _map({"iso_code": _text(country)})})
    nodes: list[list[int | str | None]] = [[None, None]]
    for network, country in countries.items():
        _insert(nodes, IPv4Network(network), country)
    tree = b"".join(_record(side, len(nodes), offsets) for node in nodes for side in node)
    path.write_bytes(tree + _SEPARATOR + data + _METADATA + _metadata(len(nodes)))
    return path


def _insert(nodes: list[list[int | str | None]], network: IPv4Network, country: str) -> None:
    bits = f"{int(network.network_address):032b}"[: network.prefixlen]
    node = nodes[0]
    for bit in map(int, bits[:-1]):
        following = node[bit]
        if not isinstance(following, int):
            nodes.append([None, None])
            following = node[bit] = len(nodes) - 1
        node = nodes[following]
    node[int(bits[-1])] = country


def _record(side: int | str | None, count: int, offsets: Mapping[str, int]) -> bytes:
    """24 bits: a node, a place in the data, or `count` for nothing."""
    value = count if side is None else side if isinstance(side, int) else count + len(_SEPARATOR) + offsets[side]
    return struct.pack(">I", value)[1:]


def _text(text: str) -> bytes:
    return bytes([0b010_00000 | len(text)]) + text.encode()


def _number(value: int) -> bytes:
    return bytes([0b110_00100]) + struct.pack(">I", value)


def _map(members: Mapping[str, bytes]) -> bytes:
    return bytes([0b111_00000 | len(members)]) + b"".join(_text(name) + value for name, value in members.items())


def _metadata(count: int) -> bytes:
    short = {"ip_version": 4, "record_size": 24, "binary_format_major_version": 2, "binary_format_minor_version": 0}
    members = {name: bytes([0b101_00001, value]) if value else bytes([0b101_00000]) for name, value in short.items()}
    return _map(
        {
            **members,
            "node_count": _number(count),
            "build_epoch": bytes([0b000_00001, 2, 1]),
            "database_type": _text("Country"),
            "languages": bytes([0b000_00000, 4]),
            "description": _map({}),
        }
    )
