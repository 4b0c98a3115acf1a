"""Guilds for the studio's backend and for operators: reading everything, and moderating."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from livecore.api.table.admin_routes import as_admin
from livecore.api.table.operation import Link, Operation
from livecore.api.table.player_routes import SERVER
from livecore.guilds import moderation, rows
from livecore.guilds.refusals import GuildMemberNotFound, GuildNameTaken, GuildNotFound, GuildRoleConflict
from livecore.kernel.errors import Refusal
from livecore.kernel.units.unit import Unit


def _moderation(
    name: str,
    method: Literal["POST", "PATCH"],
    path: str,
    args: type,
    answer: type,
    handler: Callable[[Unit, Any], object],
    *errors: type[Refusal],
    summary: str,
    about: str,
) -> Operation:
    """A write about one guild."""
    return Operation(
        name=name,
        surface="server",
        method=method,
        path=f"/server/v1/guilds/{{guildId}}{path}",
        credential="server_key",
        bucket="server_api",
        args=args,
        answers={200: answer},
        handler=handler,
        summary=summary,
        about=about,
        errors=(GuildNotFound, *errors),
        writes=True,
        keyed=True,
    )


_SERVER: Final[tuple[Operation, ...]] = (
    SERVER.question(
        "guilds.list",
        "/guilds",
        rows.ListGuilds,
        rows.GuildsForServer,
        moderation.list_guilds,
        summary="List guilds.",
        about=(
            "Newest first, at most `limit` (1 to 200) from `offset` on: all of them, those with a word of the name that "
            "begins with `q` (2 to 40 characters), or those of a `player`. With `include_disbanded` also guilds that have "
            "ended."
        ),
        links={200: (Link("guilds.get", "guildId", "guilds/0/guildId"),)},
    ),
    SERVER.question(
        "guilds.get",
        "/guilds/{guildId}",
        rows.OfGuild,
        rows.OneGuildForServer,
        moderation.get,
        GuildNotFound,
        summary="Read a guild with everything.",
        about="Its members, the newest 200 open requests to join, and the newest 200 times that somebody was in it.",
    ),
    _moderation(
        "guilds.update",
        "PATCH",
        "",
        rows.UpdateGuildAsServer,
        rows.OneGuildForServer,
        moderation.update,
        GuildNameTaken,
        summary="Change a guild's profile.",
        about=(
            "The game's name filter does not judge the name. A field that is left out stays as it is. Of a guild that has "
            "ended as well: then no event tells of it, and the audit trail keeps only which fields have changed."
        ),
    ),
    _moderation(
        "guilds.removeMember",
        "POST",
        "/members/{memberExternalId}/remove",
        rows.RemoveMember,
        rows.MemberRemoved,
        moderation.remove_member,
        GuildMemberNotFound,
        summary="Remove a member of a guild.",
        about="The player may join again. A leader is followed as one who leaves, and the guild ends with its last member.",
    ),
    _moderation(
        "guilds.transfer",
        "POST",
        "/leader",
        rows.TransferLeadAsServer,
        rows.OneGuildForServer,
        moderation.transfer,
        GuildMemberNotFound,
        GuildRoleConflict,
        summary="Make a member the leader of a guild.",
        about="The old leader becomes a co-leader.",
    ),
    _moderation(
        "guilds.disband",
        "POST",
        "/disband",
        rows.DisbandGuild,
        rows.OneGuildForServer,
        moderation.disband_guild,
        summary="End a guild for good.",
        about="Every member leaves it. A guild that has ended is shown as it is.",
    ),
    SERVER.read(
        "guilds.getOfPlayer",
        "/guild",
        rows.GetGuildOfPlayer,
        rows.GuildOfPlayer,
        moderation.of_player,
        summary="Read a player's guild, and those of the past.",
        about="The newest 200 times that the player was in a guild; one that lasts has no end.",
    ),
)

_BY_MEMBERS: Final[tuple[Operation, ...]] = tuple(
    as_admin(row, "guild.moderate", target=("guild", "guildId")) if row.writes else as_admin(row, "guild.read")
    for row in _SERVER
)

OPERATIONS: Final[tuple[Operation, ...]] = (*_SERVER, *_BY_MEMBERS)
"""Operations of the studio's backend, and the same for members of the studio."""
