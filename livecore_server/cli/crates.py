"""`livecore crates`: derives again what an opened crate gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import click

from livecore.economy.crate_config import CrateDefinition
from livecore.economy.crate_draws import Rolled, is_due, pity_names, probabilities
from livecore.economy.crate_soundness import faults_of_opening
from livecore.economy.crates import (
    DEFINITIONS,
    CrateOpening,
    definition_in,
    drawn_again,
    opening_of,
    rolls_of,
    waits_in,
)
from livecore.economy.grants import GRANTS
from livecore.economy.rows import RewardEntry
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import encode
from livecore_server.cli.groups import Group
from livecore_server.cli.options import json_option
from livecore_server.cli.output import show
from livecore_server.cli.scopes import placed, scopes_of


@attrs.frozen
class _Verified:
    """An opened crate, and what does not agree; or, if all does, the definition by which it was drawn."""

    opening: CrateOpening
    definition: CrateDefinition | None
    faults: Sequence[str]


@click.group(cls=Group)
def crates() -> None:
    """Crates that players have opened."""


@crates.command()
@placed
@click.argument("grant_id", metavar="GRANT")
@json_option
def verify(database: str, game_id: str | None, environment: str | None, grant_id: str, *, as_json: bool) -> int:
    """Derive the rolls of an opened crate again, from the seed that was recorded when it was opened.

    GRANT is the id of the crate, or of the grant with its contents. Ends with status 0 when the rolls and the contents are
    those that the seed gives, and 1 when they are not.
    """
    with scopes_of(database, game_id, environment) as scopes:
        _, found = scopes.only(lambda unit: _verify(unit, grant_id))
    show(_as_json(found), _lines(found), as_json=as_json)
    return 1 if found.faults else 0


def _verify(unit: Unit, grant_id: str) -> _Verified:
    opening = opening_of(unit, grant_id)
    stored = unit.tx.get(DEFINITIONS, opening.definition)
    crate, contents = unit.tx.get(GRANTS, opening.crate_id), unit.tx.get(GRANTS, opening.contents_id)
    faults = tuple(faults_of_opening(opening, stored, crate, contents))
    return _Verified(opening, definition_in(stored) if stored is not None and not faults else None, faults)


def _lines(found: _Verified) -> Iterator[str]:
    opening = found.opening
    yield f"{opening.crate_key}, opened at {Timestamp(opening.opened_at).wire} by {opening.player_id}"
    yield f"crate {opening.crate_id}, contents {opening.contents_id}"
    yield f"seed {opening.seed}, definition {opening.definition}"
    if found.definition is not None:
        yield from _rolls_in_words(opening, found.definition)
    for fault in found.faults:
        yield f"It {fault}."
    yield "What was recorded does not agree." if found.faults else "The seed gives these rolls and these contents."


def _rolls_in_words(opening: CrateOpening, definition: CrateDefinition) -> Iterator[str]:
    waits, names, rolled_before = waits_in(opening.waits), pity_names(definition), set[int]()
    for rolled in rolls_of(opening):
        roll = definition.rolls[rolled.roll]
        by_pity = rolled.roll not in rolled_before and is_due(roll, waits.get(names[rolled.roll], 0))
        chance = "by pity" if by_pity else f"chance {probabilities(roll)[rolled.row]}"
        yield f"roll {rolled.roll}: row {rolled.row}, {chance}: {_in_words(roll.rows[rolled.row].entries)}"
        rolled_before.add(rolled.roll)
    yield f"contents: {_in_words(drawn_again(opening, definition).entries)}"


def _in_words(entries: Sequence[RewardEntry]) -> str:
    return ", ".join(f"{entry.amount} {entry.resource_key}" for entry in entries) or "nothing"


def _as_json(found: _Verified) -> JsonObject:
    opening = found.opening
    faults: list[Json] = list(found.faults)
    return {
        "crateId": opening.crate_id,
        "crateKey": opening.crate_key,
        "playerId": opening.player_id,
        "openedAt": Timestamp(opening.opened_at).wire,
        "contentsGrantId": opening.contents_id,
        "seed": opening.seed,
        "waits": opening.waits if faults else dict(waits_in(opening.waits)),
        "rolls": opening.rolls if faults else [_roll(rolled) for rolled in rolls_of(opening)],
        "definition": None if found.definition is None else encode(found.definition),
        "verified": not faults,
        "faults": faults,
    }


def _roll(rolled: Rolled) -> JsonObject:
    """A roll as the wire shows it."""
    return {"roll": rolled.roll, "row": rolled.row}
