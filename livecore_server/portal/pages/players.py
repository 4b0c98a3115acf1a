"""Players: the search, and the page about one person with everything that happened to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from livecore_server.portal.asking import Data, Refused
from livecore_server.portal.filters import Filtered, filtered
from livecore_server.portal.forms import Field, Form
from livecore_server.portal.here import Here
from livecore_server.portal.pages.pictures import bars, by_day, by_last_seen
from livecore_server.portal.pages.timeline import KIND_NAMES, KINDS, moment_of
from livecore_server.portal.problems import NotHere
from livecore_server.portal.views import Crumb, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/players"
PLAYER: Final = f"{_PATH}/{{externalId}}"
"""The address of the page about one player."""
_SHOWN: Final = "10"
"""How many rows of a long list the page shows; the list has a page of its own."""
_MOMENTS: Final = "25"
_MOST: Final = 200
"""The most rows that a page of a list has, and from how many a picture is made."""
_HERE: Final = tuple(kind for kind in KINDS if kind != "webhook")
"""What the timeline of the page has: deliveries double what they tell of, so only the timeline's own page has them."""


def of_player(here: Here, below: str = "", anchor: str = "") -> str:
    """The address of a page about the player of this page."""
    address = here.to(f"/players/{quote(here.places['externalId'], safe='')}{below}")
    return f"{address}#{anchor}" if anchor else address


def above_player(here: Here) -> Sequence[Crumb]:
    """The pages above one about a player."""
    return here.above("players", (here.places["externalId"], of_player(here)))


def called(player: Mapping[str, Any]) -> str:
    """How a player is called, with the id, because names are not unique."""
    name = player["displayIdentity"]["name"]
    return f"{name} ({player['externalPlayerId']})" if name else str(player["externalPlayerId"])


async def name_of(here: Here) -> str:
    """How the player of this page is called. Raises `Refused`."""
    return called((await here.read("players.get", query={"limit": "1"}))["player"])


# -- search


async def _search(here: Here) -> WebPage:
    field = Field(operation="players.search", name="q", label="Name, friend code or id")
    found, seen = await asyncio.gather(filtered(here, "players.search", (field,)), _last_seen(here))
    shown = {
        "found": found,
        "seen": by_last_seen(seen["players"], here.now) if seen else (),
        "seen_in_all": len(seen["players"]) if seen else 0,
        "and_more": seen["nextCursor"] is not None if seen else False,
    }
    return WebPage(template="players.html", title="Players", status=found.status, shown=shown)


async def _last_seen(here: Here) -> dict[str, Any] | None:
    """The players for the picture, which stands on the first page without a search; nothing elsewhere."""
    if here.query.get("q") or here.query.get("cursor"):
        return None
    return await here.read("players.search", query={"limit": str(_MOST)})


# -- one player


async def _show(here: Here) -> WebPage:
    player_id = here.places["externalId"]
    few = {"limit": _SHOWN}
    of_this = {"player": player_id, "game": here.places["gameId"], "environment": here.environment, **few}
    found = await asyncio.gather(
        here.read("players.get", query=few),
        here.read("ledger.list", query=few),
        here.read("friends.list", query=few),
        here.read("friends.listRequests"),
        _gifts(here, few),
        here.read("purchases.list", query=few),
        here.read("guilds.getOfPlayer"),
        here.read("audit.list", query=of_this),
        here.read("players.timeline", query={"limit": _MOMENTS, "kinds": ",".join(_HERE)}),
        _members(here),
        here.read("deliveries.list", query={"player": player_id, **few}),
    )
    names = (
        "about",
        "ledger",
        "friends",
        "requests",
        "gifts",
        "purchases",
        "guild",
        "audit",
        "timeline",
        "members",
        "sent",
    )
    shown: dict[str, Any] = dict(zip(names, found, strict=True))
    shown["moments"] = [moment_of(one, shown["members"]) for one in shown["timeline"]["entries"]]
    shown["game_names"] = {one.game_id: one.name for one in here.games}
    shown["below"] = partial(of_player, here)
    player = shown["about"]["player"]
    title = player["displayIdentity"]["name"] or player["externalPlayerId"]
    return WebPage(template="player.html", title=title, above=here.above("players"), shown=shown)


async def _gifts(here: Here, query: dict[str, str]) -> dict[str, Any] | None:
    """The newest gifts that the player has received and sent; nothing where the game has never had gifts."""
    try:
        ways = await asyncio.gather(
            *(here.read("gifts.list", query={**query, "direction": way}) for way in ("received", "sent"))
        )
    except Refused as refused:
        if refused.code != "gifting_disabled":
            raise
        return None
    both = [gift for way in ways for gift in way["gifts"]]
    return {"gifts": sorted(both, key=lambda gift: str(gift["sentAt"]), reverse=True)[: int(query["limit"])]}


async def _members(here: Here) -> dict[str, str]:
    """The addresses of the studio's members by their ids: of the newest two hundred."""
    listed = (await here.read("members.list", query={"limit": "200"}))["members"]
    return {one["memberId"]: one["email"] for one in listed}


_KINDS: Final = Field(
    operation="players.timeline",
    name="kinds",
    label="What",
    kind="select",
    choices=(("", "Everything"), *KIND_NAMES.items()),
)


async def _timeline(here: Here) -> WebPage:
    members = await _members(here)
    found = await filtered(here, "players.timeline", (_KINDS,))
    shown = {"found": found, "moments": [moment_of(one, members) for one in found.rows("entries")]}
    title = f"Timeline of {here.places['externalId']}"
    return WebPage(template="timeline.html", title=title, above=above_player(here), status=found.status, shown=shown)


# -- the long lists of a player


_LISTS: Final[dict[str, tuple[str, str, str]]] = {
    "ledger": ("ledger.list", "entries", "Changes of balances and items"),
    "friends": ("friends.list", "friends", "Friends"),
    "blocks": ("friends.listBlocks", "blocks", "Blocks"),
    "gifts": ("gifts.list", "gifts", "Gifts"),
    "purchases": ("purchases.list", "purchases", "Purchases"),
}


_DIRECTION: Final = Field(
    operation="gifts.list", name="direction", label="Direction", labels={"received": "Received", "sent": "Sent"}
)


async def _list(here: Here) -> WebPage:
    what = here.places["list"]
    if what not in _LISTS:
        raise NotHere
    operation, member, title = _LISTS[what]
    drawn = what == "gifts"
    try:
        found = await (filtered(here, operation, (_DIRECTION,), _MOST) if drawn else filtered(here, operation, ()))
    except Refused as refused:
        if refused.code != "gifting_disabled":
            raise
        found = Filtered(form=Form(()), data=None, chosen={})
    days = _gifts_by_day(here, found.data) if drawn and found.data else ()
    return _list_page(here, what, title, found, member, days)


def _gifts_by_day(here: Here, data: Data) -> tuple[tuple[str, int], ...]:
    """How many gifts there were on each of the last days that the list's first page covers; none beside a further page."""
    if here.query.get("cursor"):
        return ()
    return by_day([gift["sentAt"] for gift in data["gifts"]], here.now, and_more=data["nextCursor"] is not None)


async def _ledger_of_balance(here: Here) -> WebPage:
    found = await filtered(here, "wallet.entries", ())
    return _list_page(here, "ledger", f"Ledger ({here.places['economyKey']})", found)


async def _ledger_of_item(here: Here) -> WebPage:
    found = await filtered(here, "inventory.entries", ())
    return _list_page(here, "ledger", f"Ledger ({here.places['itemKey']})", found)


def _list_page(
    here: Here,
    what: str,
    title: str,
    found: Filtered,
    member: str = "entries",
    days: tuple[tuple[str, int], ...] = (),
) -> WebPage:
    shown = {"days": days, "picture": bars(days), "found": found, "what": what, "rows": found.rows(member)}
    title = f"{title} of {here.places['externalId']}"
    return WebPage(template="player_list.html", title=title, above=above_player(here), status=found.status, shown=shown)


ROUTES: Final = (
    View(_PATH, _search, "players"),
    View(PLAYER, _show, "players"),
    View(f"{PLAYER}/timeline", _timeline, "players"),
    View(f"{PLAYER}/list/{{list}}", _list, "players"),
    View(f"{PLAYER}/wallet/{{economyKey}}", _ledger_of_balance, "players"),
    View(f"{PLAYER}/inventory/{{itemKey}}", _ledger_of_item, "players"),
)
