"""A player's count of one UTC day, kept in one row for each player: of the last day on which anything was counted.

A table of such rows has the player as its key, a `day`, and a field with the count. A row of an earlier day counts as none.
"""

from __future__ import annotations

from typing import Any

from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import day_number
from livecore.kernel.units.unit import Unit


def counted_today(unit: Unit, table: Table[Any], count: str, player_id: PlayerId) -> int:
    """What the field `count` of a player's row says of the present day."""
    row = unit.tx.get(table, player_id)
    return int(getattr(row, count)) if row is not None and row.day == day_number(unit.now) else 0


def unite_day_counts(unit: Unit, merging: Merging, table: Table[Any], count: str) -> None:
    """Add what both have on the later day, because one player has one limit for a day."""
    source = unit.tx.get(table, merging.source_id)
    target = unit.tx.get(table, merging.target_id)
    if source is None:
        return
    unit.tx.delete(table, merging.source_id)
    day = source.day if target is None else max(source.day, target.day)
    total = sum(getattr(row, count) for row in (source, target) if row is not None and row.day == day)
    (player,) = table.key
    unit.tx.put(table, evolve(source, **{player: merging.target_id, "day": day, count: total}))
