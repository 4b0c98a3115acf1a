"""Founding, joining and leaving teams that players form themselves.

Refusals come in this order: the event, its window, how its teams are formed; the team; the player's own seat; the room in
it; the seat that a change needs; who may make it (contract, "Teams and partners").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Count, Find, Get, Read, Scan
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player, acting, find
from livecore.teams.reading import row
from livecore.teams.refusals import AlreadyInTeam, NotInTeam, NotTeamFounder, TeamFull, TeamLimitReached, TeamNotFound
from livecore.teams.rows import CreateTeam, JoinTeam, KickFromTeam, LeaveTeam, OneTeam, TeamLeft, TeamMemberRemoved
from livecore.teams.seating import form, join_team, known_team_reads, leave_team, team_reads
from livecore.teams.team import (
    BY_KEY,
    SEATS_IN_WINDOW,
    TEAMS,
    WITH_ROOM,
    LeftReason,
    Team,
    TeamSeat,
    held_seat,
    held_seat_read,
    members_read,
    team_now,
)
from livecore.teams.windows import TeamWindow, open_team_window

_MOST_SEATS: Final = 50
"""How many seats a player may take in a window: enough for whoever looks for a team, and not for whoever makes rows."""


def refuse_seated(unit: Unit, window: TeamWindow, player: Player) -> None:
    """Raises `AlreadyInTeam` for a player who has a seat in the window."""
    _refuse_held(player, unit.tx.scanned(held_seat_read(player.player_id, window.window_id)))


def _refuse_held(player: Player, seats: Iterable[TeamSeat]) -> None:
    for held in seats:
        raise AlreadyInTeam(external_player_id=player.external_id, event_team_id=held.team_id)


def _refuse_seated_or_restless(unit: Unit, window: TeamWindow, player: Player) -> None:
    """Raises `AlreadyInTeam`, and `TeamLimitReached`, for a player who cannot take a seat in the window."""
    seats, taken = unit.tx.read_together(*_seat_reads(window, player))
    _refuse_held(player, seats)
    _refuse_taken(taken)


def _seat_reads(window: TeamWindow, player: Player) -> tuple[Scan[TeamSeat], Count]:
    return held_seat_read(player.player_id, window.window_id), _taken_read(window, player)


def _taken_read(window: TeamWindow, player: Player) -> Count:
    """The read of how many seats a player has taken in the window."""
    return Count(SEATS_IN_WINDOW, (player.player_id, window.window_id))


def is_restless(unit: Unit, window: TeamWindow, player: Player) -> bool:
    """Whether a player has taken very many seats in the window, and takes no more.

    Each seat that is left stays as a row until the window closes, and so does each team that is founded.
    """
    return unit.tx.counted(_taken_read(window, player)) >= _MOST_SEATS


def refuse_restless(unit: Unit, window: TeamWindow, player: Player) -> None:
    """Raises `TeamLimitReached` for a player who takes no more seats in the window."""
    _refuse_taken(unit.tx.counted(_taken_read(window, player)))


def _refuse_taken(seats: int) -> None:
    if seats >= _MOST_SEATS:
        raise TeamLimitReached(limit=_MOST_SEATS)


def create(unit: Unit, args: CreateTeam) -> OneTeam:
    """Found a team.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `AlreadyInTeam`, `TeamLimitReached`.
    """
    window = open_team_window(unit, args.key, "open")
    me, team_id = acting(unit), unit.new_id("etm")
    # That somebody sits in the team is found as for others, although it is new.
    unit.tx.read_lists(_seat_reads(window, me), [members_read(team_id)])
    _refuse_seated_or_restless(unit, window, me)
    return OneTeam(team=row(unit, form(unit, window, (me,), name=args.name, team_id=team_id)))


def join(unit: Unit, args: JoinTeam) -> OneTeam:
    """Join the team with a key; without one the fullest with a free seat, or a new one.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `TeamNotFound`, `AlreadyInTeam`,
    `TeamLimitReached`, `TeamFull`.
    """
    window = open_team_window(unit, args.key, "open")
    me = acting(unit)
    named = None if args.team_key is None else Find(BY_KEY, (window.window_id, args.team_key))
    with_room = Scan(WITH_ROOM, (window.window_id,), limit=1)
    wanted: Read[Any] = with_room if named is None else named
    unit.tx.read_lists([wanted], _seat_reads(window, me))
    team = None if args.team_key is None else _with_key(unit, window, args.team_key)
    _refuse_seated_or_restless(unit, window, me)
    if team is None:
        team = next(iter(unit.tx.scanned(with_room)), None)
        if team is None:
            return OneTeam(team=row(unit, form(unit, window, (me,))))
    elif team.room is None:
        raise TeamFull(max_members=window.rules.seats.max)
    unit.tx.read_all(known_team_reads(unit, team))
    return OneTeam(team=row(unit, join_team(unit, team, me, window.definition)))


def _with_key(unit: Unit, window: TeamWindow, key: str) -> Team:
    """A team by its key; one that everybody has left is no team any more."""
    team = unit.tx.find(BY_KEY, window.window_id, key)
    if team is None or not team.members:
        raise TeamNotFound.of(key)
    return team


def leave(unit: Unit, args: LeaveTeam) -> TeamLeft:
    """Leave one's team or pair. Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `NotInTeam`."""
    window = open_team_window(unit, args.key, "open", "partner")
    _leave(unit, _own(unit, window), window, "left")
    return TeamLeft(left=True)


def _own(unit: Unit, window: TeamWindow) -> TeamSeat:
    held = held_seat(unit, acting(unit).player_id, window.window_id)
    if held is None:
        raise NotInTeam
    return held


def kick(unit: Unit, args: KickFromTeam) -> TeamMemberRemoved:
    """Remove a member from the team that one has founded.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `NotInTeam` for oneself, `NotTeamFounder`,
    `ValidationFailed` for the founder themself, `NotInTeam` for the member.
    """
    window = open_team_window(unit, args.key, "open", "partner")
    player = find(unit, args.member_external_id)
    if player is not None:
        unit.tx.read_all(held_seat_read(one.player_id, window.window_id) for one in (acting(unit), player))
    mine = _own(unit, window)
    unit.tx.read_all(_leaving_reads(unit, mine))
    if team_now(unit, mine.team_id).founder_seat != mine.seat_id:
        raise NotTeamFounder
    held = None if player is None else held_seat(unit, player.player_id, window.window_id)
    if held is not None and held.seat_id == mine.seat_id:
        raise ValidationFailed({"memberExternalId": "names the founder, who leaves instead"})
    if held is None or held.team_id != mine.team_id:
        raise NotInTeam("This player is not in the team.")
    _leave(unit, held, window, "kicked")
    return TeamMemberRemoved(removed=True)


def _leave(unit: Unit, held: TeamSeat, window: TeamWindow, reason: LeftReason) -> None:
    """Leave a seat; what is read for that is asked for at once."""
    unit.tx.read_all(_leaving_reads(unit, held))
    leave_team(unit, held, window.definition, reason)


def _leaving_reads(unit: Unit, held: TeamSeat) -> list[Read[Any]]:
    rows: list[Read[Any]] = [Get(PLAYERS, (held.player_id,)), Get(TEAMS, (held.team_id,))]
    return [*rows, *team_reads(unit, held.team_id, held.window_id)]
