"""The invariants of a scope's rows between units of work, as rules that can be run.

The service maintains them by construction. Operators need them after restoring, moving or repairing a database by other
means, and tests after damaging one. No rule depends on the time: work that is late because the server was stopped is not a
fault. Each area has the rules about its own rows, most of them in its `soundness.py`; this module combines them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from livecore.api.areas import AREAS
from livecore.kernel.declarations.area import Areas
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import Finding, Noted, Tally, View, examine
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.tables import Key, Table
from livecore.kernel.units.due import DUE, RECURRING


def examined(areas: Areas = AREAS) -> Iterator[Table[Any]]:
    """The tables that are read completely; a table that is read several times occurs several times."""
    yield from dict.fromkeys(rule.table for rule in areas.rules)
    for sums in areas.sums:
        yield from sums.tables


def faults_in(scope: Scope, view: View, noted: Noted, tally: Tally, areas: Areas = AREAS) -> Iterator[Finding]:
    """Every fault in a scope; the counts are added to `tally`."""
    yield from examine(view, areas.rules, noted)
    for sums in areas.sums:
        yield from sums.check(view, noted, tally)
    if scope != DIRECTORY:
        yield from _recurring_missing(view(), areas)


def _recurring_missing(reader: Reader, areas: Areas) -> Iterator[Finding]:
    for kind in areas.recurring:
        if reader.get(DUE, (kind, "")) is None and reader.get(RECURRING, (kind,)) is not None:
            yield Finding(DUE.name, (kind, ""), "is recurring work that is not scheduled")


def unprepared(view: View, areas: Areas = AREAS) -> list[str]:
    """The kinds of recurring work that the next start of a server will schedule in a scope of a game.

    They are those of later releases than the one that has prepared the scope last, and no fault.
    """
    reader = view()
    return [kind for kind in areas.recurring if all(reader.get(*place) is None for place in _places_of(kind))]


def _places_of(kind: str) -> tuple[tuple[Table[Any], Key], ...]:
    return (DUE, (kind, "")), (RECURRING, (kind,))
