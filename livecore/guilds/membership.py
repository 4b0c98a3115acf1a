"""Joining and leaving a guild, and what those who lead it do with its members.

Refusals come in this order: guilds are disabled; the player is in a guild already, or in none; the role; the member or the
request is not there; its state (contract, "Guilds").
"""

from __future__ import annotations

from typing import Final

from livecore.guilds.config import guilds_config
from livecore.guilds.guild import (
    MEMBERS_BY_ROLE,
    SEATS,
    Guild,
    Seat,
    acting_by,
    guild_of,
    require_enabled,
    require_guild,
    require_seat,
    row,
    row_led_by,
)
from livecore.guilds.join_requests import (
    REQUESTS,
    REQUESTS_OF_PLAYER,
    JoinRequest,
    newest_of_player,
    newest_to_guild,
    open_request,
    request_row,
)
from livecore.guilds.refusals import (
    AlreadyInGuild,
    GuildFull,
    GuildMemberNotFound,
    GuildNotFound,
    GuildRequestNotFound,
    GuildRoleConflict,
)
from livecore.guilds.roles import may, require
from livecore.guilds.rows import (
    JoinAnswer,
    JoinGuild,
    JoinRequestEnded,
    JoinRequests,
    LeaveGuild,
    Left,
    ListJoinRequests,
    OfJoinRequest,
    OfMember,
    OneGuild,
    TransferLead,
)
from livecore.guilds.seating import change_role, hand_over, hand_over_reads, seat, unseat
from livecore.guilds.webhook_events import GuildJoinRequested
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, acting, by_id, find
from livecore.social.others import counterparties, counterparty
from livecore.social.refusals import RequestLimitReached
from livecore.social.sight import viewing_reads

_MOST_OPEN: Final = 100
"""How many requests to join a player may have open."""


# -- joining --------------------------------------------------------------------------------------------------------------


def join(unit: Unit, args: JoinGuild) -> tuple[bool, JoinAnswer]:
    """Join an open guild, or ask to join another; returns whether a new request was made.

    Refusals, in order: `GuildsDisabled`, `AlreadyInGuild`, `GuildNotFound`, `GuildFull`, `RequestLimitReached`.
    """
    require_enabled(unit)
    me = acting(unit)
    held = unit.tx.get(SEATS, me.player_id)
    if held is not None:
        raise AlreadyInGuild(guild_id=held.guild_id)
    guild = require_guild(unit, args.guild_id)
    if guild.disbanded_at is not None:
        raise GuildNotFound.of(args.guild_id)
    if guild.join_type == "open":
        return False, JoinAnswer(status="joined", guild=row(unit, seat(unit, guild, me, "member", "open")))
    known = open_request(unit, me.player_id, guild.guild_id)
    if known is not None:
        return False, JoinAnswer(status="requested", request=request_row(known, "outgoing", counterparty(unit, me)))
    most = guilds_config(unit).guilds.max_members
    if guild.member_count >= most:
        raise GuildFull(max_members=most)
    if unit.tx.count(REQUESTS_OF_PLAYER, me.player_id) >= _MOST_OPEN:
        raise RequestLimitReached(limit=_MOST_OPEN)
    request = JoinRequest(
        request_id=unit.new_id("grq"),
        player_id=me.player_id,
        guild_id=guild.guild_id,
        message=args.message,
        created_at=unit.now,
    )
    unit.tx.insert(REQUESTS, request)
    _emit_requested(unit, guild, me, request)
    return True, JoinAnswer(status="requested", request=request_row(request, "outgoing", counterparty(unit, me)))


def _emit_requested(unit: Unit, guild: Guild, player: Player, request: JoinRequest) -> None:
    unit.emit(
        GuildJoinRequested(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            player_id=player.player_id,
            external_player_id=player.external_id,
            request_id=request.request_id,
            message=request.message,
            requested_at=Timestamp(request.created_at),
        )
    )


def leave(unit: Unit, _: LeaveGuild) -> Left:
    """Leave one's guild. Refusals, in order: `GuildsDisabled`, `NotInGuild`."""
    require_enabled(unit)
    guild = unseat(unit, require_seat(unit, acting(unit).player_id), "left")
    return Left(left=True, disbanded=guild.disbanded_at is not None)


# -- requests -------------------------------------------------------------------------------------------------------------


def list_requests(unit: Unit, _: ListJoinRequests) -> JoinRequests:
    """Open requests: the player's own, and, for those who may answer them, those to the guild. Raises `GuildsDisabled`."""
    require_enabled(unit)
    me = acting(unit)
    held = unit.tx.get(SEATS, me.player_id)
    answers = held is not None and may(held.role, "answer_requests")
    to_guild = [newest_to_guild(held.guild_id)] if held is not None and answers else []
    own, *of_others = unit.tx.read_all([newest_of_player(me.player_id), *to_guild])
    incoming = [request for found in of_others for request in found]
    players = counterparties(unit, (request.player_id for request in incoming))
    return JoinRequests(
        incoming=tuple(request_row(request, "incoming", players[request.player_id]) for request in incoming),
        outgoing=tuple(request_row(request, "outgoing", counterparty(unit, me)) for request in own),
    )


def _to_answer(unit: Unit, request_id: str) -> tuple[Seat, JoinRequest]:
    """The caller's seat, and a request to the caller's guild."""
    require_enabled(unit)
    held = require_seat(unit, acting(unit).player_id)
    require(held.role, "answer_requests")
    request = unit.tx.get(REQUESTS, request_id)
    if request is None or request.guild_id != held.guild_id:
        raise GuildRequestNotFound.of(request_id)
    return held, request


def accept_request(unit: Unit, args: OfJoinRequest) -> OneGuild:
    """Let a player join.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `GuildRoleRequired`, `GuildRequestNotFound`, `GuildFull`.
    """
    held, request = _to_answer(unit, args.request_id)
    player = by_id(unit, request.player_id)
    return OneGuild(guild=row(unit, seat(unit, guild_of(unit, held), player, "member", "request")))


def decline_request(unit: Unit, args: OfJoinRequest) -> JoinRequestEnded:
    """Decline a request; no event is emitted.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `GuildRoleRequired`, `GuildRequestNotFound`.
    """
    _, request = _to_answer(unit, args.request_id)
    unit.tx.delete(REQUESTS, request.request_id)
    player = counterparty(unit, by_id(unit, request.player_id))
    return JoinRequestEnded(request=request_row(request, "incoming", player))


def cancel_request(unit: Unit, args: OfJoinRequest) -> JoinRequestEnded:
    """Cancel one's own request; no event is emitted. Refusals, in order: `GuildsDisabled`, `GuildRequestNotFound`."""
    require_enabled(unit)
    request = unit.tx.get(REQUESTS, args.request_id)
    if request is None or request.player_id != acting(unit).player_id:
        raise GuildRequestNotFound.of(args.request_id)
    unit.tx.delete(REQUESTS, request.request_id)
    return JoinRequestEnded(request=request_row(request, "outgoing", counterparty(unit, acting(unit))))


# -- members --------------------------------------------------------------------------------------------------------------


def seat_in(unit: Unit, guild_id: str, external_id: str) -> Seat:
    """The seat of a player in a guild. Raises `GuildMemberNotFound`."""
    player = find(unit, external_id)
    held = None if player is None else unit.tx.get(SEATS, player.player_id)
    if held is None or held.guild_id != guild_id:
        raise GuildMemberNotFound.of(external_id)
    return held


def _other(unit: Unit, mine: Seat, external_id: str) -> Seat:
    """The seat of another member of one's guild. Raises `GuildMemberNotFound`, and `GuildRoleConflict` for oneself."""
    other = seat_in(unit, mine.guild_id, external_id)
    if other.player_id == mine.player_id:
        raise GuildRoleConflict("Nobody does this to themself.")
    return other


def promote(unit: Unit, args: OfMember) -> OneGuild:
    """Make a member a co-leader.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `GuildRoleRequired`, `GuildMemberNotFound`, `GuildRoleConflict` for
    oneself, for a co-leader, and for one co-leader too many.
    """
    require_enabled(unit)
    mine = require_seat(unit, acting(unit).player_id)
    require(mine.role, "promote")
    other = _other(unit, mine, args.member_external_id)
    if other.role != "member":
        raise GuildRoleConflict("This member is a co-leader already.")
    most = guilds_config(unit).guilds.max_co_leaders
    if most is not None and unit.tx.count(MEMBERS_BY_ROLE, mine.guild_id, "co_leader") >= most:
        raise GuildRoleConflict(f"The guild may have {most} co-leaders.", max_co_leaders=most)
    guild = guild_of(unit, mine)
    change_role(unit, guild, other, "co_leader", "promoted")
    return OneGuild(guild=row(unit, guild))


def demote(unit: Unit, args: OfMember) -> OneGuild:
    """Make a co-leader a member. Refusals: as those of `promote`, with `GuildRoleConflict` for who is no co-leader."""
    require_enabled(unit)
    mine = require_seat(unit, acting(unit).player_id)
    require(mine.role, "demote")
    other = _other(unit, mine, args.member_external_id)
    if other.role != "co_leader":
        raise GuildRoleConflict("This member is no co-leader.")
    guild = guild_of(unit, mine)
    change_role(unit, guild, other, "member", "demoted")
    return OneGuild(guild=row(unit, guild))


def kick(unit: Unit, args: OfMember) -> OneGuild:
    """Remove a member.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `GuildRoleRequired`, `GuildMemberNotFound`, `GuildRoleConflict` for
    oneself, and `GuildRoleRequired` for a co-leader who kicks the leader or another co-leader.
    """
    require_enabled(unit)
    mine = require_seat(unit, acting(unit).player_id)
    require(mine.role, "kick_member")
    other = _other(unit, mine, args.member_external_id)
    if other.role != "member":
        require(mine.role, "kick_co_leader")
    return OneGuild(guild=row(unit, unseat(unit, other, "kicked")))


def transfer(unit: Unit, args: TransferLead) -> OneGuild:
    """Hand the lead over; the old leader becomes a co-leader.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `GuildRoleRequired`, `GuildMemberNotFound`, `GuildRoleConflict` for
    oneself.
    """
    require_enabled(unit)
    mine = require_seat(unit, acting(unit).player_id)
    require(mine.role, "transfer")
    other = _other(unit, mine, args.external_player_id)
    unit.tx.read_all([*hand_over_reads(mine, other), *viewing_reads(unit, [other.player_id])])
    guild = guild_of(unit, mine)
    hand_over(unit, guild, mine, other, "leadership_transferred")
    return OneGuild(guild=row_led_by(unit, guild, other))
