"""The crates that tests declare."""

from __future__ import annotations

from typing import Any

from livecore.kernel.errors import JsonObject
from tests.worlds import CRATES

GOLD: JsonObject = {"type": "currency", "resourceKey": "gold", "amount": 1}
POTION: JsonObject = {"type": "item", "resourceKey": "potion", "amount": 1}


def entry(key: str, amount: int = 1) -> JsonObject:
    """A crate in a reward."""
    return {"type": "crate", "resourceKey": key, "amount": amount}


def chest(**changes: object) -> dict[str, Any]:
    """The usual crate, changed."""
    usual: Any = CRATES[0]
    return {**usual, **changes}


def row(*entries: JsonObject) -> dict[str, Any]:
    """A row of a roll."""
    return {"weight": 1, "entries": list(entries)}


def roll(*entries: JsonObject, **changes: object) -> dict[str, Any]:
    """A roll of one row."""
    return {"rows": [row(*entries)], **changes}


def rare(after: int, times: int = 1) -> list[Any]:
    """A crate whose second row practically never comes by itself."""
    rows = [{"weight": 10**9, "entries": [GOLD]}, {"weight": 1, "entries": [POTION]}]
    return [
        {"key": "chest", "name": "Chest", "rolls": [{"times": times, "rows": rows, "pity": {"after": after, "row": 1}}]}
    ]
