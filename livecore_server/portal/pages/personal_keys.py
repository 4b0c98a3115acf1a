"""The personal key of the person who looks; owners and administrators see and revoke those of all members."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/personal-keys"


async def _show(here: Here) -> WebPage:
    cursor = here.query.get("cursor")
    data = await here.read("personalKeys.list", query={"cursor": cursor} if cursor else None)
    shown = {
        "keys": data["personalKeys"],
        "next_cursor": data["nextCursor"],
        "all_members": here.holds("personal_key.manage_all"),
    }
    return WebPage(template="personal_keys.html", title="Personal key", shown=shown)


async def _begin_make(here: Here) -> PreparedAction:
    field = partial(Field, operation="personalKeys.create")
    return PreparedAction(
        says="You get a key that does in {name} what your role allows; an earlier key of yours ends at once.",
        name="" if here.studio is None else here.studio.name,
        fields=(
            field(name="name", label="Name", hint="What it is for, such as “night report”."),
            field(name="expiresInDays", label="Ends after how many days", value="90", hint="7 to 365."),
            field(name="readOnly", label="It may only read", value="yes"),
        ),
    )


async def _key(here: Here) -> dict[str, Any]:
    return await here.find("personalKeys.list", "personalKeys", keyId=here.places["keyId"])


async def _begin_revoke(here: Here) -> PreparedAction:
    key = await _key(here)
    return PreparedAction(
        says="The key {name} opens nothing any more, and whatever uses it stops working at once.",
        name=key["name"],
    )


ROUTES: Final = (
    View(_PATH, _show, "personal-keys"),
    Action(
        path=f"{_PATH}/make",
        operation="personalKeys.create",
        title="Make a personal key",
        button="Make the key",
        begin=_begin_make,
        reveals="key",
        area="personal-keys",
    ),
    Action(
        path=f"{_PATH}/{{keyId}}/revoke",
        operation="personalKeys.revoke",
        title="Revoke a personal key",
        button="Revoke the key",
        begin=_begin_revoke,
        fields=(),
        message="key-revoked",
        grave=True,
        area="personal-keys",
    ),
)
