"""What merging and erasing players changes in teams and invitations.

A merge leaves one seat of two in a window that is not over: where both sit in one team, their contributions are one; where
they sit in different teams, the target's seat stays and the source leaves. Where only the source has a seat, the target
takes it. Seats in windows that are over stay as they are, because what they are paid must not depend on when the close
runs. Who is erased leaves the teams of windows that are not over; the name of every team that they founded is emptied.
"""

from __future__ import annotations

from livecore.access.audit import forget_changes
from livecore.competition.windows import WINDOWS, is_over
from livecore.kernel.player_lifecycle import Erasing, Merging
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.players.policies import DELETED, placeholder
from livecore.teams.invites import INVITES, RECEIVED, SENT, Invite, end_invites_of, invite_between, is_open
from livecore.teams.places import definition_in
from livecore.teams.seating import give_seat_to, join_seats, leave_team
from livecore.teams.team import SEATS, SEATS_OF_PLAYER, TEAMS, TeamSeat, held_seat, team_now

__all__ = ["give_up_seats", "unite_invites", "unite_seats"]


def unite_seats(unit: Unit, merging: Merging) -> None:
    """Leave the target one seat in each window that is not over."""
    for seat in unit.tx.scan(SEATS_OF_PLAYER, merging.source_id):
        if seat.standing is None or _is_over(unit, seat.window_id):
            give_seat_to(unit, seat, merging.target_id)
        else:
            _unite_held(unit, merging, seat)


def _is_over(unit: Unit, window_id: str) -> bool:
    """Whether a window is over; its row says so from then on, so that nobody takes two seats of one player for a fault."""
    window = unit.tx.get(WINDOWS, window_id)
    if window is None or not is_over(unit, window):
        return False
    if window.status == "active":
        unit.tx.put(WINDOWS, evolve(window, status="closing"))
    return True


def _unite_held(unit: Unit, merging: Merging, seat: TeamSeat) -> None:
    kept = held_seat(unit, merging.target_id, seat.window_id)
    definition = definition_in(unit, team_now(unit, seat.team_id))
    if kept is None:
        give_seat_to(unit, seat, merging.target_id)
        end_invites_of(unit, merging.target_id, seat.window_id)
    elif kept.team_id == seat.team_id:
        join_seats(unit, seat, kept, definition)
    else:
        leave_team(unit, seat, definition, "left")
        freed = unit.tx.get(SEATS, seat.seat_id)
        if freed is not None:
            give_seat_to(unit, freed, merging.target_id)


def unite_invites(unit: Unit, merging: Merging) -> None:
    """Give the target the source's invitations that have a purpose still; those that were accepted are forgotten."""
    for invite in (*unit.tx.scan(SENT, merging.source_id), *unit.tx.scan(RECEIVED, merging.source_id)):
        unit.tx.delete(INVITES, invite.invite_id)
        moved = evolve(
            invite,
            from_id=merging.target_id if invite.from_id == merging.source_id else invite.from_id,
            to_id=merging.target_id if invite.to_id == merging.source_id else invite.to_id,
        )
        if _has_purpose(unit, merging, moved):
            known = invite_between(unit, moved.window_id, moved.from_id, moved.to_id)
            if known is not None:
                unit.tx.delete(INVITES, known.invite_id)
            unit.tx.insert(INVITES, moved)


def _has_purpose(unit: Unit, merging: Merging, moved: Invite) -> bool:
    seated = any(
        held_seat(unit, player_id, moved.window_id) is not None for player_id in (merging.source_id, merging.target_id)
    )
    # Of two that are open between the same players, in whichever direction, the target's stays.
    between = ((moved.from_id, moved.to_id), (moved.to_id, moved.from_id))
    known = (invite_between(unit, moved.window_id, *players) for players in between)
    open_ = any(invite is not None and is_open(invite, unit.now) for invite in known)
    return is_open(moved, unit.now) and moved.from_id != moved.to_id and not seated and not open_


def give_up_seats(unit: Unit, erasing: Erasing) -> None:
    """Leave the team in every window that is not over, and empty the names that this player has given."""
    for seat in unit.tx.scan(SEATS_OF_PLAYER, erasing.player_id):
        _empty_name(unit, seat)
        if seat.standing is not None and not _is_over(unit, seat.window_id):
            leave_team(unit, seat, definition_in(unit, team_now(unit, seat.team_id)), "left")


def _empty_name(unit: Unit, seat: TeamSeat) -> None:
    """Empty the name of a team whose founder this is, or was first. Teams of the studio's own keep theirs."""
    team = team_now(unit, seat.team_id)
    if team.formation == "external" or team.name is None:
        return
    if seat.number == 1 or team.founder_seat == seat.seat_id:
        unit.tx.put(TEAMS, evolve(team, name=placeholder(unit, DELETED)))
        forget_changes(unit.tx, "team", team.team_id)
