"""The economy's area: what players own, and the grants that pay rewards."""

from __future__ import annotations

from typing import Final

from livecore.economy import refusals
from livecore.kernel.area import Area, refusals_in

__all__ = ["AREA"]

AREA: Final = Area(
    name="economy",
    refusals=refusals_in(refusals),
)
