"""What the studio's backend reads of guilds, and does with them.

These operations work also where guilds are disabled. They say who acts in the events, and leave an entry in the audit trail.
"""

from __future__ import annotations

from typing import Final

from livecore.guilds.guild import (
    GUILDS,
    NEWEST,
    NEWEST_OF_ALL,
    SEATS,
    STINTS_OF_GUILD,
    STINTS_OF_PLAYER,
    Guild,
    Stint,
    detail,
    guild_of,
    leader_of,
    members_ahead,
    require_guild,
    row,
    rows,
)
from livecore.guilds.join_requests import MOST_SHOWN, newest_to_guild, request_row
from livecore.guilds.membership import seat_in
from livecore.guilds.profiles import change, changed_fields, check_join_type, profile_of
from livecore.guilds.reading import is_named, query_of, with_words
from livecore.guilds.refusals import GuildNotFound, GuildRoleConflict
from livecore.guilds.rows import (
    DisbandGuild,
    GetGuildOfPlayer,
    GuildForServer,
    GuildOfPlayer,
    GuildsForServer,
    ListGuilds,
    MemberRemoved,
    OfGuild,
    OneGuildForServer,
    RemoveMember,
    Role,
    StintInGuild,
    StintOfMember,
    TransferLeadAsServer,
    UpdateGuildAsServer,
)
from livecore.guilds.seating import disband, hand_over, unseat
from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Count, Get, Scan
from livecore.kernel.shapes import Timestamp, fields_of
from livecore.kernel.time import stamp
from livecore.kernel.unit import Change, Unit
from livecore.players.player import PLAYERS, acting, by_id, find

__all__ = [
    "disband_guild",
    "get",
    "list_guilds",
    "of_player",
    "remove_member",
    "stint_row",
    "transfer",
    "update",
]

_MOST_LOOKED_AT: Final = 20_000
"""How many of the newest guilds are searched for those that have ended."""


# -- reading --------------------------------------------------------------------------------------------------------------


def list_guilds(unit: Unit, args: ListGuilds) -> GuildsForServer:
    """Guilds, newest first; with `player` those that the player is in, with `include_disbanded` also those that ended."""
    query = query_of(args.q)
    if query is None and args.player is None:
        total, shown = _newest(unit, args)
    else:
        found = _found(unit, query, args)
        found.sort(key=NEWEST_OF_ALL.place_of, reverse=True)
        total, shown = len(found), found[args.offset : args.offset + args.limit]
    return GuildsForServer(guilds=rows(unit, shown), total=total, limit=args.limit, offset=args.offset)


def _newest(unit: Unit, args: ListGuilds) -> tuple[int, list[Guild]]:
    index = NEWEST_OF_ALL if args.include_disbanded else NEWEST
    reach: Scan[Guild] = Scan(index, (), reverse=True, limit=args.offset + args.limit)
    unit.tx.prefetch([Count(index, ()), reach])
    return unit.tx.count(index), unit.tx.scanned(reach)[args.offset :]


def _found(unit: Unit, query: str | None, args: ListGuilds) -> list[Guild]:
    if args.player is not None:
        found = _of_player(unit, args.player)
    elif args.include_disbanded:
        # Guilds that have ended are found by no word, so that they are in nobody's way.
        found = unit.tx.scan(NEWEST_OF_ALL, reverse=True, limit=_MOST_LOOKED_AT)
    else:
        found = with_words(unit, query or "")
    found = [guild for guild in found if args.include_disbanded or guild.disbanded_at is None]
    return found if query is None else [guild for guild in found if is_named(guild, query)]


def _of_player(unit: Unit, external_id: str) -> list[Guild]:
    """The guild that the player is in, and those that have ended and that the player was in at any time."""
    player = find(unit, external_id)
    stints = [] if player is None else unit.tx.scan(STINTS_OF_PLAYER, player.player_id)
    unit.tx.prefetch(Get(GUILDS, (stint.guild_id,)) for stint in stints)
    lasting = {stint.guild_id for stint in stints if stint.left_at is None}
    guilds = [require_guild(unit, guild_id) for guild_id in dict.fromkeys(stint.guild_id for stint in stints)]
    return [guild for guild in guilds if guild.guild_id in lasting or guild.disbanded_at is not None]


def get(unit: Unit, args: OfGuild) -> OneGuildForServer:
    """A guild with its members, open requests and history. Raises `GuildNotFound`."""
    return OneGuildForServer(guild=_in_full(unit, require_guild(unit, args.guild_id)))


def _in_full(unit: Unit, guild: Guild) -> GuildForServer:
    history: Scan[Stint] = Scan(STINTS_OF_GUILD, (guild.guild_id,), reverse=True, limit=MOST_SHOWN)
    requests = newest_to_guild(guild.guild_id)
    unit.tx.prefetch([requests, history, *members_ahead(guild.guild_id)])
    open_requests, stints = unit.tx.scanned(requests), unit.tx.scanned(history)
    player_ids = [request.player_id for request in open_requests] + [stint.player_id for stint in stints]
    unit.tx.prefetch(Get(PLAYERS, (player_id,)) for player_id in player_ids)
    return GuildForServer(
        **fields_of(detail(unit, guild)),
        requests=tuple(request_row(unit, request, "incoming") for request in open_requests),
        history=tuple(
            StintOfMember(
                external_player_id=by_id(unit, stint.player_id).external_id,
                role=stint.role,
                joined_at=Timestamp(stint.joined_at),
                left_at=stamp(stint.left_at),
                left_reason=stint.left_reason,
            )
            for stint in stints
        ),
    )


def of_player(unit: Unit, _: GetGuildOfPlayer) -> GuildOfPlayer:
    """A player's guild and role, and each time that the player was in one."""
    player = acting(unit)
    held = unit.tx.get(SEATS, player.player_id)
    stints = unit.tx.scanned(_stints(player.player_id))
    unit.tx.prefetch(Get(GUILDS, (stint.guild_id,)) for stint in stints)
    return GuildOfPlayer(
        guild=None if held is None else row(unit, guild_of(unit, held)),
        role=None if held is None else held.role,
        stints=tuple(stint_row(unit, stint) for stint in stints),
    )


def _stints(player_id: str) -> Scan[Stint]:
    return Scan(STINTS_OF_PLAYER, (player_id,), reverse=True, limit=MOST_SHOWN)


def stint_row(unit: Unit, stint: Stint) -> StintInGuild:
    """One time that a player was in a guild."""
    return StintInGuild(
        guild_id=stint.guild_id,
        guild_name=require_guild(unit, stint.guild_id).name,
        role=stint.role,
        joined_at=Timestamp(stint.joined_at),
        left_at=stamp(stint.left_at),
        left_reason=stint.left_reason,
    )


# -- moderating -----------------------------------------------------------------------------------------------------------


def _require_existing(unit: Unit, guild_id: str) -> Guild:
    """A guild that exists. Raises `GuildNotFound`."""
    guild = require_guild(unit, guild_id)
    if guild.disbanded_at is not None:
        raise GuildNotFound("This guild has been disbanded.")
    return guild


def _audited(unit: Unit, before: Guild, after: Guild, *, role: Role | None = None, becomes: Role | None = None) -> None:
    """Note the change for the audit trail: of the profile, and of the role of the member whom the unit is about.

    Of a guild that had ended before only which fields have changed, because they are changed to remove what they say.
    """
    unit.audit_target = ("guild", after.guild_id)
    if before.disbanded_at is not None:
        ended: JsonObject = {"guildId": before.guild_id, "disbanded": True}
        unit.change = Change(ended, {**ended, "changed": list(changed_fields(before, after))})
        return
    of_member: tuple[JsonObject, JsonObject] = ({}, {}) if role is None else ({"role": role}, {"role": becomes})
    unit.change = Change(profile_of(before) | of_member[0], profile_of(after) | of_member[1])


def update(unit: Unit, args: UpdateGuildAsServer) -> OneGuildForServer:
    """Change a guild's profile, whatever the name filter says, also after its end.

    Refusals, in order: `GuildNotFound`, a join type that the game does not offer, `GuildNameTaken`.
    """
    guild = require_guild(unit, args.guild_id)
    check_join_type(unit, args, guild)
    after = change(unit, guild, args)
    _audited(unit, guild, after)
    return OneGuildForServer(guild=_in_full(unit, after))


def remove_member(unit: Unit, args: RemoveMember) -> MemberRemoved:
    """Remove a member, who may join again. Refusals, in order: `GuildNotFound`, `GuildMemberNotFound`."""
    guild = _require_existing(unit, args.guild_id)
    held = seat_in(unit, guild.guild_id, args.member_external_id)
    unit.player_id = held.player_id  # whom the entry of the audit trail is about
    after = unseat(unit, held, "removed")
    _audited(unit, guild, after, role=held.role)
    return MemberRemoved(removed=True, guild=_in_full(unit, after))


def transfer(unit: Unit, args: TransferLeadAsServer) -> OneGuildForServer:
    """Make a member the leader; the old leader becomes a co-leader.

    Refusals, in order: `GuildNotFound`, `GuildMemberNotFound`, `GuildRoleConflict` for the leader.
    """
    guild = _require_existing(unit, args.guild_id)
    successor, leader = seat_in(unit, guild.guild_id, args.external_player_id), leader_of(unit, guild.guild_id)
    if leader is None or successor.player_id == leader.player_id:
        raise GuildRoleConflict("This member leads the guild already.")
    unit.player_id = successor.player_id  # whom the entry of the audit trail is about
    hand_over(unit, guild, leader, successor, "operator")
    _audited(unit, guild, guild, role=successor.role, becomes="leader")
    return OneGuildForServer(guild=_in_full(unit, guild))


def disband_guild(unit: Unit, args: DisbandGuild) -> OneGuildForServer:
    """End a guild for good; one that has ended is shown. Raises `GuildNotFound`."""
    guild = require_guild(unit, args.guild_id)
    if guild.disbanded_at is not None:
        return OneGuildForServer(guild=_in_full(unit, guild))
    after = disband(unit, guild)
    _audited(unit, guild, after)
    return OneGuildForServer(guild=_in_full(unit, after))
