"""The game configuration: one JSON file that declares what a dashboard would, for both environments of a game.

Every section may be left out. The same file feeds the server and the simulation. `load_config` reads it strictly; a fault is
reported with the path of the field and, for members of a list, the key of the entry it is in. What fields demand of each
other is in `livecore.kernel.config_faults`. The published JSON Schema is made from these classes.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Annotated, Literal

from livecore.kernel.config_faults import RATE_FORM, SYSTEM_KEYS, faults_of
from livecore.kernel.config_text import named_twice, read_text
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
    "stored_config",
]

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
    """Read a configuration from JSON data; the name of its schema, which editors put there, is passed over.

    Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all of them at once.
    """
    if isinstance(data, dict) and isinstance(data.get("$schema"), str):
        data = {name: member for name, member in data.items() if name != "$schema"}
    try:
        config = decode(GameConfig, data)
    except ValidationFailed as fault:
        raise _with_keys(_in_words(fault), data) from None
    faults = dict(faults_of(config))
    if faults:
        raise _with_keys(ValidationFailed(faults), data)
    return config


def load_config(text: str) -> GameConfig:
    """Read a configuration from the text of its file; see `parse_config`."""
    data = read_text(text)
    doubled = named_twice(data)
    if doubled:
        raise _with_keys(ValidationFailed(doubled), data)
    return parse_config(data)


def stored_config(text: str) -> GameConfig:
    """A configuration that was read before, from the text that was kept of it: it held then, and is not judged again."""
    return decode(GameConfig, json.loads(text))


def _in_words(fault: ValidationFailed) -> ValidationFailed:
    """A rate that is written as a number would be rounded before anybody could read it exactly: say how to write it."""
    return ValidationFailed({
        path: RATE_FORM if path.startswith("exchangeRates.") else text for path, text in fault.fields.items()
    })  # fmt: skip


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
