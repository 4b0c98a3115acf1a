"""Principals: the caller as one of seven kinds, and what each kind may do.

An operation names the credential that it requires, and so the kinds of principal that it admits; it may also require a
permission. The permissions of a principal are data: a server key has all, players and client keys have none, and a member
of the studio has those of their role (`livecore.access.roles`).

| Credential | Admits | How it is shown |
|---|---|---|
| `none` | anybody, without authentication | |
| `client_key` | a client key | `Authorization: Bearer` |
| `player` | a player | a client key, and the player's secret |
| `server_key` | a server key | `Authorization: Bearer` |
| `member` | a member, by session or by personal key | a cookie, or `Authorization: Bearer` |

The system (due work and the command line) uses no route, so no credential admits it, and it needs no permission.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias, get_args

import attrs

from livecore.access.refusals import DashboardOnly, PermissionDenied
from livecore.access.roles import EVERY_READ, TEST_ONLY
from livecore.kernel.units.unit import Actor
from livecore.kernel.values import value

PrincipalKind: TypeAlias = Literal["nobody", "client_key", "player", "server_key", "session", "personal_key", "system"]
KINDS: Final[tuple[PrincipalKind, ...]] = get_args(PrincipalKind)
Credential: TypeAlias = Literal["none", "client_key", "player", "server_key", "member"]
"""What a caller must present; see the table above."""

ADMITTED: Final[Mapping[Credential, frozenset[PrincipalKind]]] = {
    "none": frozenset(KINDS) - {"system"},
    "client_key": frozenset({"client_key"}),
    "player": frozenset({"player"}),
    "server_key": frozenset({"server_key"}),
    "member": frozenset({"session", "personal_key"}),
}
"""The kinds of principal that each credential establishes."""

EVERYTHING: Final = "*"
Via: TypeAlias = Literal["session", "api", "mcp", "cli"]
"""Through what a principal acts."""
_ALL: Final = frozenset({EVERYTHING})
_NONE: Final[frozenset[str]] = frozenset()
HELD: Final[Mapping[PrincipalKind, frozenset[str] | None]] = {
    "nobody": _NONE,
    "client_key": _NONE,
    "player": _NONE,
    "server_key": _ALL,
    "session": None,
    "personal_key": None,
    "system": _ALL,
}
"""The permissions of each kind; `None` means those of the member's role. `*` is all, `*.read` all that only read."""

_ACTING: Final[Mapping[PrincipalKind, Literal["player", "api_key", "member", "system"]]] = {
    "nobody": "player",
    "client_key": "api_key",
    "player": "player",
    "server_key": "api_key",
    "session": "member",
    "personal_key": "member",
    "system": "system",
}


@value
class Principal:
    """The authenticated caller."""

    kind: PrincipalKind
    ref: str = ""
    """The key's prefix, or the id of the player or member."""
    studio_id: str = ""
    """The studio whose member it is."""
    games: frozenset[str] | None = None
    """The games that a member may see; `None` is all of the studio."""
    permissions: frozenset[str] = _NONE
    """The permissions of a member's role; for other kinds see `HELD`."""
    read_only: bool = False
    """Whether it is a personal key that may change nothing."""
    credential: str = ""
    """The id of a member's session or personal key."""
    via: Via | None = None
    actor: Actor = attrs.field(init=False, eq=False, repr=False)
    """The same caller as rules and events name it."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "actor", Actor(_ACTING[self.kind], self.ref))

    def holds(self, permission: str, environment: str | None = None) -> bool:
        """Whether it has this permission in this environment; without an environment, whether in any."""
        held = HELD[self.kind]
        if held is None:
            held = self.permissions
        if permission in held or EVERYTHING in held or (EVERY_READ in held and permission.endswith(".read")):
            return True
        return environment != "live" and f"{permission}{TEST_ONLY}" in held

    def require(self, permission: str, environment: str | None = None) -> None:
        """Check that it has a permission. Raises `PermissionDenied`."""
        if not self.holds(permission, environment):
            raise PermissionDenied(permission=permission)

    def require_signed_in(self) -> None:
        """Check that it is not a personal key. Raises `DashboardOnly`."""
        if self.kind == "personal_key":
            raise DashboardOnly


NOBODY: Final = Principal("nobody")
"""A caller without a credential."""


@lru_cache(maxsize=4_096)
def key_principal(permission: Literal["client", "server"], prefix: str) -> Principal:
    """The principal of an API key."""
    return Principal("server_key" if permission == "server" else "client_key", prefix)


def player_principal(player_id: str) -> Principal:
    """A player who has presented the player secret."""
    return Principal("player", player_id)
