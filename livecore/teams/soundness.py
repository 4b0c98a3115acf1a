"""The invariants of teams.

teams   each counts its members, no more than it may have, one of whom is the founder where players form teams; its score is
        what its members have contributed and what those who left have, unless it stopped at its goal
seats   each is a player's in a team, and no player sits in two teams of a window that is not over
unlocks each is paid, or will be
payments each is of a window of which something is still to come: it is open, or is being closed, or rewards are being paid
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.events.definition import EventDefinition
from livecore.events.window_records import WINDOWS, definition_of
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.due import DUE
from livecore.teams.config import TEAM_RULES
from livecore.teams.payments import FORGET, PAYMENTS, TeamPayment
from livecore.teams.rewards import PAY, ref_of
from livecore.teams.scores import is_frozen
from livecore.teams.team import HELD, MEMBERS, SEATS, TEAMS, UNLOCKS, UNPAID_IN, Team, TeamSeat, TeamUnlock


def _team_needs(team: Team) -> Iterator[AnyRead]:
    yield Get(WINDOWS, (team.window_id,))
    yield Scan(MEMBERS, (team.team_id,))


def _judge_team(reader: Reader, team: Team) -> Iterator[str]:
    members = all_under(reader, MEMBERS, team.team_id)
    if len(members) != team.members:
        yield f"counts {team.members} members, and has {len(members)}"
    if team.founder_seat is None:
        if team.members and team.formation != "external":
            yield "has members and no founder"
    elif team.founder_seat not in {member.seat_id for member in members}:
        yield "has a founder who is not in it"
    if team.open_in != (team.window_id if team.finalized_at is None else None):
        yield "says otherwise in which window it is open"
    window = reader.get(WINDOWS, (team.window_id,))
    if window is None:
        return
    if window.status == "closed" and team.finalized_at is None:
        yield "is not final in a window that is closed"
    yield from _judge_score(definition_of(window), team, members)


def _judge_score(definition: EventDefinition, team: Team, members: list[TeamSeat]) -> Iterator[str]:
    rules = TEAM_RULES.of(definition)
    if rules is None:
        return
    if team.members > rules.seats.max:
        yield f"has {team.members} members in {rules.seats.max} seats"
    contributed = sum(member.contribution for member in members) + team.departed
    if not is_frozen(rules, team) and contributed != team.score:
        yield f"has the score {team.score}, and its members have contributed {contributed}"


def _seat_needs(seat: TeamSeat) -> Iterator[AnyRead]:
    yield Get(TEAMS, (seat.team_id,))
    yield Get(WINDOWS, (seat.window_id,))
    yield Scan(HELD, (seat.player_id, seat.window_id))


def _judge_seat(reader: Reader, seat: TeamSeat) -> Iterator[str]:
    team = reader.get(TEAMS, (seat.team_id,))
    if team is None or team.window_id != seat.window_id:
        yield "is in a team that does not exist"
        return
    if (seat.standing is None) != (seat.left_at is not None):
        yield "says otherwise when its player left"
    window = reader.get(WINDOWS, (seat.window_id,))
    # A merge after the end of a window leaves both seats of its players.
    if seat.standing is None or (window is not None and window.status != "active"):
        return
    for other in all_under(reader, HELD, seat.player_id, seat.window_id):
        if other.seat_id != seat.seat_id:
            yield f"is not the player's only one in the window: there is {other.seat_id}"


def _unlock_needs(unlock: TeamUnlock) -> Iterator[AnyRead]:
    yield Get(TEAMS, (unlock.team_id,))
    yield Get(DUE, (PAY.kind, ref_of(unlock.team_id, unlock.number)))


def _judge_unlock(reader: Reader, unlock: TeamUnlock) -> Iterator[str]:
    team = reader.get(TEAMS, (unlock.team_id,))
    if team is None or unlock.number > team.unlocks:
        yield "belongs to a team that does not exist, or that has not unlocked so much"
    if unlock.paid_at is None and reader.get(DUE, (PAY.kind, ref_of(unlock.team_id, unlock.number))) is None:
        yield "is not paid, and will not be"
    if unlock.paid_at is not None and unlock.unpaid_in is not None:
        yield "is paid, and counts as unpaid"


def _payment_needs(payment: TeamPayment) -> Iterator[AnyRead]:
    yield Get(WINDOWS, (payment.window_id,))
    yield Get(DUE, (FORGET.kind, payment.window_id))
    yield Scan(UNPAID_IN, (payment.window_id,))


def _judge_payment(reader: Reader, payment: TeamPayment) -> Iterator[str]:
    window = reader.get(WINDOWS, (payment.window_id,))
    if window is None:
        yield "is of a window that does not exist"
    elif (
        window.status == "closed"
        and reader.get(DUE, (FORGET.kind, payment.window_id)) is None
        and not all_under(reader, UNPAID_IN, payment.window_id)
    ):
        yield "is of a window that is closed, and will not be deleted"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=TEAMS, needs=_team_needs, judge=_judge_team),
    Rule(table=SEATS, needs=_seat_needs, judge=_judge_seat),
    Rule(table=UNLOCKS, needs=_unlock_needs, judge=_judge_unlock),
    Rule(table=PAYMENTS, needs=_payment_needs, judge=_judge_payment),
)
