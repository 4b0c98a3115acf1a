"""The part of a window's close that is about teams, in bounded pieces.

First the teams that stand on the board, in the order of their ranks: each is final with its rank, and its members are paid
what the rank wins. Then those without a place. Last of all, the invitations of the window are deleted, and
what its teams have paid is forgotten. A cursor is

    (rank, seat, *place)  the ranks up to this one, which has this place, are paid; of the next team, the seats up to `seat`
    ("rest",)             every team with a rank is final
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from livecore.events.window_records import EventWindow, definition_of
from livecore.kernel.declarations.jobs import Cursor
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.leaderboards.boards import BOARDS, BY_RANK, Leaderboard
from livecore.leaderboards.rewards import reward_of_rank
from livecore.teams.config import TEAM_RULES, TeamRules, ranks_teams
from livecore.teams.invites import INVITES, INVITES_OF_WINDOW
from livecore.teams.payments import forget_payments
from livecore.teams.rewards import Share, pay_members, seats_to_pay
from livecore.teams.scores import team_board_id_in
from livecore.teams.team import OPEN_IN, TEAMS, Team, goal_of, of_team, teams_now
from livecore.teams.webhook_events import TeamFinalized

_REST: Final[Cursor] = ("rest",)
_AT_ONCE: Final = 20
"""How many teams with a rank are read together at most."""


@keyword_value
class Finalized:
    """How far the teams of a window are final."""

    following: Cursor | None
    """Where to go on; `None`: all of it is done."""
    rows: int
    granted: int


def finalize_teams(unit: Unit, window: EventWindow, cursor: Cursor, most: int) -> Finalized:
    """Make the next teams of a window final and pay them, handling at most so many rows."""
    definition = definition_of(window)
    board = unit.tx.get(BOARDS, team_board_id_in(unit, window.window_id)) if ranks_teams(definition) else None
    rules = TEAM_RULES.of(definition)
    rows, granted = 0, 0
    following: Cursor | None = cursor
    if board is None or rules is None:
        following = _REST
    while following is not None and rows < most:
        if following == _REST or board is None or rules is None:
            following, handled = _rest(unit, window, rules, board, most - rows)
            rows += handled
            continue
        following, handled, paid = _ranked(unit, board, rules, following, most - rows)
        rows, granted = rows + handled, granted + paid
    return Finalized(following=following, rows=rows, granted=granted)


def _ranked(unit: Unit, board: Leaderboard, rules: TeamRules, cursor: Cursor, most: int) -> tuple[Cursor, int, int]:
    """Handle the next teams with a rank, or some members of one; gives where to go on, the rows and the grants."""
    rank, seat, *rest = cast("tuple[int, int, *tuple[Any, ...]]", cursor or (0, 0))
    position: Cursor = tuple(rest)
    entries = unit.tx.scan(BY_RANK, board.board_id, after=position or None, limit=min(most, _AT_ONCE))
    if not entries:
        return _REST, 1, 0
    teams = teams_now(unit, (entry.participant for entry in entries))
    shares = list(_shares(rules, teams, rank, seat, most))
    rows = granted = 0
    for entry, share, seats in zip(entries, shares, seats_to_pay(unit, shares), strict=False):
        if share.most != most - rows:
            # The teams before it had other seats to pay than they count.
            break
        if share.team.finalized_at is None:
            _finalize(unit, share.team, rules, rank + 1, board)
        paid = pay_members(unit, share, seats)
        rows, granted = rows + 1 + paid.seats, granted + paid.granted
        if paid.following is not None:
            return (rank, paid.following, *position), rows, granted
        rank, position = rank + 1, BY_RANK.position_of(entry)
    return (rank, 0, *position), rows, granted


def _shares(rules: TeamRules, teams: Sequence[Team], rank: int, seat: int, most: int) -> Iterator[Share]:
    """What the teams after a rank win, as far as so many rows go; of the first one the seats up to `seat` are paid."""
    for number, team in enumerate(teams, rank + 1):
        if most <= 0:
            return
        won = reward_of_rank(rules.rank_rewards, number)
        yield Share(team=team, entries=won, paid_up_to=seat, most=most)
        most -= 1 + (min(most, team.members) if won else 0)
        seat = 0


def _rest(
    unit: Unit, window: EventWindow, rules: TeamRules | None, board: Leaderboard | None, most: int
) -> tuple[Cursor | None, int]:
    """Handle teams without a rank, which leave the index, and then invitations, which are deleted."""
    teams = unit.tx.scan(OPEN_IN, window.window_id, limit=most)
    for team in teams:
        _finalize(unit, team, rules, None, board)
    left = most - len(teams)
    invites = unit.tx.scan(INVITES_OF_WINDOW, window.window_id, limit=left) if left else []
    for invite in invites:
        unit.tx.delete(INVITES, invite.invite_id)
    handled = len(teams) + len(invites)
    if handled == most:
        return _REST, handled
    forget_payments(unit, window.window_id)
    return None, max(1, handled)


def _finalize(unit: Unit, team: Team, rules: TeamRules | None, rank: int | None, board: Leaderboard | None) -> Team:
    team = unit.tx.put(TEAMS, evolve(team, open_in=None, room=None, rank=rank, finalized_at=unit.now))
    unit.emit(
        TeamFinalized(
            **of_team(team),
            rank=rank,
            board_size=None if board is None else board.entry_count or 0,
            segment_values=None if board is None else {},
            score=team.score,
            goal_target=goal_of(rules, team),
            completed=team.completed_at is not None,
            member_count=team.members,
            finalized_at=Timestamp(unit.now),
        )
    )
    return team
