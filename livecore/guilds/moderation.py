"""What the studio's backend reads of guilds, and does with them.

These operations work also where guilds are disabled. They say who acts in the events, and leave an entry in the audit trail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.guilds.guild import (
    NEWEST,
    NEWEST_OF_ALL,
    SEATS,
    STINTS_OF_GUILD,
    STINTS_OF_PLAYER,
    Guild,
    Stint,
    detail_of,
    guilds_by_id,
    leader_of,
    member_scans,
    require_guild,
    row_of_seat,
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
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.players.player import acting, find
from livecore.social.others import counterparty
from livecore.social.sight import viewed_by_id

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
        found.sort(key=NEWEST_OF_ALL.position_of, reverse=True)
        total, shown = len(found), found[args.offset : args.offset + args.limit]
    return GuildsForServer(guilds=rows(unit, shown), total=total, limit=args.limit, offset=args.offset)


def _newest(unit: Unit, args: ListGuilds) -> tuple[int, list[Guild]]:
    index = NEWEST_OF_ALL if args.include_disbanded else NEWEST
    reach: Scan[Guild] = Scan(index, (), reverse=True, limit=args.offset + args.limit)
    total, found = unit.tx.read_together(Count(index, ()), reach)
    return total, found[args.offset :]


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
    lasting = {stint.guild_id for stint in stints if stint.left_at is None}
    guilds = guilds_by_id(unit, (stint.guild_id for stint in stints))
    return [guild for guild in guilds.values() if guild.guild_id in lasting or guild.disbanded_at is not None]


def get(unit: Unit, args: OfGuild) -> OneGuildForServer:
    """A guild with its members, open requests and history. Raises `GuildNotFound`."""
    return OneGuildForServer(guild=_in_full(unit, require_guild(unit, args.guild_id)))


def _in_full(unit: Unit, guild: Guild) -> GuildForServer:
    history: Scan[Stint] = Scan(STINTS_OF_GUILD, (guild.guild_id,), reverse=True, limit=MOST_SHOWN)
    by_role, (requests,), (stints,) = unit.tx.read_lists(
        member_scans(guild.guild_id), [newest_to_guild(guild.guild_id)], [history]
    )
    seats = [seat for found in by_role for seat in found]
    named = [*(seat.player_id for seat in seats), *(request.player_id for request in requests)]
    viewed = viewed_by_id(unit, [*named, *(stint.player_id for stint in stints)], presence=True)
    players = {player_id: player for player_id, (player, _) in viewed.items()}
    return GuildForServer(
        **fields_of(detail_of(unit, guild, seats, viewed)),
        requests=tuple(
            request_row(request, "incoming", counterparty(unit, players[request.player_id])) for request in requests
        ),
        history=tuple(
            StintOfMember(
                external_player_id=players[stint.player_id].external_id,
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
    newest: Scan[Stint] = Scan(STINTS_OF_PLAYER, (player.player_id,), reverse=True, limit=MOST_SHOWN)
    held, stints = unit.tx.read_together(Get(SEATS, (player.player_id,)), newest)
    shown = stint_rows(unit, stints)
    return GuildOfPlayer(
        guild=None if held is None else row_of_seat(unit, held),
        role=None if held is None else held.role,
        stints=shown,
    )


def stint_rows(unit: Unit, stints: Sequence[Stint]) -> tuple[StintInGuild, ...]:
    """Times that a player was in a guild."""
    guilds = guilds_by_id(unit, (stint.guild_id for stint in stints))
    return tuple(_stint_row(guilds[stint.guild_id], stint) for stint in stints)


def _stint_row(guild: Guild, stint: Stint) -> StintInGuild:
    return StintInGuild(
        guild_id=stint.guild_id,
        guild_name=guild.name,
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
