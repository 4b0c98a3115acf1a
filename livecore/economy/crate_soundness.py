"""The invariants of opened crates: the recorded seed gives the recorded rolls and the contents that were granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.economy.crate_draws import Draw
from livecore.economy.crates import (
    DEFINITIONS,
    OPENINGS,
    CrateOpening,
    StoredDefinition,
    definition_in,
    digest_of,
    drawn_again,
    rolls_of,
    waits_in,
)
from livecore.economy.entries import entries_text, parameters_text
from livecore.economy.grants import GRANTS, Grant
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get


def _opening_needs(opening: CrateOpening) -> Iterator[AnyRead]:
    yield Get(DEFINITIONS, (opening.definition,))
    yield Get(GRANTS, (opening.crate_id,))
    yield Get(GRANTS, (opening.contents_id,))


def _judge_opening(reader: Reader, opening: CrateOpening) -> Iterator[str]:
    return faults_of_opening(
        opening,
        reader.get(DEFINITIONS, (opening.definition,)),
        reader.get(GRANTS, (opening.crate_id,)),
        reader.get(GRANTS, (opening.contents_id,)),
    )


def faults_of_opening(
    opening: CrateOpening, stored: StoredDefinition | None, crate: Grant | None, contents: Grant | None
) -> Iterator[str]:
    """Whatever differs from what the recorded seed gives, each fault as a sentence without its subject.

    The counts for pity are taken as they were recorded.
    """
    if crate is None or (crate.player_id, crate.crate_key, crate.claimed_at) != (
        opening.player_id, opening.crate_key, opening.opened_at,
    ):  # fmt: skip
        yield "is not of a crate that its player opened at that time"
    if stored is None:
        yield "was drawn by a definition that is not stored"
        return
    try:
        definition = definition_in(stored)
        drawn = drawn_again(opening, definition)
        rolls, waits_after = rolls_of(opening), waits_in(opening.waits_after)
    except (ValueError, TypeError, AttributeError, ValidationFailed):
        yield "cannot be read"
        return
    if definition.key != opening.crate_key:
        yield "was drawn by the definition of another crate"
    if drawn.rolls != rolls:
        yield "has other rolls than its seed gives"
    if drawn.waits != waits_after:
        yield "has other counts for pity than its rolls give"
    yield from _faults_of_contents(opening, drawn, contents)


def _faults_of_contents(opening: CrateOpening, drawn: Draw, contents: Grant | None) -> Iterator[str]:
    if contents is None:
        yield "has contents that were never granted"
        return
    if contents.player_id != opening.player_id:
        yield "has contents that another player was granted"
    if contents.entries != entries_text(drawn.entries):
        yield "has other contents than its seed gives"
    # An erasure empties the attributes, together with the reference.
    elif contents.source_ref_id is not None and (contents.source_ref_id, contents.parameters) != (
        opening.crate_id, parameters_text(drawn.entries),
    ):  # fmt: skip
        yield "has contents of other attributes than its seed gives"


def _no_needs(_: StoredDefinition) -> Iterator[AnyRead]:
    return iter(())


def _judge_definition(_: Reader, stored: StoredDefinition) -> Iterator[str]:
    if digest_of(stored.definition) != stored.digest:
        yield "is not the definition that its digest names"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=OPENINGS, needs=_opening_needs, judge=_judge_opening),
    Rule(table=DEFINITIONS, needs=_no_needs, judge=_judge_definition),
)
