"""Advice on the economy: what the configuration declares and nothing in it gives, or nothing takes.

Only where the service keeps wallets and inventories. There a studio's backend can still give and take everything, and does
so in many games, so each list of the configuration has one line that names what only the backend moves. Progression, such as
experience, is usually counted by the backend, and nothing has to take items and crates: players use and open them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from livecore.economy.config import EconomyConfig
from livecore.economy.entries import SECTIONS
from livecore.economy.rows import RewardEntry
from livecore.kernel.quoting import listed
from livecore.kernel.wire.config import Advice


def advice_on(config: EconomyConfig) -> Iterator[Advice]:
    """What only the studio's backend can give, and which currencies only it can take."""
    if not config.platform_managed:
        return
    given, taken = set[tuple[str, str]](), set[tuple[str, str]]()
    for section, key, is_cost in _named_in(config, is_cost=False):
        if is_cost is not True:
            given.add((section, key))
        if is_cost is not False:
            taken.add((section, key))
    currencies = [entry.key for entry in config.economy if entry.kind == "currency"]
    for section, keys in (("economy", currencies), ("items", config.item_keys), ("crates", config.crate_keys)):
        never = [key for key in keys if (section, key) not in given]
        if never:
            yield section, f"has what nothing in the configuration gives, so only the backend can: {listed(never)}"
    kept = [key for key in currencies if ("economy", key) not in taken]
    if kept:
        yield "economy", f"has what nothing in the configuration takes, so only the backend can: {listed(kept)}"


def _named_in(value: Any, *, is_cost: bool) -> Iterator[tuple[str, str, bool | None]]:  # noqa: ANN401 - any part
    """What the parts of a configuration name: its list, its key, and whether it is taken; `None`: given and taken."""
    if isinstance(value, tuple):
        for member in value:
            yield from _named_in(member, is_cost=is_cost)
    elif isinstance(value, RewardEntry):
        yield SECTIONS[value.type], value.resource_key, is_cost
    elif attrs.has(type(value)) and getattr(value, "enabled", True):
        kind, key = getattr(value, "type", None), getattr(value, "key", None)
        if kind in SECTIONS and isinstance(key, str):
            # What players give to each other, as gifts or in guilds.
            yield SECTIONS[kind], key, None
        for field in attrs.fields(type(value)):
            yield from _named_in(getattr(value, field.name), is_cost=is_cost or field.name.endswith("_cost"))
