"""The social area: friends, blocks, and gifts between friends."""

from __future__ import annotations

from typing import Final

from livecore.economy import grants
from livecore.kernel.area import Area, refusals_in
from livecore.social import claims, gifts, refusals

__all__ = ["AREA"]

AREA: Final = Area(
    name="social",
    refusals=refusals_in(refusals),
    # A grant may deliver a gift, which expires with it.
    due={grants.EXPIRE: claims.expire_due},
    prepare=gifts.note_switched_on,
)
