"""Members of the studio: who they are, what their roles may do, and adding, changing and removing them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from livecore.access.roles import PERMISSIONS, ROLES
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here, games_of
from livecore_server.portal.navigation import ROLE_NAMES
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/members"


async def _show(here: Here) -> WebPage:
    cursor = here.query.get("cursor")
    data = await here.read("members.list", query={"cursor": cursor} if cursor else None)
    shown = {
        "members": data["members"],
        "next_cursor": data["nextCursor"],
        "roles": ROLES,
        "permissions": tuple(PERMISSIONS.values()),
    }
    return WebPage(template="members.html", title="Members", shown=shown)


async def _games(here: Here) -> tuple[tuple[str, str], ...]:
    return tuple((one.game_id, one.name) for one in await games_of(here))


async def _fields(here: Here, operation: str, role: str, games: list[str] | None) -> tuple[Field, ...]:
    field = partial(Field, operation=operation)
    return (
        field(name="role", label="Role", labels={str(one): called for one, called in ROLE_NAMES.items()}, value=role),
        field(
            name="games",
            label="Only for these games",
            choices=await _games(here),
            value=" ".join(games or ()),
            hint="With none ticked the role is for all games. Owners and administrators are for all games.",
        ),
    )


async def _begin_add(here: Here) -> PreparedAction:
    email = Field(
        operation="members.invite",
        name="email",
        label="E-mail address",
        kind="email",
        hint="The person signs in with the account that has this address. No mail is sent.",
    )
    return PreparedAction(
        says="The person becomes a member of {name} with the role that you choose.",
        name="" if here.studio is None else here.studio.name,
        fields=(email, *await _fields(here, "members.invite", "VIEWER", None)),
    )


async def _member(here: Here) -> dict[str, Any]:
    return await here.find("members.list", "members", memberId=here.places["memberId"])


async def _begin_role(here: Here) -> PreparedAction:
    member = await _member(here)
    return PreparedAction(
        says="{name} has the role that you choose from the next request on.",
        name=member["email"],
        fields=await _fields(here, "members.update", member["role"], member["games"]),
    )


async def _begin_renew(here: Here) -> PreparedAction:
    member = await _member(here)
    return PreparedAction(
        says=(
            "The account with which {name} has signed in so far opens this studio no more: sessions and personal keys end "
            "at once. The next sign-in with this e-mail address binds the membership again. Make sure that the address "
            "still belongs to this person."
        ),
        name=member["email"],
        body={name: member[name] for name in ("email", "role", "games")},
    )


async def _begin_remove(here: Here) -> PreparedAction:
    member = await _member(here)
    return PreparedAction(
        says="{name} is not a member any more: sessions and personal keys for this studio end at once.",
        name=member["email"],
    )


ROUTES: Final = (
    View(_PATH, _show, "members"),
    Action(
        path=f"{_PATH}/add",
        operation="members.invite",
        title="Add a member",
        button="Add the member",
        begin=_begin_add,
        message="member-added",
        area="members",
    ),
    Action(
        path=f"{_PATH}/{{memberId}}/role",
        operation="members.update",
        title="Change a member's role",
        button="Change the role",
        begin=_begin_role,
        message="member-changed",
        area="members",
    ),
    Action(
        path=f"{_PATH}/{{memberId}}/renew",
        operation="members.invite",
        title="Renew an invitation",
        button="Renew the invitation",
        begin=_begin_renew,
        message="member-renewed",
        grave=True,
        area="members",
    ),
    Action(
        path=f"{_PATH}/{{memberId}}/remove",
        operation="members.remove",
        title="Remove a member",
        button="Remove the member",
        begin=_begin_remove,
        fields=(),
        message="member-removed",
        grave=True,
        area="members",
    ),
)
