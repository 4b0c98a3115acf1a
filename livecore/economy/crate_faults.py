"""The contradictions in the crates that a game declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from livecore.economy.config import EconomyConfig
from livecore.economy.crate_config import MOST_ROLLS, CrateDefinition
from livecore.economy.entries import MOST_CRATES, crates_in, faults_of_entries
from livecore.economy.rows import Entries, RewardEntry
from livecore.kernel.wire.config import Fault, declared_twice
from livecore.kernel.wire.shapes import MAX_AMOUNT

MOST_LINES: Final = 50
"""How many different entries contents may have, as any reward."""


def faults_of(config: EconomyConfig) -> Iterator[Fault]:
    """The contradictions in the crates."""
    yield from declared_twice("crates", (crate.key for crate in config.crates))
    for index, crate in enumerate(config.crates):
        yield from _faults_of_crate(config, crate, f"crates[{index}]")


def _faults_of_crate(config: EconomyConfig, crate: CrateDefinition, path: str) -> Iterator[Fault]:
    yield from _faults_of_part(config, crate.guaranteed, f"{path}.guaranteed")
    for number, roll in enumerate(crate.rolls):
        for index, row in enumerate(roll.rows):
            yield from _faults_of_part(config, row.entries, f"{path}.rolls[{number}].rows[{index}].entries")
        if roll.pity is not None and roll.pity.row >= len(roll.rows):
            yield f"{path}.rolls[{number}].pity.row", f"must be a row of this roll, 0 to {len(roll.rows) - 1}"
    if not crate.guaranteed and not any(row.entries for roll in crate.rolls for row in roll.rows):
        yield path, "never holds anything"
    if sum(roll.times for roll in crate.rolls) > MOST_ROLLS:
        yield f"{path}.rolls", f"must be made at most {MOST_ROLLS} times, all 'times' together"
    yield from _faults_of_size(crate, path)
    if crate.key in _always_inside(config, crate.key):
        yield path, "always holds itself, so that there is no end to opening it"


def _faults_of_part(config: EconomyConfig, entries: Entries, path: str) -> Iterator[Fault]:
    yield from faults_of_entries(config, entries, path)
    for index, entry in enumerate(entries):
        if entry.type == "currency" and entry.parameters:
            yield f"{path}[{index}].parameters", "belong to items only"


# -- contents that would be too large, if each roll gave the most ----------------------------------------------------------


def _faults_of_size(crate: CrateDefinition, path: str) -> Iterator[Fault]:
    crates = _at_most(crate, crates_in)
    if crates > MOST_CRATES:
        yield path, f"must hold at most {MOST_CRATES} crates; it could hold {crates}"
    for resource in sorted({(entry.type, entry.resource_key) for entry in _all_entries(crate)}):
        amount = _at_most(crate, partial(_amount_of, resource))
        if amount > MAX_AMOUNT:
            yield path, f"could hold {amount} of '{resource[1]}', which is more than 2^53 - 1"
    lines = _most_lines(crate)
    if lines > MOST_LINES:
        yield path, f"could hold {lines} different entries, and at most {MOST_LINES} are possible"


def _amount_of(resource: tuple[str, str], entries: Entries) -> int:
    return sum(entry.amount for entry in entries if (entry.type, entry.resource_key) == resource)


def _at_most(crate: CrateDefinition, measure: Callable[[Entries], int]) -> int:
    """The most that an opening gives of something."""
    rolled = (roll.times * max(measure(row.entries) for row in roll.rows) for roll in crate.rolls)
    return measure(crate.guaranteed) + sum(rolled)


def _most_lines(crate: CrateDefinition) -> int:
    """How many entries the contents could have: each resource one, each item with attributes one of its own."""
    plain = {(entry.type, entry.resource_key) for entry in crate.guaranteed if not entry.parameters}
    lines = 0
    for roll in crate.rolls:
        found = {(entry.type, entry.resource_key) for row in roll.rows for entry in row.entries if not entry.parameters}
        each = max(sum(not entry.parameters for entry in row.entries) for row in roll.rows)
        lines += min(len(found - plain), roll.times * each)
    apart = _at_most(crate, lambda part: sum(bool(entry.parameters) for entry in part))
    return len(plain) + lines + apart


def _all_entries(crate: CrateDefinition) -> Iterator[RewardEntry]:
    yield from crate.guaranteed
    for roll in crate.rolls:
        for row in roll.rows:
            yield from row.entries


# -- crates inside crates --------------------------------------------------------------------------------------------------


def _always_inside(config: EconomyConfig, key: str) -> set[str]:
    """The crates that come out of this one whatever is rolled, and out of those."""
    found: set[str] = set()
    waiting = [key]
    while waiting:
        crate = config.crate(waiting.pop())
        inside = set() if crate is None else _certain(crate)
        waiting += inside - found
        found |= inside
    return found


def _certain(crate: CrateDefinition) -> set[str]:
    found = _crate_keys(crate.guaranteed)
    for roll in crate.rolls:
        found |= set.intersection(*(_crate_keys(row.entries) for row in roll.rows))
    return found


def _crate_keys(entries: Entries) -> set[str]:
    return {entry.resource_key for entry in entries if entry.type == "crate"}
