"""A studio that has something on every page of the portal, with names that are meant to harm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from livecore.access.roles import ROLES, Role
from livecore.demo import DEMO
from livecore.world import World

__all__ = ["HOSTILE", "email_of", "made_studio", "places"]

HOSTILE: Final = (
    "\"'><planted data-planted onclick=alert(1)>{{7*7}}&amp;",
    "\u202eevil \u2067name",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 8,
    "W" * 40,
)
"""Names with markup, with marks that turn the direction of writing, and that are wide."""


def made_studio() -> World:
    """The studio."""
    world = World(DEMO)
    owner = world.operator()
    owner.call("studios.update", name=HOSTILE[0])
    owner.call("members.invite", email="colleague@example.com", role="VIEWER")
    for role in ROLES:
        world.operator(email_of(role), role).call("personalKeys.create", name=HOSTILE[0], expires_in_days=90)
    owner.call("keys.create", environment="test", permission="server", name=HOSTILE[0])
    return world


def email_of(role: str) -> str:
    """The address of the member with a role."""
    return f"{role.lower()}@example.com"


def _member(world: World, _: Role) -> str:
    listed: Any = world.operator().call("members.list")
    return str(next(one["memberId"] for one in listed["members"] if one["email"] == "colleague@example.com"))


def _personal_key(world: World, role: Role) -> str:
    listed: Any = world.operator(email_of(role), role).call("personalKeys.list")
    return str(next(one["keyId"] for one in listed["personalKeys"] if one["email"] == email_of(role)))


def _key(world: World, _: Role) -> str:
    listed: Any = world.operator().call("keys.list")
    return str(next(one["keyId"] for one in listed["keys"] if one["environment"] == "test"))


_PLACES: Final[dict[str, Callable[[World, Role], str]]] = {
    "/personal-keys/{keyId}": _personal_key,
    "/keys/{keyId}": _key,
    "/members/{memberId}": _member,
    "/studios/{studioId}": lambda world, _: world.game.studio_id,
    "/games/{gameId}": lambda world, _: world.game.game_id,
}
"""Where the variables of addresses get their values."""


def places(world: World, path: str, environment: str = "test", role: Role = "OWNER") -> str:
    """The address of a page with things of this studio in it, which are in its test environment."""
    for piece, found in _PLACES.items():
        if piece in path:
            path = path.replace(piece, f"{piece.partition('{')[0]}{quote(found(world, role), safe='')}")
    return f"{path}?environment={environment}" if "/games/" in path else path
