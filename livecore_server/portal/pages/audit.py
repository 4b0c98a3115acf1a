"""The audit trail: who changed what, searchable."""

from __future__ import annotations

from functools import partial
from typing import Final

from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here, games_of
from livecore_server.portal.views import View, WebPage


async def _show(here: Here) -> WebPage:
    games = await games_of(here)
    members = (await here.read("members.list", query={"limit": "200"}))["members"]
    field = partial(Field, operation="audit.list")
    fields = (
        field(name="player", label="Player", hint="The player's id in your game"),
        field(name="action", label="Action", hint="Such as players.ban"),
        field(
            name="member",
            label="Member",
            choices=(("", "Everybody"), *((one["memberId"], one["email"]) for one in members)),
        ),
        field(name="game", label="Game", choices=(("", "All games"), *((one.game_id, one.name) for one in games))),
        field(name="environment", label="Environment", labels={"live": "Live", "test": "Test"}, nothing="Both"),
        field(name="from", label="From", hint="A date, such as 2026-01-31"),
        field(name="to", label="Before", hint="A date, such as 2026-02-01"),
    )
    found = await filtered(here, "audit.list", fields)
    shown = {
        "found": found,
        "game_names": {one.game_id: one.name for one in games},
    }
    return WebPage(template="audit.html", title="Audit", status=found.status, shown=shown)


ROUTES: Final = (View("/portal/studios/{studioId}/audit", _show, "audit"),)
