"""A game's settings: reading them, changing them after reading the difference, and going back to an earlier version."""

from __future__ import annotations

import asyncio
import json
from typing import Final

from livecore_server.portal.asking import Data
from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/settings"
_VERSION: Final = f"{_PATH}/history/{{version}}"


def _refund(operation: str) -> Field:
    return Field(
        operation=operation,
        name="refundPendingGifts",
        label="Give back the paid gifts that wait to be claimed",
        hint="Without it the change is refused, because the way in which they were paid ends.",
    )


async def _show(here: Here) -> WebPage:
    return WebPage(template="settings.html", title="Settings", shown=await here.read("settings.get"))


async def _history(here: Here) -> WebPage:
    found = await filtered(here, "settings.history", ())
    return WebPage(
        template="settings_history.html",
        title="History of the settings",
        above=here.above("settings"),
        status=found.status,
        shown={"found": found},
    )


async def _show_version(here: Here) -> WebPage:
    found, present = await asyncio.gather(here.read("settings.getVersion"), here.read("settings.get"))
    shown = {**found, "present": found["version"] == present["version"]}
    above = here.above("settings", ("History", here.to("/settings/history")))
    return WebPage(
        template="settings_version.html",
        title=f"Version {here.places['version']} of the settings",
        above=above,
        shown=shown,
    )


def _name(here: Here) -> str:
    return "" if here.game is None else here.game.name


async def _begin_change(here: Here) -> PreparedAction:
    present = await here.read("settings.get")
    config = Field(
        operation="settings.apply",
        name="config",
        label="Settings",
        rows=30,
        value=json.dumps(present["config"], indent=2, ensure_ascii=False),
        hint="They hold for both environments. What you leave out has its default.",
    )
    return PreparedAction(
        says="Nothing of {name} changes yet: you read the difference first.",
        name=_name(here),
        fields=(config,),
    )


async def _review(here: Here, body: Data) -> PreparedAction:
    """What the change that was typed would do."""
    compared = (await here.write("settings.difference", {"config": body["config"]})).data
    fields = (
        Field(operation="settings.apply", name="config", label="Settings", shown=False),
        Field(operation="settings.apply", name="version", label="Version", value=str(compared["version"]), shown=False),
    )
    return _prepared(here, compared, "These changes hold for {name} at once, in both environments.", *fields)


def _prepared(here: Here, compared: Data, says: str, *fields: Field) -> PreparedAction:
    refund = (_refund(fields[0].operation),) if compared["pendingPaidGifts"] else ()
    if not compared["differences"]:
        says = "Nothing of {name} would change."
    return PreparedAction(
        says=says,
        name=_name(here),
        fields=(*fields, *refund),
        lines=tuple(compared["differences"]),
        objections=tuple(compared["objections"]),
        advice=tuple(compared["advice"]),
        taken_away=tuple(f"{one['path']}: {one['message']}" for one in compared["takenAway"]),
        blocked=bool(compared["objections"]) or not compared["differences"],
    )


async def _begin_restore(here: Here) -> PreparedAction:
    earlier = await here.read("settings.getVersion")
    compared = (await here.write("settings.difference", {"config": earlier["config"]})).data
    says = f"{{name}} has the settings of version {here.places['version']} again at once, in both environments."
    present = Field(
        operation="settings.restore",
        name="presentVersion",
        label="Version",
        value=str(compared["version"]),
        shown=False,
    )
    return _prepared(here, compared, says, present)


ROUTES: Final = (
    View(_PATH, _show, "settings"),
    Action(
        path=f"{_PATH}/change",
        operation="settings.apply",
        title="Change the settings",
        button="Read the difference",
        begin=_begin_change,
        review=_review,
        second_button="Apply these changes",
        message="settings-applied",
        area="settings",
    ),
    View(f"{_PATH}/history", _history, "settings"),
    View(_VERSION, _show_version, "settings"),
    Action(
        path=f"{_VERSION}/restore",
        operation="settings.restore",
        title="Go back to earlier settings",
        button="Go back to them",
        begin=_begin_restore,
        message="settings-applied",
        grave=True,
        area="settings",
    ),
)
