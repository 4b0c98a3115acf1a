"""What each role in a guild may do: one table of role and action.

    leader       everything
    co-leader    edits the profile, sees and answers requests, kicks members
    member       nothing of this

A member acts on others only below: a co-leader kicks members, and neither the leader nor another co-leader. Nobody acts on
themself, and promoting stops at the game's limit of co-leaders: both are conflicts, not a matter of the role.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from livecore.guilds.refusals import GuildRoleRequired
from livecore.guilds.rows import Role

Action: TypeAlias = Literal[
    "edit_profile", "answer_requests", "kick_member", "kick_co_leader", "promote", "demote", "transfer"
]
ROLES: Final[tuple[Role, ...]] = ("leader", "co_leader", "member")
"""In the order in which a guild's members are listed, and in which they follow a leader."""
ACTIONS: Final[tuple[Action, ...]] = (
    "edit_profile",
    "answer_requests",
    "kick_member",
    "kick_co_leader",
    "promote",
    "demote",
    "transfer",
)
MAY: Final[dict[tuple[Role, Action], bool]] = {
    **{("leader", action): True for action in ACTIONS},
    **{("co_leader", action): action in {"edit_profile", "answer_requests", "kick_member"} for action in ACTIONS},
    **{("member", action): False for action in ACTIONS},
}
"""Every role and action."""
_NEEDED: Final = {True: "co_leader", False: "leader"}


def may(role: Role, action: Action) -> bool:
    """Whether a role may do this."""
    return MAY[role, action]


def require(role: Role, action: Action) -> None:
    """Raises `GuildRoleRequired` for a role that may not do this."""
    if not may(role, action):
        raise GuildRoleRequired(role=role, needed=_NEEDED[may("co_leader", action)])
