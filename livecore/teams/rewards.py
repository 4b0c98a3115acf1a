"""What the members of a team win together, paid to every seat once.

A reward is for the seats in which somebody sits when it is won, but for players whom another team of the window has paid for
the same (`livecore.teams.payments`). In a small team all of them are paid in the same
transaction. In a large one a job pays them in steps; it goes by the numbers of the seats, and pays also who has left in the
meantime, because a seat says how much the team had won when its player left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from livecore.economy.rows import RewardEntry
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.leaderboards.rewards import Source, reward
from livecore.players.player import PLAYERS, Player
from livecore.teams.payments import first_payments, forget_payments
from livecore.teams.team import (
    MEMBERS,
    SEATS_OF_TEAM,
    UNLOCKS,
    Team,
    TeamSeat,
    TeamUnlock,
    members_of,
    team_now,
)
from livecore.teams.windows import rules_in

MOST_AT_ONCE: Final = 50
"""The largest team whose members are paid in the transaction in which they win."""


def ref_of(team_id: str, number: int) -> str:
    """What the job that pays something won is about."""
    return f"{team_id}/{number}"


def pay_unlocked(unit: Unit, team: Team, entries: tuple[RewardEntry, ...], milestone: str | None) -> int | None:
    """Pay what a team has just unlocked, a milestone or its goal (`None`); returns how many seats have been paid.

    `None` says that a job will pay them. What wins nothing is paid to every seat. The caller has counted it in
    `team.unlocks`.
    """
    at_once = team.members <= MOST_AT_ONCE or not entries
    unit.tx.insert(
        UNLOCKS,
        TeamUnlock(
            team_id=team.team_id,
            number=team.unlocks,
            milestone=milestone,
            last_seat=team.seats,
            unlocked_at=unit.now,
            paid_at=unit.now if at_once else None,
            unpaid_in=None if at_once else team.window_id,
        ),
    )
    if not at_once:
        PAY.start(unit, ref_of(team.team_id, team.unlocks))
        return None
    if not entries:
        return team.members
    return _pay_once(unit, team, members_of(unit, team.team_id), entries, milestone)


def _source(milestone: str | None) -> Source:
    return "event_team_goal" if milestone is None else "event_team_milestone"


def _pay_once(
    unit: Unit, team: Team, seats: Sequence[TeamSeat], entries: tuple[RewardEntry, ...], milestone: str | None
) -> int:
    """Pay a milestone, or the goal, to those of these seats that win it; returns how many these are."""
    winning = first_payments(unit, team, seats, milestone)
    _pay(unit, team, winning, entries, _source(milestone))
    return len(winning)


def _pay(unit: Unit, team: Team, players: Iterable[Player], entries: tuple[RewardEntry, ...], source: Source) -> int:
    grants = [reward(unit, player, entries, source, team.team_id) for player in players]
    return sum(grant is not None for grant in grants)


# -- large teams ----------------------------------------------------------------------------------------------------------


def _pay_step(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
    team_id, _, number = ref.rpartition("/")
    unlock = unit.tx.get(UNLOCKS, team_id, int(number))
    if unlock is None or unlock.paid_at is not None:
        return None
    team = team_now(unit, team_id)
    seats = unit.tx.scan(SEATS_OF_TEAM, team_id, after=cursor or None, stop=(unlock.last_seat + 1,), limit=MOST_ROWS)
    won = [seat for seat in seats if seat.unlocks_by_then is None or seat.unlocks_by_then >= unlock.number]
    entries = _entries_of(unit, team, unlock)
    if entries:
        _pay_once(unit, team, won, entries, unlock.milestone)
    if len(seats) == MOST_ROWS:
        return SEATS_OF_TEAM.position_of(seats[-1])
    unit.tx.put(UNLOCKS, evolve(unlock, paid_at=unit.now, unpaid_in=None))
    forget_payments(unit, team.window_id)
    return None


def _entries_of(unit: Unit, team: Team, unlock: TeamUnlock) -> tuple[RewardEntry, ...]:
    rules = rules_in(unit, team)
    if rules is None:
        return ()
    if unlock.milestone is None:
        return rules.goal_rewards
    return next((known.entries for known in rules.milestones if known.key == unlock.milestone), ())


PAY: Final = Job("teams.pay", _pay_step)
"""Pays what a large team has won to its seats, page by page."""


# -- ranks ----------------------------------------------------------------------------------------------------------------


@keyword_value
class PaidMembers:
    """How far the members of a team are paid."""

    seats: int
    """How many seats were handled."""
    granted: int
    """How many grants were made for them."""
    following: int | None
    """The number of the last seat that was paid, to go on after it; `None`: every member is paid."""


@keyword_value
class Share:
    """The reward of a team's rank, for its next members."""

    team: Team
    entries: tuple[RewardEntry, ...]
    paid_up_to: int
    """The number of the last seat that was paid."""
    most: int
    """How many seats are paid at most."""


def seats_to_pay(unit: Unit, shares: Sequence[Share]) -> list[list[tuple[TeamSeat, Player]]]:
    """The next members of each of these teams with their players; nobody where nothing is won."""
    won = [share for share in shares if share.entries]
    found = unit.tx.read_all(
        Scan(MEMBERS, (share.team.team_id,), start=(share.paid_up_to + 1,), limit=share.most) for share in won
    )
    seats = {share.team.team_id: of_team for share, of_team in zip(won, found, strict=True)}
    rows = unit.tx.read_all(Get(PLAYERS, (seat.player_id,)) for of_team in found for seat in of_team)
    players = {player.player_id: player for player in rows if player is not None}
    return [
        [(seat, players[seat.player_id]) for seat in seats.get(share.team.team_id, ()) if seat.player_id in players]
        for share in shares
    ]


def pay_members(unit: Unit, share: Share, seats: Sequence[tuple[TeamSeat, Player]]) -> PaidMembers:
    """Pay a share to the members of these seats, as `seats_to_pay` gives them."""
    granted = _pay(unit, share.team, (player for _, player in seats), share.entries, "event_team_rank")
    following = seats[-1][0].number if len(seats) == share.most else None
    return PaidMembers(seats=len(seats), granted=granted, following=following)
