"""What is in a crate: a pure function of its definition, a seed, and how long the player has waited for the rows of pity.

Each opening has a seed of its own, which is recorded, so every roll can be derived again later. The rolls are made in their
order. A roll draws a number below the sum of the weights from the seed's stream (`livecore.kernel.entropy`); the rows divide
these numbers among themselves, in their order. Where pity gives a row, nothing is drawn for that roll.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from typing import Final

from livecore.economy.crate_config import CrateDefinition, CrateRoll
from livecore.economy.entries import added_up
from livecore.economy.rows import RewardEntry
from livecore.kernel.entropy import Entropy
from livecore.kernel.values import value
from livecore.kernel.wire import compact, encode

_DIGITS: Final = 12
"""How many decimals a probability has at most. With at most 100 rows of weights up to 10^9 none is so small as to be 0."""


@value
class Rolled:
    """The result of one roll: the number of the roll in the definition, and of the row; the first is 0."""

    roll: int
    row: int


@value
class Draw:
    """What an opening gives."""

    rolls: tuple[Rolled, ...]
    waits: Mapping[str, int]
    """For each row of pity, how many openings in a row have not given it, this one included."""
    entries: tuple[RewardEntry, ...]


def draw(definition: CrateDefinition, seed: bytes, waits: Mapping[str, int]) -> Draw:
    """Open a crate. `waits` are those after the player's openings before; what is missing there counts as 0."""
    entropy = Entropy(seed)
    rolls: list[Rolled] = []
    after: dict[str, int] = {}
    names = pity_names(definition)
    for number, roll in enumerate(definition.rolls):
        waited = waits.get(names[number], 0)
        rows = list(_rows(roll, entropy, is_due(roll, waited)))
        rolls += [Rolled(number, row) for row in rows]
        if roll.pity is not None:
            after[names[number]] = 0 if roll.pity.row in rows else waited + 1
    won = [entry for rolled in rolls for entry in definition.rolls[rolled.roll].rows[rolled.row].entries]
    return Draw(tuple(rolls), after, added_up((*definition.guaranteed, *won)))


def pity_names(definition: CrateDefinition) -> list[str]:
    """The name under which each roll counts for pity: what its row of pity gives, so that another row counts anew.

    A roll without pity has the name "".
    """
    names: list[str] = []
    for roll in definition.rolls:
        name = ""
        if roll.pity is not None:
            entries = compact([encode(entry) for entry in roll.rows[roll.pity.row].entries])
            name = blake2b(entries.encode(), digest_size=8).hexdigest()
        names.append(f"{name}{'+' * names.count(name)}" if name else "")
    return names


def is_due(roll: CrateRoll, waited: int) -> bool:
    """Whether pity gives its row, after so many openings in a row that have not given it."""
    return roll.pity is not None and waited >= roll.pity.after


def _rows(roll: CrateRoll, entropy: Entropy, due: bool) -> Iterator[int]:  # noqa: FBT001 - one caller
    sums = list(accumulate(row.weight for row in roll.rows))
    for time in range(roll.times):
        if due and roll.pity is not None and time == 0:
            yield roll.pity.row
        else:
            yield bisect_right(sums, entropy.below(sums[-1]))


def probabilities(roll: CrateRoll) -> tuple[str, ...]:
    """The chances of the rows as decimal texts, which add up to exactly 1.

    A chance that has no end as a decimal is cut; what is missing then goes to the rows that lost most.
    """
    return _probabilities(tuple(row.weight for row in roll.rows))


@lru_cache(maxsize=4_096)
def _probabilities(weights: tuple[int, ...]) -> tuple[str, ...]:
    unit, total = 10**_DIGITS, sum(weights)
    written, losses = zip(*(divmod(weight * unit, total) for weight in weights), strict=True)
    by_loss = sorted(range(len(weights)), key=lambda row: (-losses[row], row))
    raised = set(by_loss[: unit - sum(written)])
    return tuple(_decimal(share + (row in raised)) for row, share in enumerate(written))


def _decimal(share: int) -> str:
    whole, rest = divmod(share, 10**_DIGITS)
    return f"{whole}.{rest:0{_DIGITS}}".rstrip("0").rstrip(".")
