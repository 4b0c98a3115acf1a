"""Reward entries: how they are stored, checked and added up, wherever something is won, granted or paid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from livecore.economy.config import SYSTEM_KEYS, EconomyConfig
from livecore.economy.refusals import SystemResourceLocked
from livecore.economy.rows import RewardEntry
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.quoting import quoted, there_are
from livecore.kernel.remembered import remembered
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.wire import compact
from livecore.kernel.wire.config import Fault
from livecore.kernel.wire.config_mending import Undeclared
from livecore.kernel.wire.shapes import ABSENT

MOST_CRATES: Final = 100
"""How many crates one reward may hold: each becomes a grant of its own when the reward is claimed."""


# -- stored ---------------------------------------------------------------------------------------------------------------


def entries_text(entries: Sequence[RewardEntry]) -> JsonText:
    """The stored text of reward entries, without their attributes."""
    return _text_of(tuple((entry.type, entry.resource_key, entry.amount) for entry in entries))


@lru_cache(maxsize=1_024)
def _text_of(entries: tuple[tuple[str, str, int], ...]) -> JsonText:
    """Equal rewards have one text, which a store in memory holds once."""
    rows: list[Json] = [{"type": kind, "resourceKey": key, "amount": amount} for kind, key, amount in entries]
    return JsonText(compact(rows))


def parameters_text(entries: Sequence[RewardEntry]) -> JsonText | None:
    """The stored text of the attributes, separate from the entries because they are free-form."""
    given: JsonObject = {
        str(index): entry.parameters for index, entry in enumerate(entries) if entry.parameters is not ABSENT
    }
    return JsonText(compact(given)) if given else None


@remembered(16 * 1024 * 1024)
def stored_entries(text: JsonText, parameters: JsonText | None) -> tuple[RewardEntry, ...]:
    """The reward entries that these texts hold."""
    given = {} if parameters is None else json.loads(parameters)
    return tuple(
        RewardEntry(
            type=entry["type"],
            resource_key=entry["resourceKey"],
            amount=entry["amount"],
            parameters=given.get(str(index), ABSENT),
        )
        for index, entry in enumerate(json.loads(text))
    )


# -- rules ----------------------------------------------------------------------------------------------------------------


def crates_in(entries: Iterable[RewardEntry]) -> int:
    """How many crates these entries hold."""
    return sum(entry.amount for entry in entries if entry.type == "crate")


def added_up(entries: Iterable[RewardEntry]) -> tuple[RewardEntry, ...]:
    """The same entries, those of one resource as one, in the order of their first mention.

    Items with attributes stay apart: which of them come last matters, because attributes replace one another.
    """
    found: dict[object, RewardEntry] = {}
    for entry in entries:
        kind: object = len(found) if entry.parameters else (entry.type, entry.resource_key)
        before = found.get(kind)
        found[kind] = entry if before is None else evolve(before, amount=before.amount + entry.amount)
    return tuple(found.values())


def check_entries(
    config: EconomyConfig, entries: Sequence[RewardEntry], kind: Literal["reward", "crate"] = "reward"
) -> None:
    """Refuse entries that a grant of this kind cannot hold.

    Raises `ValidationFailed`, which for a crate comes first; and `SystemResourceLocked` for the service's own resources.
    """
    faults: dict[str, str] = {}
    words: dict[str, str] = {}
    if kind == "crate" and [(entry.type, entry.amount) for entry in entries] != [("crate", 1)]:
        faults["entries"] = "must be one entry of type 'crate' and amount 1 where 'kind' is 'crate'"
    elif any(entry.type == "currency" and entry.resource_key in SYSTEM_KEYS for entry in entries):
        raise SystemResourceLocked
    for index, entry in enumerate(entries):
        if not is_declared(config, entry.type, entry.resource_key):
            path, fault = f"entries[{index}].resourceKey", f"is not {_THINGS[entry.type]} of this game"
            faults[path] = fault
            words[path] = f"{quoted(entry.resource_key)} {fault}: {there_are(_keys(config, entry.type))}"
        if entry.type != "item" and entry.parameters:
            faults[f"entries[{index}].parameters"] = "belong to items only"
    if crates_in(entries) > MOST_CRATES:
        faults["entries"] = f"must hold at most {MOST_CRATES} crates"
    if faults:
        raise ValidationFailed(faults, words=words)


def faults_of_entries(config: EconomyConfig, entries: Sequence[RewardEntry], path: str) -> Iterator[Fault]:
    """The contradictions in entries that a configuration declares."""
    for index, entry in enumerate(entries):
        here = f"{path}[{index}]"
        if entry.type == "currency" and entry.resource_key in SYSTEM_KEYS:
            yield f"{here}.resourceKey", "is counted by the service and cannot be given or taken"
        elif not is_declared(config, entry.type, entry.resource_key):
            yield f"{here}.resourceKey", undeclared(config, entry.type)
        if entry.type == "crate" and entry.parameters:
            yield f"{here}.parameters", "belong to items only"
    if crates_in(entries) > MOST_CRATES:
        yield path, f"must hold at most {MOST_CRATES} crates"


_THINGS: Final = {"item": "an item", "currency": "an economy key", "crate": "a crate"}
SECTIONS: Final = {"item": "items", "currency": "economy", "crate": "crates"}
"""The list of the configuration that declares resources of a type."""


def _keys(config: EconomyConfig, kind: Literal["item", "currency", "crate"]) -> tuple[str, ...]:
    if kind == "item":
        return config.item_keys
    return config.crate_keys if kind == "crate" else config.economy_keys


def is_declared(config: EconomyConfig, kind: Literal["item", "currency", "crate"], key: str) -> bool:
    """Whether there is a resource of this type and key; the service's own counters are among the currencies."""
    if kind == "item":
        return config.item(key) is not None
    if kind == "crate":
        return config.crate(key) is not None
    return config.economy_key(key) is not None


def undeclared(config: EconomyConfig, kind: Literal["item", "currency", "crate"]) -> Undeclared:
    """What is wrong with a reference to a resource of this type that the configuration does not declare."""
    return Undeclared(SECTIONS[kind], _keys(config, kind))
