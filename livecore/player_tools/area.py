"""The area of the player tools: merging, erasing, exporting, and moving players in."""

from __future__ import annotations

from typing import Final

from livecore.kernel.area import Area

__all__ = ["AREA"]

AREA: Final = Area(
    name="player_tools",
)
