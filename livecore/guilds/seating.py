"""The only functions that change who is in a guild, and in which role.

Each keeps what always holds: a guild that exists has exactly one leader, its count of members is right, and each seat has a
stint in the history. The last one who goes disbands the guild. A leader who goes is followed first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from livecore.guilds.config import guilds_config
from livecore.guilds.forgetting import metadata_until
from livecore.guilds.guild import (
    GUILDS,
    SEATS,
    STINTS,
    WORDS,
    WORDS_OF_GUILD,
    DisbandReason,
    Guild,
    Seat,
    Stint,
    Word,
    acting_by,
    leader_of,
    member_scans,
    require_guild,
    seats_of,
)
from livecore.guilds.help_requests import HelpRequest, end_help_of, lasting_help
from livecore.guilds.join_requests import JoinRequest, end_requests_of, end_requests_to, requests_to
from livecore.guilds.refusals import GuildFull
from livecore.guilds.rows import LeftReason, Role
from livecore.guilds.webhook_events import GuildDisbanded, GuildMemberJoined, GuildMemberLeft, GuildRoleChanged
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.time import DAY, Millis, Timestamp
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player, by_id, present
from livecore.players.seen import live

INACTIVE: Final = "guilds.inactive"
"""Due work: look whether the leader of the guild with this id has been away for too long."""
Via: TypeAlias = Literal["created", "open", "request", "admin", "merge"]
RoleReason: TypeAlias = Literal[
    "promoted",
    "demoted",
    "leadership_transferred",
    "succession_leader_left",
    "succession_leader_inactive",
    "operator",
]


# -- joining --------------------------------------------------------------------------------------------------------------


def seat(unit: Unit, guild: Guild, player: Player, role: Role, via: Via) -> Guild:
    """Give a player, who has none, a seat in a guild; all of the player's requests to join end. Raises `GuildFull`."""
    most = guilds_config(unit).guilds.max_members
    if guild.member_count >= most:
        raise GuildFull(max_members=most)
    stint = Stint(
        stint_id=unit.new_uuid(),
        player_id=player.player_id,
        guild_id=guild.guild_id,
        role=role,
        joined_at=unit.now,
    )
    unit.tx.insert(STINTS, stint)
    unit.tx.insert(
        SEATS,
        Seat(
            player_id=player.player_id,
            guild_id=guild.guild_id,
            role=role,
            joined_at=unit.now,
            role_since=unit.now,
            stint_id=stint.stint_id,
        ),
    )
    guild = evolve(guild, member_count=guild.member_count + 1)
    unit.tx.put(GUILDS, guild)
    end_requests_of(unit, player.player_id)
    _emit_joined(unit, guild, player, role, via)
    return guild


def move_seat(unit: Unit, held: Seat, target: Player) -> None:
    """Give the seat of a player who is merged to the target, who has none."""
    unit.tx.delete(SEATS, held.player_id)
    unit.tx.insert(SEATS, evolve(held, player_id=target.player_id))
    end_requests_of(unit, target.player_id)
    _emit_joined(unit, require_guild(unit, held.guild_id), target, held.role, "merge", held.joined_at)


def _emit_joined(
    unit: Unit, guild: Guild, player: Player, role: Role, via: Via, joined_at: Millis | None = None
) -> None:
    unit.emit(
        GuildMemberJoined(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            player_id=player.player_id,
            external_player_id=player.external_id,
            role=role,
            via=via,
            member_count=guild.member_count,
            joined_at=Timestamp(unit.now if joined_at is None else joined_at),
        )
    )


# -- leaving --------------------------------------------------------------------------------------------------------------


def unseat(unit: Unit, held: Seat, reason: LeftReason, *, keeps_help: bool = False) -> Guild:
    """Take a player's seat away, and end what they have asked for, unless somebody in the guild takes that over.

    A leader is followed first; the last one who goes disbands the guild.
    """
    _ask_to_leave(unit, held)
    guild = require_guild(unit, held.guild_id)
    if held.role == "leader" and guild.member_count > 1:
        _succeed(unit, guild, held, "succession_leader_left", lambda _: True)
    guild = _vacate(unit, guild, held, reason, keeps_help=keeps_help)
    return _close(unit, guild, "last_member_left", held.player_id) if guild.member_count == 0 else guild


def _ask_to_leave(unit: Unit, held: Seat) -> None:
    """Ask at once for the guild and for what follows when a member leaves it: a leader is followed, or the guild ends."""
    reads: list[Read[Any]] = [Get(GUILDS, (held.guild_id,)), *_leaving_reads(unit, held)]
    if held.role == "leader":
        reads += [*member_scans(held.guild_id), *_closing_reads(held.guild_id)]
    unit.tx.read_all(reads)


def _closing_reads(guild_id: str) -> tuple[Scan[Word], Scan[JoinRequest], Get[DueWork]]:
    """What `_close` reads of a guild."""
    return Scan(WORDS_OF_GUILD, (guild_id,)), requests_to(guild_id), Get(DUE, (INACTIVE, guild_id))


def _leaving_reads(unit: Unit, held: Seat) -> tuple[Get[Player], Get[Stint], Scan[HelpRequest]]:
    """What `_vacate` reads of a member."""
    return Get(PLAYERS, (held.player_id,)), Get(STINTS, (held.stint_id,)), lasting_help(unit, held.player_id)


def _vacate(unit: Unit, guild: Guild, held: Seat, reason: LeftReason, *, keeps_help: bool = False) -> Guild:
    player = by_id(unit, held.player_id)
    unit.tx.delete(SEATS, held.player_id)
    stint = unit.tx.get(STINTS, held.stint_id)
    if stint is not None:
        unit.tx.put(STINTS, evolve(stint, role=held.role, left_at=unit.now, left_reason=reason))
    if not keeps_help:
        end_help_of(unit, held.player_id)
    guild = evolve(guild, member_count=guild.member_count - 1)
    unit.tx.put(GUILDS, guild)
    unit.emit(
        GuildMemberLeft(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            player_id=player.player_id,
            external_player_id=player.external_id,
            role=held.role,
            reason=reason,
            member_count=guild.member_count,
            left_at=Timestamp(unit.now),
        )
    )
    return guild


def disband(unit: Unit, guild: Guild) -> Guild:
    """End a guild: every member leaves, the leader last, and then it is disbanded."""
    seats = seats_of(unit, guild.guild_id)
    # What `_vacate` reads of each member is asked for together.
    ended: Iterable[Read[Any]] = _closing_reads(guild.guild_id)
    unit.tx.read_all(chain(ended, *(_leaving_reads(unit, held) for held in seats)))
    for held in reversed(seats):
        guild = _vacate(unit, guild, held, "disbanded")
    return _close(unit, guild, "admin", seats[0].player_id if seats else None)


def _close(unit: Unit, guild: Guild, reason: DisbandReason, last: PlayerId | None) -> Guild:
    guild = evolve(
        guild,
        name_key=None,
        listed_at=None,
        disbanded_at=unit.now,
        disbanded_for=reason,
        metadata_until=metadata_until(guild, unit.now),
    )
    unit.tx.put(GUILDS, guild)
    for word in unit.tx.scan(WORDS_OF_GUILD, guild.guild_id):
        unit.tx.delete(WORDS, word.guild_id, word.text)
    end_requests_to(unit, guild.guild_id)
    unit.cancel(INACTIVE, guild.guild_id)
    unit.emit(
        GuildDisbanded(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            reason=reason,
            disbanded_at=Timestamp(unit.now),
        ),
        about=last,
    )
    return guild


# -- roles ----------------------------------------------------------------------------------------------------------------


def change_role(unit: Unit, guild: Guild, held: Seat, to: Role, reason: RoleReason) -> Seat:
    """Give a member another role."""
    row, stint = unit.tx.read_together(*_role_reads(held))
    player = present(row)
    after = evolve(held, role=to, role_since=unit.now)
    unit.tx.put(SEATS, after)
    if stint is not None:
        unit.tx.put(STINTS, evolve(stint, role=to))
    unit.emit(
        GuildRoleChanged(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            player_id=player.player_id,
            external_player_id=player.external_id,
            from_=held.role,
            to=to,
            reason=reason,
            changed_at=Timestamp(unit.now),
        )
    )
    return after


def _role_reads(held: Seat) -> tuple[Get[Player], Get[Stint]]:
    return Get(PLAYERS, (held.player_id,)), Get(STINTS, (held.stint_id,))


def hand_over_reads(leader: Seat, successor: Seat) -> list[Read[Any]]:
    """What is read to make another member the leader: the guild, the two members, and the next look at its leader."""
    guild_id = leader.guild_id
    rows: list[Read[Any]] = [Get(GUILDS, (guild_id,)), Get(DUE, (INACTIVE, guild_id))]
    return [*rows, *_role_reads(successor), *_role_reads(leader)]


def hand_over(unit: Unit, guild: Guild, leader: Seat, successor: Seat, reason: RoleReason) -> None:
    """Make another member the leader; the leader becomes a co-leader, however many there are."""
    unit.tx.read_all(hand_over_reads(leader, successor))
    change_role(unit, guild, successor, "leader", reason)
    change_role(unit, guild, leader, "co_leader", reason)
    schedule_check(unit, guild.guild_id, unit.now)


def _succeed(unit: Unit, guild: Guild, leader: Seat, reason: RoleReason, fits: Callable[[Seat], bool]) -> Seat | None:
    """Have a leader followed by the co-leader, else the member, of longest standing, if there is anybody who fits."""
    others = (held for held in seats_of(unit, guild.guild_id) if held.player_id != leader.player_id)
    successor = next((held for held in others if fits(held)), None)
    if successor is not None:
        change_role(unit, guild, successor, "leader", reason)
        schedule_check(unit, guild.guild_id, unit.now)
    return successor


# -- leaders who are away -------------------------------------------------------------------------------------------------


def schedule_check(unit: Unit, guild_id: str, active_at: Millis, *, fresh: bool = False) -> None:
    """Schedule the next look at a leader who was active then; daily, because the configuration may change.

    `fresh` says that the guild is new.
    """
    days = guilds_config(unit).guilds.inactive_leader_days
    tomorrow = unit.now + DAY
    away_at = tomorrow if days is None else active_at + days * DAY
    unit.schedule(INACTIVE, guild_id, away_at if unit.now < away_at < tomorrow else tomorrow, fresh=fresh)


def check_leader(unit: Unit, guild_id: str) -> None:
    """Have a leader followed who has been away for as long as the game allows; the leader becomes a co-leader.

    Nobody follows who was replaced in this way before and has not been seen since, so that the lead does not go round among
    members who are all away.
    """
    guild, leader = unit.tx.get(GUILDS, guild_id), leader_of(unit, guild_id)
    if guild is None or leader is None:
        return
    days = guilds_config(unit).guilds.inactive_leader_days
    active_at = max(_seen_at(unit, leader), leader.role_since)
    schedule_check(unit, guild_id, active_at)
    if days is None or unit.now < active_at + days * DAY or not guilds_config(unit).guilds.enabled:
        return
    reason: RoleReason = "succession_leader_inactive"
    if _succeed(unit, guild, leader, reason, lambda other: _is_back(unit, other)) is not None:
        unit.tx.put(SEATS, evolve(change_role(unit, guild, leader, "co_leader", reason), away_at=unit.now))


def _is_back(unit: Unit, held: Seat) -> bool:
    return held.away_at is None or _seen_at(unit, held) >= held.away_at


def _seen_at(unit: Unit, held: Seat) -> Millis:
    """When a member was last seen."""
    return live(unit, by_id(unit, held.player_id)).last_seen_at
