"""Every refusal of the service: the kernel's and those of all areas.

A new area's `refusals` module joins the imports below; a test finds one that was forgotten.
"""

from __future__ import annotations

from typing import Final

from livecore.access import refusals as access
from livecore.economy import refusals as economy
from livecore.kernel import errors as kernel
from livecore.kernel.errors import Refusal
from livecore.players import refusals as players
from livecore.social import refusals as social
from livecore.webhooks import refusals as webhooks

__all__ = ["all_refusals"]

_MODULES: Final = (kernel, access, players, economy, social, webhooks)


def all_refusals() -> tuple[type[Refusal], ...]:
    """Every refusal with a code, by status and code."""
    found = {
        kind.code: kind
        for module in _MODULES
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Refusal) and kind.code
    }
    return tuple(sorted(found.values(), key=lambda refusal: (refusal.status, refusal.code)))
