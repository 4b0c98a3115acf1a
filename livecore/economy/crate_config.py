"""How a game declares a crate: what it always holds, and the rolls that decide what else is in it."""

from __future__ import annotations

from typing import Annotated

from livecore.economy.crate_rows import Pity
from livecore.economy.rows import Entries
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Name
from livecore.kernel.wire.shapes import DefinitionKey, Int, Items

MOST_ROLLS = 100
"""How often one opening may roll, all rolls and their `times` together."""


@shape
class CrateRow:
    """One possible outcome of a roll. Its chance is its weight, divided by the weights of all rows of the roll."""

    weight: Annotated[int, Int(1, 1_000_000_000)]
    entries: Entries


@shape
class CrateRoll:
    """A roll: one of the rows, drawn `times` times, each time with the same chances."""

    times: Annotated[int, Int(1, MOST_ROLLS)] = 1
    rows: Annotated[tuple[CrateRow, ...], Items(1, 100)]
    pity: Pity | None = None


@shape
class CrateDefinition:
    """A crate as the game declares it. The player gets all `guaranteed` entries and those of each rolled row."""

    key: DefinitionKey
    name: Name
    guaranteed: Entries = ()
    rolls: Annotated[tuple[CrateRoll, ...], Items(0, 20)] = ()
