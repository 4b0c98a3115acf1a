"""The area of access: studios, games, API keys, and the audit trail."""

from __future__ import annotations

from typing import Final

from livecore.access import audit, refusals
from livecore.kernel.area import Area, refusals_in

__all__ = ["AREA"]

AREA: Final = Area(
    name="access",
    refusals=refusals_in(refusals),
    due={audit.SWEEP: audit.sweep},
    recurring=(audit.SWEEP,),
    facts={audit.LAST_USED: audit.flush},
)
