"""The leaderboards of events: their pages, entries that are taken away, and windows that are ended at once."""

from __future__ import annotations

from typing import Final

from tests.laws.area import Area, Operation
from tests.laws.areas.events import close, event_of, in_window
from tests.laws.competing import Attempt, Bot, Lobby, Placed, Segment, Window, events_of, expired, owner
from tests.laws.lobbying import attempt_ended
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, stamp, stamps, told
from tests.laws.routes import Body
from tests.laws.teaming import Key, Team, is_over, ranking, ranks_teams
from tests.laws.teams_shown import named_board


def _board(call: Call) -> tuple[Window, Segment]:
    for event in events_of(call.scope).values():
        for window in event.windows:
            for segment, id_ in window.boards.items():
                if id_ == call["leaderboardId"]:
                    return window, segment
    raise Refused(404, "leaderboard_not_found")


def _get_board(call: Call) -> Reply:
    of_teams = named_board(call)
    if of_teams is not None:
        return _get_team_board(call, of_teams)
    window, segment = _board(call)
    if call["around"] is not None and call["cursor"] is not None:
        raise Refused(400, "validation_failed")
    ranked = window.board(segment)
    near = [who for who, *_ in ranked if _named(call, who)]
    if call["around"] is not None and not near:
        raise Refused(404, "leaderboard_entry_not_found")

    def check(data: Body) -> None:
        board, rows = data["leaderboard"], data["entries"]
        of_lobby = isinstance(segment, Lobby)
        shown = (None, segment.id_) if of_lobby else (None if segment in window.emptied else segment, None)  # type: ignore[union-attr] # it is a lobby
        assert (board["segment"], board["lobbyId"], board["entryCount"]) == (*shown, len(ranked))
        assert board["status"] == ("finalized" if window.is_final(segment) else "open")
        ends_at = segment.closed_at if of_lobby and segment.final is not None else window.ends_at  # type: ignore[union-attr] # it is a lobby
        assert stamps(board, "startsAt", "endsAt") == [window.starts_at, ends_at]
        first = rows[0]["rank"] if rows else 1
        assert len(rows) == min(call["limit"] or 50, len(ranked))
        if call["around"] is None:
            assert first == 1
        else:
            assert any(row["externalPlayerId"] == call["around"] for row in rows)
        assert (data["nextCursor"] is None) == (first - 1 + len(rows) == len(ranked))
        for place, row in enumerate(rows, first):
            _is_entry(call.scope, ranked[place - 1], place, row)

    return Reply(check=check)


def _get_team_board(call: Call, where: Key) -> Reply:
    """The teams of a window; around a player there is the player's team."""
    if call["around"] is not None and call["cursor"] is not None:
        raise Refused(400, "validation_failed")
    ranked = ranking(call.scope, where)
    near = [team.id_ for team in ranked if call["around"] in _names_in(call.scope, team)]
    if call["around"] is not None and not near:
        raise Refused(404, "leaderboard_entry_not_found")
    is_final = is_over(call.scope, where)

    def check(data: Body) -> None:
        board, rows = data["leaderboard"], data["entries"]
        shown = [board[name] for name in ("participantScope", "eventKey", "segment", "lobbyId", "entryCount", "status")]
        assert shown == ["team", where[0], None, None, len(ranked), "finalized" if is_final else "open"]
        assert stamps(board, "startsAt") == [where[1]]
        assert len(rows) == min(call["limit"] or 50, len(ranked))
        first = rows[0]["rank"] if rows else 1
        assert first == 1 if call["around"] is None else any(row["eventTeamId"] in near for row in rows)
        assert (data["nextCursor"] is None) == (first - 1 + len(rows) == len(ranked))
        for rank, row in enumerate(rows, first):
            _is_team_entry(ranked[rank - 1], rank, row)

    return Reply(check=check)


def _names_in(scope: Scope, team: Team) -> set[str]:
    found = (owner(scope, seat.player) for seat in team.members)
    return {player.name for player in found if player is not None}


def _is_team_entry(team: Team, rank: int, row: Body) -> None:
    """A team's entry has nothing of a player."""
    assert {**row, "name": told(row["name"])} == {
        "rank": rank,
        "name": team.name or team.key,
        "score": team.score,
        "reachedAt": row["reachedAt"],
        "isBot": False,
        "eventTeamId": team.id_,
        "teamKey": team.key,
        "memberCount": len(team.members),
    }
    assert stamps(row, "reachedAt") == [team.reached_at]


def _named(call: Call, who: Player | Bot) -> bool:
    found = owner(call.scope, who)
    return found is not None and found.name == call["around"]


def _is_entry(scope: Scope, placed: Placed, rank: int, row: Body) -> None:
    who, score, reached_at, _ = placed
    assert (row["rank"], row["score"], stamp(row["reachedAt"])) == (rank, score, reached_at)
    assert row["isBot"] is isinstance(who, Bot)
    found = owner(scope, who)
    if isinstance(who, Bot):
        assert (row["externalPlayerId"], row["playerId"], row["country"]) == (None, None, None)
    elif found is None:
        assert row["externalPlayerId"].startswith("__deleted_")
    else:
        assert row["externalPlayerId"] == found.name


def _end_now(call: Call) -> Reply:
    if call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    event = event_of(call, "eventKey")
    window, span, events = event.present(call.now), event.following(), []
    if window is None and span is not None and span[0] <= call.now < span[1]:
        window, events = event.open(span), ["window.opened"]
    if window is None:
        return Reply(check=lambda data: _equals(data["windows"], []), move="window: none to end")
    window.ends_at = call.now
    lobbies = sum(lobby.status != "closed" for lobby in window.lobbies)
    closed, ended, paid = close(call.scope, window, call.now)
    boards = len(window.final or {}) + ranks_teams(event)

    def check(data: Body) -> None:
        (row,) = data["windows"]
        done = [row[name] for name in ("attemptsExpired", "leaderboardsFinalized", "grantsCreated", "lobbiesClosed")]
        assert done == [ended, boards, paid, lobbies]

    return Reply(200, (*events, *closed), check, "window: active -request-> closed")


def _equals(found: object, expected: object) -> None:
    assert found == expected


def _remove(call: Call) -> Reply:
    of_teams = named_board(call)
    if of_teams is not None:
        if is_over(call.scope, of_teams):
            raise Refused(409, "leaderboard_finalized")
        return Reply(check=lambda data: _equals(data, {"removed": False}), move="entry: none to remove")
    window, segment = _board(call)
    if window.is_final(segment):
        raise Refused(409, "leaderboard_finalized")
    sign = 1 if window.event.declared.get("order") == "asc" else -1
    own = [row for row in in_window(call.me, window) if row.stands and row.segment == segment]
    if not own:
        return Reply(check=lambda data: _equals(data, {"removed": False}), move="entry: none to remove")
    stood = min(own, key=lambda row: (sign * (row.score or 0), row.reached_at or 0, row.id_))
    events: list[str] = []
    ended: list[Attempt] = []
    for attempt in own:
        attempt.reached_at = None
        if attempt.status == "in_progress":
            events += expired(attempt, call.now)
            ended.append(attempt)
        elif attempt is stood:
            attempt.status, attempt.completed_at = "expired", None
    for attempt in ended:
        events += attempt_ended(call.scope, attempt, "expired", call.now)
    return Reply(200, tuple(events), lambda data: _equals(data, {"removed": True}), "entry of an event: removed")


AREA: Final = Area(
    operations=(
        Operation("server:dev.endWindow", _end_now, about="nobody", refuses="test_environment_only event_not_found"),
        Operation(
            "sdk:leaderboards.getEvent",
            _get_board,
            about="nobody",
            shows_secret=False,
            refuses="leaderboard_not_found leaderboard_entry_not_found validation_failed",
        ),
        Operation(
            "server:leaderboards.removeEventEntry",
            _remove,
            refuses="leaderboard_not_found leaderboard_finalized",
            seldom="leaderboard_entry_not_found",
        ),
    ),
    transitions=(
        "entry of an event: removed",
        "entry: none to remove",
        "window: active -request-> closed",
        "window: none to end",
    ),
)
