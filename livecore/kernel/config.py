"""The game configuration: one JSON file that declares what a dashboard would, for both environments of a game.

Every section may be left out. The same file feeds the server and the simulation. `load_config` reads it strictly; a fault is
reported with the path of the field and, for members of a list, the key of the entry it is in. The published JSON Schema is
made from these classes.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Annotated, Literal

from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.shapes import Amount, Int, Items, Key, Metadata, Text, shape
from livecore.kernel.wire import decode

__all__ = [
    "SYSTEM_KEYS",
    "EconomyKey",
    "GameConfig",
    "GiftResource",
    "Gifting",
    "IdentityPool",
    "Item",
    "PurchaseLimits",
    "Social",
    "load_config",
    "parse_config",
]

SYSTEM_KEYS = ("sessions", "login_streak")
"""Progression that every game has, counted by the service and locked for everybody else."""

_NAME = Annotated[str, Text(1, 100)]
_SECONDS = Annotated[int, Int(0, 10 * 365 * 86_400)]
_WORD = Annotated[str, Text(1, 19, name=True)]


@shape
class EconomyKey:
    """A currency or a progression resource (XP, trophies): a balance that each player has.

    `public` lets other players read it through `progression`.
    """

    key: Key
    kind: Literal["currency", "progression"] = "currency"
    public: bool = True
    name: _NAME | None = None


@shape
class Item:
    """Something players own in whole numbers.

    `parameters` are its default attributes. A player's stack may have others over them, key by key, until nothing is left.
    """

    key: Key
    name: _NAME | None = None
    parameters: Metadata | None = None


@shape
class GiftResource:
    """One line of the gift list: what, how much at once, and whether the sender pays for it."""

    type: Literal["item", "currency"]
    key: Key
    max_amount: Amount
    costs_sender: bool = False


@shape
class Gifting:
    """Gifting: off until switched on, and then only what `resources` lists."""

    enabled: bool = False
    cooldown_seconds: _SECONDS = 86_400
    daily_send_limit: Annotated[int, Int(0, 1_000_000)] | None = None
    claim_expiry_seconds: Annotated[int, Int(1, 10 * 365 * 86_400)] | None = 7 * 86_400
    resources: Annotated[tuple[GiftResource, ...], Items(0, 500)] = ()


@shape
class Social:
    """How large one player's social graph may grow."""

    max_friends: Annotated[int, Int(1, 5_000)] = 500
    max_outgoing_requests: Annotated[int, Int(1, 5_000)] = 100
    max_blocks: Annotated[int, Int(1, 5_000)] = 500


@shape
class IdentityPool:
    """Words and pictures that anonymised identities are composed of: one of each, drawn once for each player."""

    first_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    second_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    avatars: Annotated[tuple[Annotated[str, Text(1, 512)], ...], Items(0, 2_000, unique=True)] = ()


@shape
class PurchaseLimits:
    """What one purchase may come to, in US cents, whoever reports it.

    A client can report anything, and a backend can mistake the unit. Set it to what the dearest product costs.
    """

    max_amount_minor: Annotated[int, Int(1, 10**10)] = 10**9


@shape
class GameConfig:
    """Everything a game declares."""

    name: _NAME = "Untitled game"
    economy_mode: Literal["studio", "platform"] = "studio"
    economy: Annotated[tuple[EconomyKey, ...], Items(0, 500)] = ()
    items: Annotated[tuple[Item, ...], Items(0, 20_000)] = ()
    gifting: Gifting = Gifting()
    social: Social = Social()
    exchange_rates: dict[str, str] = {}  # noqa: RUF012 - attrs shapes hold class-level defaults; never mutated
    purchases: PurchaseLimits = PurchaseLimits()
    identity_pool: IdentityPool | None = None
    platforms: Annotated[tuple[Key, ...], Items(0, 100, unique=True)] = ()

    def economy_key(self, key: str) -> EconomyKey | None:
        """The currency or progression resource of this key; the two system keys are progression."""
        return _lookups(self)[0].get(key)

    def item(self, key: str) -> Item | None:
        """The item of this key."""
        return _lookups(self)[1].get(key)

    def gift_resource(self, kind: str, key: str) -> GiftResource | None:
        """The gift list's line for this resource."""
        return _lookups(self)[2].get((kind, key))

    @property
    def platform_managed(self) -> bool:
        """Whether the service keeps wallet and inventory (`platform`), or the studio does (`studio`)."""
        return self.economy_mode == "platform"

    def __hash__(self) -> int:
        return id(self)


_Lookups = tuple[dict[str, EconomyKey], dict[str, Item], dict[tuple[str, str], GiftResource]]


@lru_cache(maxsize=256)
def _lookups(config: GameConfig) -> _Lookups:
    economy = {entry.key: entry for entry in config.economy}
    for key in SYSTEM_KEYS:
        economy[key] = EconomyKey(key=key, kind="progression")
    return (
        economy,
        {item.key: item for item in config.items},
        {(resource.type, resource.key): resource for resource in config.gifting.resources},
    )


def parse_config(data: Json) -> GameConfig:
    """Read a configuration from JSON data.

    Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all of them at once.
    """
    try:
        config = decode(GameConfig, data)
    except ValidationFailed as fault:
        raise _with_keys(fault, data) from None
    faults = dict(_cross_checks(config))
    if faults:
        raise _with_keys(ValidationFailed(faults), data)
    return config


def load_config(text: str) -> GameConfig:
    """Read a configuration from the text of its file; see `parse_config`."""
    try:
        data = json.loads(text)
    except ValueError as fault:
        raise ValidationFailed({"": f"is not JSON: {fault}"}) from None
    if isinstance(data, dict):
        data.pop("$schema", None)
    return parse_config(data)


def _cross_checks(config: GameConfig) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    economy = [entry.key for entry in config.economy]
    items = [item.key for item in config.items]
    for section, keys in (("economy", economy), ("items", items)):
        seen: set[str] = set()
        for place, key in enumerate(keys):
            if key in seen:
                faults.append((f"{section}[{place}].key", "is declared twice"))
            seen.add(key)
    faults += [
        (f"economy[{place}].key", "is counted by the service and cannot be declared")
        for place, key in enumerate(economy)
        if key in SYSTEM_KEYS
    ]
    faults += _gifting_checks(config, set(economy), set(items))
    for currency, rate in config.exchange_rates.items():
        if re.fullmatch(r"[A-Z]{3}", currency) is None:
            faults.append((f"exchangeRates.{currency}", "must be named by a three-letter currency code"))
        if re.fullmatch(r"\d{1,12}(\.\d{1,12})?", rate) is None or float(rate) == 0:
            faults.append((f"exchangeRates.{currency}", 'must be a positive decimal number such as "1.08"'))
    return faults


def _gifting_checks(config: GameConfig, economy: set[str], items: set[str]) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    seen: set[tuple[str, str]] = set()
    for place, resource in enumerate(config.gifting.resources):
        path = f"gifting.resources[{place}].key"
        if resource.key in SYSTEM_KEYS:
            faults.append((path, "is counted by the service and cannot be gifted"))
        elif resource.key not in (items if resource.type == "item" else economy):
            section = "items" if resource.type == "item" else "economy"
            faults.append((path, f"is not declared in '{section}'"))
        if (resource.type, resource.key) in seen:
            faults.append((path, "is on the list twice"))
        seen.add((resource.type, resource.key))
    return faults


def _with_keys(fault: ValidationFailed, data: Json) -> ValidationFailed:
    """Add to each path the key of the list entry it passes through, so that a long file is easy to search."""
    return ValidationFailed({path: f"{text}{_entry_key(path, data)}" for path, text in fault.fields.items()})


def _entry_key(path: str, data: Json) -> str:
    here: Json = data
    found = ""
    for name, place in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if name and isinstance(here, dict):
            here = here.get(name)
        elif place and isinstance(here, list) and int(place) < len(here):
            here = here[int(place)]
            if isinstance(here, dict) and isinstance(here.get("key"), str):
                found = f" (the entry with key {here['key']!r})"
        else:
            break
    return found
