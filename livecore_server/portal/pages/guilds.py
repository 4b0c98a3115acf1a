"""Guilds: who is in them, what they say of themselves, and moderating them."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final
from urllib.parse import quote

from livecore_server.portal.forms import Field, Form
from livecore_server.portal.here import Here
from livecore_server.portal.problems import NotHere
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/guilds"
_ONE: Final = f"{_PATH}/{{guildId}}"
_ON_A_PAGE: Final = 50
_MOST_DIGITS: Final = 9


async def _search(here: Here) -> WebPage:
    q, start = here.query.get("q", "").strip(), here.query.get("offset", "0")
    offset = int(start) if start.isascii() and start.isdigit() and len(start) <= _MOST_DIGITS else 0
    ended = here.query.get("includeDisbanded") == "true"
    query = {"limit": str(_ON_A_PAGE), "offset": str(offset), **({"q": q} if q else {})}
    asked = {**query, **({"includeDisbanded": "true"} if ended else {})}
    data, settings = await asyncio.gather(here.read("guilds.list", query=asked), here.read("settings.get"))
    fields = (
        Field(operation="guilds.list", name="q", label="Name"),
        Field(
            operation="guilds.list",
            name="includeDisbanded",
            label="Which",
            choices=(("", "Those that exist"), ("true", "Also those that have ended")),
        ),
    )
    following = offset + len(data["guilds"])
    shown = {
        "form": Form(fields, {"q": [q], "includeDisbanded": ["true" if ended else ""]}),
        "guilds": data["guilds"],
        "total": data["total"],
        "searched": bool(q),
        "enabled": settings["config"]["guilds"]["enabled"],
        "following": here.to("/guilds", q=q, offset=str(following), includeDisbanded="true" if ended else "")
        if following < data["total"]
        else None,
    }
    return WebPage(template="guilds.html", title="Guilds", shown=shown)


def _to_guild(here: Here) -> str:
    return here.to(f"/guilds/{quote(here.places['guildId'], safe='')}")


async def _show(here: Here) -> WebPage:
    guild = (await here.read("guilds.get"))["guild"]
    address = _to_guild(here).partition("?")[0]
    shown = {"guild": guild, "address": address}
    return WebPage(template="guild.html", title=guild["name"], above=here.above("guilds"), shown=shown)


async def _of_guild(here: Here, says: str, *fields: Field) -> PreparedAction:
    guild = (await here.read("guilds.get"))["guild"]
    above = here.above("guilds", (guild["name"], _to_guild(here)))
    return PreparedAction(says=says, name=guild["name"], fields=fields, above=above)


async def _begin_change(here: Here) -> PreparedAction:
    guild = (await here.read("guilds.get"))["guild"]
    field = partial(Field, operation="guilds.update")
    joins = {"open": "anybody may join", "request": "by request"}
    says = "Everybody sees what you change of {name} at once."
    if guild["disbandedAt"] is not None:
        says = "{name} has ended. Its former members still see its name, and nobody is told of your changes."
    return await _of_guild(
        here,
        says,
        field(name="name", label="Name", value=guild["name"], required=True),
        field(name="description", label="Description", value=guild["description"] or ""),
        field(name="badge", label="Badge", value=guild["badge"] or ""),
        field(name="joinType", label="Joining", labels=joins, value=guild["joinType"]),
    )


async def _begin_transfer(here: Here) -> PreparedAction:
    guild = (await here.read("guilds.get"))["guild"]
    members = tuple(
        (one["externalPlayerId"], f"{one['displayIdentity']['name']} ({one['externalPlayerId']})")
        for one in guild["members"]
        if one["role"] != "leader"
    )
    if not members:
        raise NotHere
    return await _of_guild(
        here,
        "The member whom you choose leads {name} from now on.",
        Field(operation="guilds.transfer", name="externalPlayerId", label="New leader", choices=members),
    )


async def _begin_disband(here: Here) -> PreparedAction:
    return await _of_guild(here, "{name} ends, and all its members are without a guild. It cannot be undone.")


async def _begin_remove(here: Here) -> PreparedAction:
    guild = (await here.read("guilds.get"))["guild"]
    member = here.places["memberExternalId"]
    if member not in {one["externalPlayerId"] for one in guild["members"]}:
        raise NotHere
    return PreparedAction(
        says="{name} is not a member of this guild any more, and may join another one.",
        name=member,
        above=here.above("guilds", (guild["name"], _to_guild(here))),
    )


_action: Final = partial(Action, area="guilds", back=_to_guild)

ROUTES: Final = (
    View(_PATH, _search, "guilds"),
    View(_ONE, _show, "guilds"),
    _action(
        path=f"{_ONE}/change",
        operation="guilds.update",
        title="Change a guild",
        button="Change the guild",
        begin=_begin_change,
        message="guild-changed",
    ),
    _action(
        path=f"{_ONE}/leader",
        operation="guilds.transfer",
        title="Another leader",
        button="Change the leader",
        begin=_begin_transfer,
        message="guild-led",
    ),
    _action(
        path=f"{_ONE}/end",
        operation="guilds.disband",
        title="Disband a guild",
        button="Disband the guild",
        begin=_begin_disband,
        fields=(),
        message="guild-ended",
        grave=True,
    ),
    _action(
        path=f"{_ONE}/members/{{memberExternalId}}/remove",
        operation="guilds.removeMember",
        title="Remove a member of a guild",
        button="Remove the member",
        begin=_begin_remove,
        fields=(),
        message="guild-member-removed",
        grave=True,
    ),
)
