"""What answers show of teams: the list of events, a team's row, and the ids by which windows and boards are named."""

from __future__ import annotations

from typing import Any

from tests.laws.competing import Event, owner
from tests.laws.model_state import Call, Scope, stamps, told
from tests.laws.routes import Body
from tests.laws.teaming import Key, Team, Teams, ranks_teams, rules_of, size_of


def learn_window(scope: Scope, id_: str, where: Key) -> None:
    """A window has one id, and an id names one window."""
    windows = scope.part(Teams).windows
    assert windows.setdefault(id_, where) == where
    assert [known for known, named in windows.items() if named == where] == [id_]


def shows_teams(scope: Scope, row: Body, event: Event) -> None:
    """What a list of events says of an event's teams; it also tells the ids of its windows."""
    rules = rules_of(event)
    shown = None if rules is None else {"formation": rules["formation"], "size": {"min": 1, **size_of(rules)}}
    assert row["teams"] == shown
    for window in (row["window"], row["nextWindow"]):
        if window is not None:
            (begins,) = stamps(window, "startsAt")
            learn_window(scope, window["eventWindowId"], (event.key, begins or 0))
    if row["window"] is None:
        return
    board = row["window"]["teamLeaderboardId"]
    assert (board is not None) is ranks_teams(event)
    if board is not None:
        where = scope.part(Teams).windows[row["window"]["eventWindowId"]]
        assert scope.part(Teams).boards.setdefault(board, where) == where


def named_board(call: Call) -> Key | None:
    """The window whose board of teams a call names."""
    return call.scope.part(Teams).boards.get(call["leaderboardId"])


def is_team(scope: Scope, row: Body, team: Team) -> None:
    """The answer shows this team, and its members by what they have contributed."""
    team.id_, team.key = team.id_ or row["eventTeamId"], team.key or row["teamKey"]
    learn_window(scope, row["eventWindowId"], (team.event.key, team.starts_at))
    members = team.members
    expected: dict[str, Any] = {
        "eventTeamId": team.id_,
        "teamKey": team.key,
        "name": team.name,
        "formation": team.rules["formation"],
        "eventKey": team.event.key,
        "status": team.status,
        "memberCount": len(members),
        "maxMembers": team.size["max"],
        "score": team.score,
        "goal": team.goal,
        "completed": team.completed_at is not None,
        "finalRank": team.final_rank,
        "attributes": team.attributes,
        "milestones": team.milestones,
    }
    assert {name: told(row[name]) if name == "name" else row[name] for name in expected} == expected
    members = sorted(members, key=lambda seat: (-seat.contribution, seat.number))
    for rank, (shown, seat) in enumerate(zip(row["members"], members, strict=True), 1):
        seat.id_ = seat.id_ or shown["seatId"]
        assert (shown["seatId"], shown["contribution"], shown["rank"]) == (seat.id_, seat.contribution, rank)
        assert stamps(shown, "joinedAt") == [seat.joined_at]
        found, name = owner(scope, seat.player), shown["externalPlayerId"]
        assert name.startswith("__deleted_") if found is None else name == found.name
