"""The area of access: studios, games, API keys, and the audit trail."""

from __future__ import annotations

from typing import Final

from livecore.access import audit, refusals, soundness
from livecore.access.audit import AUDIT, KEY_USAGE
from livecore.access.directory import API_KEYS, GAMES, STUDIOS
from livecore.kernel.area import Area, refusals_in

__all__ = ["AREA"]

AREA: Final = Area(
    name="access",
    tables=(STUDIOS, GAMES, API_KEYS, KEY_USAGE, AUDIT),
    refusals=refusals_in(refusals),
    jobs=(audit.SWEEP,),
    facts={audit.LAST_USED: audit.flush},
    rules=soundness.RULES,
)
