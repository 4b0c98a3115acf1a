"""The player tools area: merging, erasing, exporting and migrating players."""

from __future__ import annotations

from typing import Final

from livecore.kernel.area import Area
from livecore.player_tools import soundness
from livecore.player_tools.migration import MIGRATED_ROWS
from livecore.webhooks.catalog import player

__all__ = ["AREA"]

AREA: Final = Area(
    name="player_tools",
    tables=(MIGRATED_ROWS,),
    tags={"migrate": "Moving players, balances and items in from another backend."},
    events=(player.PlayerMerged, player.PlayerDeleted),
    rules_over=soundness.rules_over,
)
