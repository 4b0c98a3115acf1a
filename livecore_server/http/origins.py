"""The list of origins whose pages may call from a browser, as an operator writes it."""

from __future__ import annotations

import re
from typing import Final

EVERY: Final = "*"
_ORIGIN: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([0-9]{1,5}))?")
_USUAL_PORTS: Final = {"http": 80, "https": 443}
_MOST_PORT: Final = 65_535


def parse_origins(text: str) -> frozenset[str]:
    """Read a list of origins with commas, in the form in which browsers send them, or `*`. Raises `ValueError`."""
    origins = [part.strip() for part in text.split(",") if part.strip()]
    if EVERY in origins and len(origins) > 1:
        raise ValueError("'*' means every origin, so no other can be given with it")
    return frozenset(origin if origin == EVERY else _origin(origin) for origin in origins)


def _origin(text: str) -> str:
    found = _ORIGIN.fullmatch(text.lower())
    if found is None or not 0 < int(found[3] or 1) <= _MOST_PORT:
        raise ValueError(
            f"'{text}' is no origin: give scheme://host or scheme://host:port without a path, such as "
            "https://play.example.com, or '*' alone for every origin"
        )
    scheme, host, port = found[1], found[2], found[3]
    own_port = port is None or int(port) == _USUAL_PORTS.get(scheme)
    return f"{scheme}://{host}" if own_port else f"{scheme}://{host}:{int(port)}"
