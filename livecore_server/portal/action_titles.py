"""How the portal calls what was done: as the pages of the actions do, so this module lies above them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from livecore.api.operations import OPERATIONS
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.views import Action


def action_title(name: str) -> str:
    """What an entry of the audit trail says was done: as the page of the action says it, or else the reference.

    Empty where no operation has this name.
    """
    return _titles().get(name.rpartition(":")[2], "")


@cache
def _titles() -> Mapping[str, str]:
    of_pages = {route.operation: route.title for route in ROUTES if isinstance(route, Action)}
    return {row.name: row.summary.removesuffix(".") for row in OPERATIONS if row.writes} | of_pages
