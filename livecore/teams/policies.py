"""What merging and erasing players changes in teams and invitations.

A merge leaves one seat of two in a window that is not over: where both sit in one team, their contributions are one; where
they sit in different teams, the target's seat stays and the source leaves. Where only the source has a seat, the target
takes it. Seats in windows that are over stay as they are, because what they are paid must not depend on when the close
runs. Who is erased leaves the teams of windows that are not over; the name of every team that they founded is emptied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from livecore.access.audit import forget_changes
from livecore.events.definition import EventDefinition
from livecore.events.window_records import WINDOWS, is_over
from livecore.kernel.declarations.player_lifecycle import Erasing, Merging
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.players.policies import DELETED, placeholder
from livecore.teams.invites import INVITES, RECEIVED, SENT, Invite, end_invites_of, invite_between, is_open, sent_read
from livecore.teams.seating import give_seat_to, join_seats, leave_team, leaving_reads
from livecore.teams.team import SEATS, SEATS_OF_PLAYER, TEAMS, Team, TeamSeat, held_seat_read, teams_now
from livecore.teams.windows import definitions_in


@value
class _Held:
    """A seat in which a player sits in a window that is not over, with its team and the event as it is there."""

    seat: TeamSeat
    team: Team
    definition: EventDefinition | None


def unite_seats(unit: Unit, merging: Merging) -> None:
    """Leave the target one seat in each window that is not over."""
    seats = unit.tx.scan(SEATS_OF_PLAYER, merging.source_id)
    held = _held(unit, seats)
    # In each of these windows the source sits in one team, so no seat that is united changes the others.
    own = unit.tx.scan_all(held_seat_read(merging.target_id, found.seat.window_id) for found in held)
    kept = {seat.window_id: seat for seat in own}
    _read_to_leave(unit, (found for found in held if found.seat.window_id in kept))
    free = {found.seat.seat_id: found for found in held}
    for seat in seats:
        found = free.get(seat.seat_id)
        if found is None or seat.window_id not in kept:
            give_seat_to(unit, seat, merging.target_id)
        else:
            _unite_held(unit, merging, found, kept[seat.window_id])
    taken = [found.seat.window_id for found in held if found.seat.window_id not in kept]
    end_invites_of(unit, (merging.target_id,), taken)


def _held(unit: Unit, seats: Iterable[TeamSeat]) -> list[_Held]:
    """Those of a player's seats in which the player sits in a window that is not over.

    The row of a window that is over says so from then on, so that nobody takes two seats of one player for a fault.
    """
    standing = [seat for seat in seats if seat.standing is not None]
    windows = unit.tx.read_all(Get(WINDOWS, (seat.window_id,)) for seat in standing)
    over = {window.window_id: window for window in windows if window is not None and is_over(unit, window)}
    for window in over.values():
        if window.status == "active":
            unit.tx.put(WINDOWS, evolve(window, status="closing"))
    held = [seat for seat in standing if seat.window_id not in over]
    teams = teams_now(unit, (seat.team_id for seat in held))
    rows = {window.window_id: window for window in windows if window is not None}
    definitions = definitions_in(unit, teams, [rows.get(seat.window_id) for seat in held])
    return list(map(_Held, held, teams, definitions))


def _read_to_leave(unit: Unit, held: Iterable[_Held]) -> None:
    """Read together what leaving these seats, one after the other, reads."""
    unit.tx.read_all(read for found in held for read in leaving_reads(unit, found.team, found.seat, found.definition))


def _unite_held(unit: Unit, merging: Merging, found: _Held, kept: TeamSeat) -> None:
    """Unite a seat of the source with the one that the target has in the same window."""
    if kept.team_id == found.seat.team_id:
        join_seats(unit, found.seat, kept, found.definition)
        return
    leave_team(unit, found.seat, found.definition, "left")
    freed = unit.tx.get(SEATS, found.seat.seat_id)
    if freed is not None:
        give_seat_to(unit, freed, merging.target_id)


def unite_invites(unit: Unit, merging: Merging) -> None:
    """Give the target the source's invitations that have a purpose still; those that were accepted are forgotten."""
    invites = unit.tx.scan_all(Scan(index, (merging.source_id,)) for index in (SENT, RECEIVED))
    for invite in invites:
        unit.tx.delete(INVITES, invite.invite_id)
    moved = _to_move(unit, merging, invites)
    # Who has invited whom is read again for each, because one that was moved before may stand for the next.
    unit.tx.read_all(sent_read(one.window_id, player) for one in moved for player in (one.from_id, one.to_id))
    for one in moved:
        known = invite_between(unit, one.window_id, one.from_id, one.to_id)
        # Of two that are open between the same players, in whichever direction, the target's stays.
        between = (known, invite_between(unit, one.window_id, one.to_id, one.from_id))
        if any(invite is not None and is_open(invite, unit.now) for invite in between):
            continue
        if known is not None:
            unit.tx.delete(INVITES, known.invite_id)
        unit.tx.insert(INVITES, one)


def _to_move(unit: Unit, merging: Merging, invites: Iterable[Invite]) -> list[Invite]:
    """The open ones of the source's invitations as those of the target, in windows where neither of the two has a seat."""
    moved = [
        evolve(
            invite,
            from_id=merging.target_id if invite.from_id == merging.source_id else invite.from_id,
            to_id=merging.target_id if invite.to_id == merging.source_id else invite.to_id,
        )
        for invite in invites
        if is_open(invite, unit.now)
    ]
    windows = dict.fromkeys(invite.window_id for invite in moved)
    seats = unit.tx.scan_all(
        held_seat_read(player_id, window_id)
        for window_id in windows
        for player_id in (merging.source_id, merging.target_id)
    )
    seated = {seat.window_id for seat in seats}
    return [invite for invite in moved if invite.from_id != invite.to_id and invite.window_id not in seated]


def give_up_seats(unit: Unit, erasing: Erasing) -> None:
    """Leave the team in every window that is not over, and empty the names that this player has given."""
    seats = unit.tx.scan(SEATS_OF_PLAYER, erasing.player_id)
    _empty_names(unit, seats)
    held = _held(unit, seats)
    _read_to_leave(unit, held)
    for found in held:
        leave_team(unit, found.seat, found.definition, "left")


def _empty_names(unit: Unit, seats: Sequence[TeamSeat]) -> None:
    """Empty the names of the teams whose founder this is, or was first. Teams of the studio's own keep theirs."""
    founded = {}
    for seat, team in zip(seats, teams_now(unit, (seat.team_id for seat in seats)), strict=True):
        if team.formation != "external" and (seat.number == 1 or team.founder_seat == seat.seat_id):
            founded[team.team_id] = team
    for team in founded.values():
        if team.name is not None:
            unit.tx.put(TEAMS, evolve(team, name=placeholder(unit, DELETED)))
            forget_changes(unit.tx, "team", team.team_id)
