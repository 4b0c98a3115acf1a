"""The commerce area: purchases with real money, and what they come to."""

from __future__ import annotations

from typing import Final

from livecore.commerce import refusals
from livecore.kernel.area import Area, refusals_in

__all__ = ["AREA"]

AREA: Final = Area(
    name="commerce",
    refusals=refusals_in(refusals),
)
