"""What the rows of teams must look like whenever the power went."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tests.laws.rows import PlaceRows

ID_OF_KIND: Final = {
    "event_team.formed": "eventTeamId",
    "event_team.member_joined": "seatId",
    "event_team.member_left": "seatId",
    "event_team.milestone_unlocked": "eventTeamId",
    "event_team.goal_completed": "eventTeamId",
    "event_team.finalized": "eventTeamId",
}
"""By which id an event and its row are matched."""
_REWARDED: Final = 2
"""How many ranks of this game's teams win something."""


def told_of_teams(rows: PlaceRows) -> Iterator[tuple[str, str]]:
    """What must have been told: each a kind of event, and the id in it."""
    for team in rows.tables.get("event_teams", []):
        yield "event_team.formed", team.team_id
        if team.completed_at is not None:
            yield "event_team.goal_completed", team.team_id
        if team.finalized_at is not None:
            yield "event_team.finalized", team.team_id
    for seat in rows.tables.get("event_team_seats", []):
        yield "event_team.member_joined", seat.seat_id
        if seat.left_at is not None:
            yield "event_team.member_left", seat.seat_id
    for unlock in rows.tables.get("event_team_unlocks", []):
        if unlock.milestone is not None:
            yield "event_team.milestone_unlocked", unlock.team_id


def told_of_removed(rows: PlaceRows, told: Counter[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same of teams that everybody left, whose rows are gone with their window: who came has left."""
    teams = {team.team_id for team in rows.tables.get("event_teams", [])}
    seats = {seat.seat_id for seat in rows.tables.get("event_team_seats", [])}
    for kind, id_ in told:
        name = ID_OF_KIND.get(kind)
        if name == "eventTeamId" and id_ not in teams:
            assert told["event_team.formed", id_] == 1
            yield kind, id_
        if name == "seatId" and id_ not in seats:
            assert told["event_team.member_joined", id_] == told["event_team.member_left", id_] == 1
            yield kind, id_


def removed_seats(rows: PlaceRows) -> Iterator[tuple[str, str]]:
    """The team and the player of each seat whose row is gone with its team, as events tell; each was taken and left."""
    there = {seat.seat_id for seat in rows.tables.get("event_team_seats", [])}
    for row in rows.tables.get("webhook_events", []):
        if row.kind == "event_team.member_joined":
            data = json.loads(row.data)
            if data["seatId"] not in there:
                yield data["eventTeamId"], data["playerId"]


def check_teams(rows: PlaceRows) -> None:
    """Nobody sits in two teams at once, scores are what members have contributed, and each reward is paid once."""
    teams: dict[str, Any] = {team.team_id: team for team in rows.tables.get("event_teams", [])}
    seats = rows.tables.get("event_team_seats", [])
    sitting = [seat for seat in seats if seat.left_at is None]
    assert set(Counter((seat.player_id, seat.window_id) for seat in sitting).values()) <= {1}
    members = Counter(seat.team_id for seat in sitting)
    contributed: Counter[str] = Counter()
    for seat in sitting:
        contributed[seat.team_id] += seat.contribution
    for team_id, team in teams.items():
        assert (team.members, team.score) == (members[team_id], contributed[team_id])
        assert team.members <= team.seats
    _check_rewards(rows, teams, seats)


def _check_rewards(rows: PlaceRows, teams: dict[str, Any], seats: list[Any]) -> None:
    """Who sat in a team when it unlocked something has one grant for it of one such team, and nobody else has one.

    The game's teams have one milestone, so that the kind of a grant says for what it is.
    """
    winners: dict[tuple[Any, ...], set[str]] = {}
    for unlock in rows.tables.get("event_team_unlocks", []):
        source = "event_team_goal" if unlock.milestone is None else "event_team_milestone"
        for seat in seats:
            there = seat.unlocks_by_then is None or seat.unlocks_by_then >= unlock.number
            if seat.team_id == unlock.team_id and seat.number <= unlock.last_seat and there:
                winners.setdefault((source, seat.window_id, seat.player_id), set()).add(seat.team_id)
    _check_won_once(rows, teams, winners)
    expected: Counter[tuple[Any, ...]] = Counter()
    closed = {window.window_id for window in rows.tables.get("event_windows", []) if window.status == "closed"}
    for seat in seats:
        team = teams[seat.team_id]
        if seat.left_at is None and team.window_id in closed and team.rank is not None and team.rank <= _REWARDED:
            expected["event_team_rank", seat.team_id, seat.player_id] += 1
    paid: Counter[tuple[Any, ...]] = Counter(
        (grant.source_kind, grant.source_ref_id, grant.player_id)
        for grant in rows.grants
        if grant.source_kind == "event_team_rank" and teams[str(grant.source_ref_id)].window_id in closed
    )
    assert paid == expected, (paid - expected, expected - paid)


def _check_won_once(rows: PlaceRows, teams: dict[str, Any], winners: dict[tuple[Any, ...], set[str]]) -> None:
    """`winners` says whom a milestone or a goal of a window is paid to, and by which teams it could be."""
    paid: Counter[tuple[Any, ...]] = Counter()
    for grant in rows.grants:
        if grant.source_kind in {"event_team_milestone", "event_team_goal"}:
            team_id = str(grant.source_ref_id)
            won = grant.source_kind, teams[team_id].window_id, grant.player_id
            assert team_id in winners[won]
            paid[won] += 1
    assert paid == Counter(dict.fromkeys(winners, 1))
