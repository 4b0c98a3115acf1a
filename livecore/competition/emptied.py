"""What everybody left is removed once its window is closed: teams, lobbies that nobody played in, and what belongs to them.

Any player can found a team or open a lobby and leave it, as often as they like while the window is open. Nobody can come
back to such a team or lobby, so after the close nothing needs its rows any more. A team goes with the seats of those who
left it, with what it had won, and with its removed entry on the board of teams; a lobby goes with its board, on which there
is nothing but entries of who was excluded from it. What a team has won is paid before it goes: a reward is owed to the seats
of the moment in which it was won.

It is a job in steps that the close starts with its last one. A cursor is

    ("teams", *place)     the teams up to this place are looked at
    ("lobbies", lobby)    and the lobbies up to this one
"""

from __future__ import annotations

from typing import Final, cast

from livecore.competition.boards import BOARDS, ENTRIES, REMOVED
from livecore.competition.windows import WINDOWS, EventWindow, definition_of, team_board_id_in
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.lobbies.lobby import LOBBIES, LOBBIES_OF_WINDOW, Lobby
from livecore.teams.rewards import PAY, ref_of
from livecore.teams.team import OF_WINDOW, SEATS, SEATS_OF_TEAM, TEAMS, UNLOCKS, UNLOCKS_OF_TEAM, Team

__all__ = ["EMPTIED", "remove_emptied"]


def remove_emptied(unit: Unit, window: EventWindow) -> None:
    """Remove what everybody left in a window, now that it is closed: the first rows at once, the others as due work."""
    definition = definition_of(window)
    if definition.lobby is not None or definition.teams is not None:
        EMPTIED.start_now(unit, window.window_id)


def _step(unit: Unit, window_id: str, cursor: Cursor) -> Cursor | None:
    window = unit.tx.get(WINDOWS, window_id)
    if window is None or window.status != "closed":
        return None
    stage, *place = cast("tuple[str, *tuple[str, ...]]", cursor or ("teams",))
    if stage == "teams":
        return _next_teams(unit, window, tuple(place))
    return _next_lobbies(unit, window, tuple(place))


# -- teams ----------------------------------------------------------------------------------------------------------------


def _next_teams(unit: Unit, window: EventWindow, place: Cursor) -> Cursor:
    """Look at the next teams, in the order of their keys; where one has more rows than a step removes, stay at it."""
    teams = unit.tx.scan(OF_WINDOW, window.window_id, after=place or None, limit=MOST_ROWS)
    rows_left = MOST_ROWS
    for team in teams:
        rows_left -= 1
        if team.seats and not team.members:
            removed = _remove_team(unit, team, rows_left)
            if removed is None:
                return ("teams", *place)
            rows_left -= removed
        place = OF_WINDOW.place_of(team)
        if rows_left <= 0:
            break
    return ("teams", *place) if len(teams) == MOST_ROWS or rows_left <= 0 else ("lobbies",)


def _remove_team(unit: Unit, team: Team, most: int) -> int | None:
    """Remove a team, with at most so many rows and one page of them at least.

    Gives their number, or `None` where some are left or something is still to be paid.
    """
    unlocks = unit.tx.scan(UNLOCKS_OF_TEAM, team.team_id)
    for unlock in unlocks:
        work = unit.tx.get(DUE, PAY.kind, ref_of(team.team_id, unlock.number))
        if unlock.paid_at is None and work is not None:
            PAY.run(unit, work)
            return None
    seats = unit.tx.scan(SEATS_OF_TEAM, team.team_id, limit=max(most, 1))
    for seat in seats:
        unit.tx.delete(SEATS, seat.seat_id)
    if len(seats) == max(most, 1):
        return None
    for unlock in unlocks:
        unit.tx.delete(UNLOCKS, unlock.team_id, unlock.number)
    unit.tx.delete(ENTRIES, team_board_id_in(unit, team.window_id), team.team_id)
    unit.tx.delete(TEAMS, team.team_id)
    return len(seats) + len(unlocks) + 1


# -- lobbies --------------------------------------------------------------------------------------------------------------


def _next_lobbies(unit: Unit, window: EventWindow, place: Cursor) -> Cursor | None:
    """Look at the next lobbies; where one has more entries than a step removes, stay at it."""
    lobbies = unit.tx.scan(LOBBIES_OF_WINDOW, window.window_id, "closed", after=place or None, limit=MOST_ROWS)
    rows_left = MOST_ROWS
    for lobby in lobbies:
        rows_left -= 1
        if _is_emptied(lobby):
            removed = _remove_lobby(unit, lobby, max(rows_left, 1))
            if removed is None:
                return ("lobbies", *place)
            rows_left -= removed
        place = (lobby.lobby_id,)
        if rows_left <= 0:
            break
    return ("lobbies", *place) if len(lobbies) == MOST_ROWS or rows_left <= 0 else None


def _remove_lobby(unit: Unit, lobby: Lobby, most: int) -> int | None:
    """Remove a lobby, with at most so many entries of its board; gives their number, or `None` where some are left."""
    entries = unit.tx.scan(REMOVED, lobby.board_id, limit=most)
    for entry in entries:
        unit.tx.delete(ENTRIES, entry.board_id, entry.participant)
    if len(entries) == most:
        return None
    unit.tx.delete(BOARDS, lobby.board_id)
    unit.tx.delete(LOBBIES, lobby.lobby_id)
    return len(entries)


def _is_emptied(lobby: Lobby) -> bool:
    """Whether everybody left a lobby while it was forming, so that nobody has played in it."""
    return lobby.started_at is None and not lobby.players and not lobby.bots


EMPTIED: Final = Job("competition.emptied", _step)
"""Removes what everybody left in the closed window whose id it is about."""
