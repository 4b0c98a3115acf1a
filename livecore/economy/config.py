"""The economy's part of a game's configuration: the mode, currencies and progression, items and crates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final, Literal

from livecore.economy.crate_config import CrateDefinition
from livecore.kernel.storage.records import JsonText
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import compact, encode
from livecore.kernel.wire.config import Config, Fault, Name, declared_twice, section
from livecore.kernel.wire.shapes import Items, Key, Metadata

SYSTEM_KEYS: Final = ("sessions", "login_streak")
"""Progression that every game has. The service counts it; nobody else can change it."""


@shape
class EconomyKey:
    """A currency or a progression resource (XP, trophies): a balance that each player has.

    `public` lets other players read it through `progression`. Where the service keeps wallets, each also has `sessions`, how
    many sessions the player had, and `login_streak`, on how many days (UTC) in a row the player came. The service counts
    these two by itself: they need no declaration, and nobody can give, take or gift them.
    """

    key: Key
    kind: Literal["currency", "progression"] = "currency"
    public: bool = True
    name: Name | None = None


@shape
class Item:
    """Something that players own in whole numbers.

    `parameters` are its default attributes. A player's stack may override them key by key, until the stack is empty.
    """

    key: Key
    name: Name | None = None
    parameters: Metadata | None = None


@section
class EconomyConfig(Config):
    """The economy's part of the configuration."""

    economy_mode: Literal["studio", "platform"] = "studio"
    economy: Annotated[tuple[EconomyKey, ...], Items(0, 500)] = ()
    items: Annotated[tuple[Item, ...], Items(0, 20_000)] = ()
    crates: Annotated[tuple[CrateDefinition, ...], Items(0, 500)] = ()

    def economy_key(self, key: str) -> EconomyKey | None:
        """The currency or progression resource with this key; the two system keys are progression."""
        return self._economy_by_key.get(key)

    def item(self, key: str) -> Item | None:
        """The item with this key."""
        return self._items_by_key.get(key)

    def crate(self, key: str) -> CrateDefinition | None:
        """The crate with this key."""
        return self._crates_by_key.get(key)

    def crate_text(self, key: str) -> JsonText:
        """The definition of a crate as JSON. Raises `KeyError`."""
        text = self._crate_texts.get(key)
        if text is None:
            text = self._crate_texts[key] = JsonText(compact(encode(self._crates_by_key[key])))
        return text

    @cached_property
    def economy_keys(self) -> tuple[str, ...]:
        """The keys of the declared currencies and progression resources."""
        return tuple(entry.key for entry in self.economy)

    @cached_property
    def item_keys(self) -> tuple[str, ...]:
        """The keys of the items."""
        return tuple(item.key for item in self.items)

    @cached_property
    def crate_keys(self) -> tuple[str, ...]:
        """The keys of the crates."""
        return tuple(crate.key for crate in self.crates)

    @cached_property
    def platform_managed(self) -> bool:
        """Whether the service keeps wallets and inventories (`platform`) or the studio (`studio`)."""
        return self.economy_mode == "platform"

    @cached_property
    def _economy_by_key(self) -> dict[str, EconomyKey]:
        declared = {entry.key: entry for entry in self.economy}
        return declared | {key: EconomyKey(key=key, kind="progression") for key in SYSTEM_KEYS}

    @cached_property
    def _items_by_key(self) -> dict[str, Item]:
        return {item.key: item for item in self.items}

    @cached_property
    def _crate_texts(self) -> dict[str, JsonText]:
        return {}

    @cached_property
    def _crates_by_key(self) -> dict[str, CrateDefinition]:
        return {crate.key: crate for crate in self.crates}


economy_config: Final[Callable[[Unit], EconomyConfig]] = attrgetter("config")
"""The economy's part of a unit's configuration."""


def faults_of(config: EconomyConfig) -> Iterator[Fault]:
    """The contradictions in the economy's part."""
    yield from declared_twice("economy", (entry.key for entry in config.economy))
    yield from declared_twice("items", (item.key for item in config.items))
    for index, entry in enumerate(config.economy):
        if entry.key in SYSTEM_KEYS:
            yield f"economy[{index}].key", "is counted by the service and cannot be declared"
