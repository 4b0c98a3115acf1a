"""What in a configuration could never work, although each field is as it must be.

Each fault is a path and what is wrong there. Whoever loads a file is told all of them before anything of it takes effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from livecore.kernel.config import GameConfig

__all__ = ["RATE_FORM", "SYSTEM_KEYS", "faults_of"]

Fault: TypeAlias = tuple[str, str]

SYSTEM_KEYS: Final = ("sessions", "login_streak")
"""Progression that every game has, counted by the service and locked for everybody else."""
RATE_FORM: Final = (
    'must be a positive decimal number in quotes, such as "1.08", '
    "with at most 12 digits before the point and 12 after it"
)
_NO_BALANCE: Final = (
    "must be false where the studio manages the economy, because the service has no balance to take the gift from; "
    "or set economyMode to 'platform'"
)
_RATE: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


def faults_of(config: GameConfig) -> Iterator[Fault]:
    """Every fault between fields, section by section."""
    economy = [entry.key for entry in config.economy]
    items = [item.key for item in config.items]
    yield from _twice("economy", economy)
    yield from _twice("items", items)
    for place, key in enumerate(economy):
        if key in SYSTEM_KEYS:
            yield f"economy[{place}].key", "is counted by the service and cannot be declared"
    yield from _of_gifting(config, {"currency": set(economy), "item": set(items)})
    for currency, rate in config.exchange_rates.items():
        yield from _of_rate(f"exchangeRates.{currency}", currency, rate)


def _twice(section: str, keys: Iterable[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, key in enumerate(keys):
        if key in seen:
            yield f"{section}[{place}].key", "is declared twice"
        seen.add(key)


def _of_gifting(config: GameConfig, declared: dict[str, set[str]]) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for place, resource in enumerate(config.gifting.resources):
        path = f"gifting.resources[{place}]"
        if resource.key in SYSTEM_KEYS and resource.type == "currency":
            yield f"{path}.key", "is counted by the service and cannot be gifted"
        elif resource.key not in declared[resource.type]:
            section = "items" if resource.type == "item" else "economy"
            yield f"{path}.key", f"is not declared in '{section}'"
        if (resource.type, resource.key) in seen:
            yield f"{path}.key", "is on the list twice"
        seen.add((resource.type, resource.key))
        if resource.costs_sender and not config.platform_managed:
            yield f"{path}.costsSender", _NO_BALANCE


def _of_rate(path: str, currency: str, rate: str) -> Iterator[Fault]:
    if _CURRENCY.fullmatch(currency) is None:
        yield path, "must be named by a three-letter currency code"
    elif _RATE.fullmatch(rate) is None or not Decimal(rate):
        yield path, RATE_FORM
    elif currency == "USD" and Decimal(rate) != 1:
        yield path, "must be left out, or 1: every rate is what one unit of a currency is worth in USD"
