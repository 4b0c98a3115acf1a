"""API keys of a game: making, rotating and revoking them."""

from __future__ import annotations

from typing import Any, Final

from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/keys"


async def _show(here: Here) -> WebPage:
    cursor = here.query.get("cursor")
    query = {"limit": "200", "environment": here.environment, **({"cursor": cursor} if cursor else {})}
    data = await here.read("keys.list", query=query)
    shown = {"keys": data["keys"], "next_cursor": data["nextCursor"]}
    return WebPage(template="keys.html", title="API keys", shown=shown)


async def _key(here: Here) -> dict[str, Any]:
    return await here.find("keys.list", "keys", keyId=here.places["keyId"], environment=here.environment)


def _called(key: dict[str, Any]) -> str:
    return key["name"] or f"{key['prefix']}…"


async def _begin_make(here: Here) -> PreparedAction:
    return PreparedAction(
        says=f"A new key opens the {here.environment} environment of {{name}} from now on.",
        name="" if here.game is None else here.game.name,
        fields=(
            Field(
                operation="keys.create",
                name="permission",
                label="For",
                labels={"client": "the game itself (client key)", "server": "your backend (server key)"},
                hint="A client key may be in a game that players have. A server key must never leave your backend.",
            ),
            Field(
                operation="keys.create",
                name="name",
                label="Name",
                hint="What it is for, such as “build machine”.",
            ),
        ),
        body={"environment": here.environment},
    )


async def _begin_rotate(here: Here) -> PreparedAction:
    key = await _key(here)
    return PreparedAction(
        says="A successor of {name} works at once. The key itself works for 60 more days, to change over.",
        name=_called(key),
    )


async def _begin_revoke(here: Here) -> PreparedAction:
    key = await _key(here)
    return PreparedAction(
        says="The key {name} opens nothing any more, and whatever uses it stops working at once. There is no way back.",
        name=_called(key),
    )


ROUTES: Final = (
    View(_PATH, _show, "keys"),
    Action(
        path=f"{_PATH}/make",
        operation="keys.create",
        title="Make an API key",
        button="Make the key",
        begin=_begin_make,
        reveals="text",
        area="keys",
    ),
    Action(
        path=f"{_PATH}/{{keyId}}/rotate",
        operation="keys.rotate",
        title="Rotate an API key",
        button="Rotate the key",
        begin=_begin_rotate,
        reveals="text",
        area="keys",
    ),
    Action(
        path=f"{_PATH}/{{keyId}}/revoke",
        operation="keys.revoke",
        title="Revoke an API key",
        button="Revoke the key",
        begin=_begin_revoke,
        fields=(),
        message="key-revoked",
        grave=True,
        area="keys",
    ),
)
