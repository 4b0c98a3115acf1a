"""Revenue: by day, by product, and who has spent most."""

from __future__ import annotations

import asyncio
from typing import Final

from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.pictures import bars
from livecore_server.portal.views import View, WebPage

_SPENDERS: Final = {"windowDays": "30", "limit": "10"}


async def _show(here: Here) -> WebPage:
    fields = (
        Field(operation="spend.summary", name="from", label="From", hint="A date, such as 2026-01-01"),
        Field(operation="spend.summary", name="to", label="Before", hint="A date, such as 2026-02-01"),
    )
    found, spenders = await asyncio.gather(
        filtered(here, "spend.summary", fields, limit=None), here.read("spend.listPlayers", query=_SPENDERS)
    )
    shown = {
        "found": found,
        "summary": found.data,
        "picture": bars([(day["date"], day["amountMinor"]) for day in found.rows("days")]),
        "spenders": spenders["players"],
    }
    return WebPage(template="revenue.html", title="Revenue", status=found.status, shown=shown)


ROUTES: Final = (View("/portal/studios/{studioId}/games/{gameId}/revenue", _show, "revenue"),)
