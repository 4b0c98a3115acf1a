"""Roles and permissions: who of a studio may do what, as one table.

Checks, the documents, the operator pages and the tests of the authorization matrix read this table; a right is written
nowhere else. A member of a studio has one role, for all its games or for named ones. Reading needs a permission that ends
in `.read`, and every role holds all of those. Secrets are never read: they are shown once, when they are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from livecore.access.member_rows import Role
from livecore.kernel.values import value

ROLES: Final[tuple[Role, ...]] = get_args(Role)
EVERY_READ: Final = "*.read"
"""All permissions that only read."""
TEST_ONLY: Final = ":test"
"""The end of a permission that is held for the test environment only."""
OF_ALL_GAMES: Final[frozenset[Role]] = frozenset({"OWNER", "ADMIN"})
"""The roles that are always for all games of the studio, because they manage its members."""


@value
class Permission:
    """One permission: what it allows, and the roles that hold it."""

    name: str
    about: str
    roles: frozenset[Role]
    test_only: frozenset[Role] = frozenset()
    """The roles that hold it for the test environment only."""


_OWNER: Final[frozenset[Role]] = frozenset({"OWNER"})
_STUDIO: Final[frozenset[Role]] = _OWNER | {"ADMIN"}
_GAME: Final[frozenset[Role]] = _STUDIO | {"GAME_ADMIN"}
_DEVELOPER: Final[frozenset[Role]] = frozenset({"GAME_DEVELOPER"})
_DEBUGGER: Final[frozenset[Role]] = frozenset({"GAME_DEBUGGER"})

PERMISSIONS: Final[Mapping[str, Permission]] = {
    row.name: row
    for row in (
        Permission(EVERY_READ, "Read everything except secrets.", frozenset(ROLES)),
        Permission("member.manage", "Add and remove members, and change their roles.", _STUDIO),
        Permission("owner.manage", "Make somebody an owner, and change or remove an owner.", _OWNER),
        Permission("personal_key.manage_all", "See and revoke the personal keys of all members.", _STUDIO),
        Permission("studio.manage", "Change the studio, and make games.", _STUDIO),
        Permission("game.delete", "Delete a game.", _OWNER),
        Permission("api_key.manage", "Make, rotate and revoke API keys.", _GAME, _DEVELOPER),
        Permission("webhook.manage", "Make, change and remove webhook endpoints.", _GAME, _DEVELOPER),
        Permission("settings.apply", "Change a game's settings.", _GAME),
        Permission("webhook.send_sample", "Send sample deliveries.", _GAME | _DEVELOPER),
        Permission("webhook.replay", "Send deliveries again.", _GAME | _DEVELOPER),
        Permission("attempt.force_complete", "Complete a player's attempt.", _GAME | _DEBUGGER),
        Permission("grant.retry_reward_roll", "Roll an attempt's rewards again.", _GAME | _DEBUGGER),
        Permission("grant.manual_force_claim", "Claim a grant in a player's place.", _GAME | _DEBUGGER),
        Permission("grant.manual_create", "Give a player a grant.", _GAME),
        Permission("wallet.adjust", "Change a player's balance.", _GAME),
        Permission("inventory.adjust", "Change a player's items.", _GAME),
        Permission("inventory.edit_attributes", "Change the attributes of a player's items.", _GAME),
        Permission("player.ban", "Ban a player, and lift a ban.", _GAME),
        Permission("player.debug", "Mark a player as a debug account.", _GAME),
        Permission("player.rotate_secret", "Give a player a new secret.", _GAME),
        Permission("player.merge", "Merge two players.", _GAME),
        Permission("player.erase", "Erase a player.", _GAME),
        Permission("player.export", "Read all data about a player at once, and whole internet addresses.", _GAME),
        Permission(
            "guild.moderate", "Change and end guilds, remove their members, and change the texts of teams.", _GAME
        ),
        Permission("leaderboard.remove_entry", "Take a player off a leaderboard.", _GAME),
    )
}
"""Every permission, by name."""


def _held(role: Role) -> frozenset[str]:
    everywhere = {name for name, row in PERMISSIONS.items() if role in row.roles}
    return frozenset(everywhere | {f"{name}{TEST_ONLY}" for name, row in PERMISSIONS.items() if role in row.test_only})


_HELD: Final[Mapping[str, frozenset[str]]] = {role: _held(role) for role in ROLES}


def permissions_of(role: str) -> frozenset[str]:
    """The permissions of a role; a name with `TEST_ONLY` at its end holds in the test environment only."""
    return _HELD.get(role, frozenset())
