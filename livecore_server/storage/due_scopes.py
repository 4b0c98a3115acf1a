"""The scopes where something is due: one search over all scopes, whose cost depends only on those that it finds.

A unit has one scope, and asking each of many thousand scopes whether it has work would cost more than the work. So a table
whose rows become due has an index over all scopes (`livecore.kernel.storage.tables.TimeIndex`): by the period of the time,
then by scope, then by time. The search goes from one scope of a period to the next; a scope with a million rows in a period
takes one step, like a scope with one row, and a scope without rows takes none.

A host asks for pages, so that it can do something else in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.time import Millis
from livecore_server.storage.layout import PERIOD_BITS

MOST_STEPS: Final = 500
"""How many steps the search for one page takes at most."""

ScopePosition: TypeAlias = "tuple[int, str]"
"""A position in the index: a period, and the id of a scope."""
Found: TypeAlias = "tuple[int, str, Millis]"
"""A step: the period, the id of the scope, and the earliest time that the scope has in this period."""

START: Final[ScopePosition] = (-1 << 47, "")
"""The position before all others."""


@attrs.frozen
class DuePage:
    """Scopes with the earliest time that the page knows of each, and where the next page begins (`None`: there is none)."""

    scopes: dict[Scope, Millis]
    after: ScopePosition | None


def period_of(at: Millis) -> int:
    """The period in which an instant lies."""
    return at >> PERIOD_BITS


def page_of(found: Sequence[Found], *, complete: bool) -> DuePage:
    """The page of these steps, which are in the order of the index."""
    scopes: dict[Scope, Millis] = {}
    for _, text, at in found:
        scopes.setdefault(Scope.parse(text), at)
    return DuePage(scopes, None if complete else found[-1][:2])
