"""Teams that everybody left are removed once their window is closed.

A team goes with the seats of those who left it, with what it had won, and with its removed entry on the board of teams. What
it has won is paid before it goes: a reward is owed to the seats of the moment in which it was won.
"""

from __future__ import annotations

from livecore.events.format import ClosingStep
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import ENTRIES
from livecore.teams.rewards import PAY, ref_of
from livecore.teams.scores import team_board_id_in
from livecore.teams.team import OF_WINDOW, SEATS, SEATS_OF_TEAM, TEAMS, UNLOCKS, UNLOCKS_OF_TEAM, Team


def remove_empty_teams(step: ClosingStep, position: Cursor) -> Cursor | None:
    """Look at the next teams, in the order of their keys; where one has more rows than a step removes, stay at it."""
    unit, window = step.unit, step.window
    teams = unit.tx.scan(OF_WINDOW, window.window_id, after=position or None, limit=MOST_ROWS)
    rows_left = MOST_ROWS
    for team in teams:
        rows_left -= 1
        if team.seats and not team.members:
            removed = _remove_team(unit, team, rows_left)
            if removed is None:
                return position
            rows_left -= removed
        position = OF_WINDOW.position_of(team)
        if rows_left <= 0:
            break
    return position if len(teams) == MOST_ROWS or rows_left <= 0 else None


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
