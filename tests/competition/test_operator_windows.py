"""Events, windows, attempts, lobbies and teams as the studio's members read them (contract, "Operators")."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.events.attempt_records import ATTEMPTS
from livecore.events.window_records import WINDOWS
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import attempt_row, board_id, gold, progress, score, started
from tests.lobbies.groups import arena, came, filled, lobby_of
from tests.teams.groups import crew, crews, put_roster
from tests.worlds import Reply, ask, config, rows_of

_HOUR: Final = 3_600_000


def look(here: World, operation: str, **arguments: object) -> Reply:
    """Read something as somebody who may only read."""
    return ask(here.operator("viewer@example.com", "VIEWER"), operation, **arguments)


def joined(here: World, operation: str, rows: str, limit: int, **arguments: object) -> list[Any]:
    """All pages of a list."""
    found: list[Any] = []
    cursor: object = None
    while True:
        page = look(here, operation, limit=limit, **arguments, **({} if cursor is None else {"cursor": cursor}))
        assert page.status == 200, page.body
        assert len(page.list(rows)) <= limit
        found += page.list(rows)
        cursor = page["nextCursor"]
        if cursor is None:
            return found


def window_now(here: World) -> str:
    """The id of the window that opened last."""
    return max(row.window_id for row in rows_of(here, WINDOWS))


# -- events ---------------------------------------------------------------------------------------------------------------


def test_events_have_what_players_see_and_more() -> None:
    """The same fields but a player's own attempt, and the attempts of the open window by state."""
    here = with_events(event(target=50, attempts={"maxPerWindow": None}), event("far", schedule={
        "windows": [{"startsAt": "2027-01-01T00:00:00Z", "endsAt": "2027-01-02T00:00:00Z"}],
    }))  # fmt: skip
    score(here.player("anna"), 50)
    score(here.player("anna"), 1)
    score(here.player("bert"), 2)
    rows: list[Any] = look(here, "events.list").list("events")
    shown = {row["eventKey"]: row for row in ask(here.player("reader"), "events.list").list("events")}
    assert [row["eventKey"] for row in rows] == ["race", "far"]
    for row in rows:
        more = {name: row.pop(name) for name in ("boardsBy", "segment", "attempts")}
        own = shown[row["eventKey"]]
        own.pop("attempt", None)
        assert row == own
        expected = {"inProgress": 2, "completed": 1, "expired": 0} if row["eventKey"] == "race" else None
        assert more == {"boardsBy": "window", "segment": None, "attempts": expected}
    assert look(here, "events.get", event_key="far").data == {"event": look(here, "events.list").list("events")[1]}
    assert look(here, "events.get", event_key="none").refusal == (404, "event_not_found")


def test_another_environment_has_windows_and_attempts_of_its_own() -> None:
    """The counts there are others, and the ids lead nowhere."""
    here = with_events(event())
    attempt_id, window = score(here.player("anna"), 5), window_now(here)
    live = look(here, "events.get", event_key="race", environment="live")
    assert live["event.attempts"] == {"inProgress": 0, "completed": 0, "expired": 0}
    assert live["event.window.eventWindowId"] != window
    of_window = {"event_key": "race", "window_id": window, "environment": "live"}
    for operation in ("events.getWindow", "attempts.listOfWindow", "leaderboards.listOfWindow", "teams.listOfWindow"):
        assert look(here, operation, **of_window).refusal == (404, "event_window_not_found"), operation
    refused = look(here, "attempts.listOfPlayer", external_id="anna", environment="live")
    assert refused.refusal == (404, "player_not_found")
    assert look(here, "attempts.get", attempt_id=attempt_id, environment="live").refusal == (404, "attempt_not_found")


# -- windows --------------------------------------------------------------------------------------------------------------


def test_windows_of_the_past_the_present_and_the_future() -> None:
    """The latest first: ten to come, the open one, and every one that was; pages of any size join to the same."""
    here = with_events(event())
    for _ in range(3):
        here.advance(hours=1)
    whole = joined(here, "events.windows", "windows", 200, event_key="race")
    assert [row["status"] for row in whole] == ["scheduled"] * 10 + ["active"] + ["closed"] * 3
    starts = [row["startsAt"] for row in whole]
    assert starts == sorted(starts, reverse=True)
    assert len({row["eventWindowId"] for row in whole}) == 14
    for limit in (1, 3, 10, 11):
        assert joined(here, "events.windows", "windows", limit, event_key="race") == whole
    assert {row["openedAt"] is None for row in whole[:10]} == {True}
    assert whole[10]["leaderboardId"] == board_id(here)
    for row in whole:
        found: Any = look(here, "events.getWindow", event_key="race", window_id=row["eventWindowId"]).data["window"]
        assert {name: found[name] for name in row} == row


def test_a_window_is_named_before_it_opens_as_it_will_be() -> None:
    """Its id, times and leaderboard are those that it has later."""
    here = with_events(event())
    coming = [
        row for row in look(here, "events.windows", event_key="race").list("windows") if row["status"] == "scheduled"
    ]
    following = coming[-1]
    here.advance(hours=1)
    (row,) = [
        row for row in look(here, "events.windows", event_key="race").list("windows") if row["status"] == "active"
    ]
    for name in ("eventWindowId", "startsAt", "endsAt", "leaderboardId"):
        assert row[name] == following[name]


def test_a_window_past_its_end_is_closing() -> None:
    """Also where its close has not begun; and one that is due and has not opened is active, and listed once."""
    here = with_events(event())
    score(here.player("anna"), 5)
    before = look(here, "events.windows", event_key="race").list("windows")
    here.now += _HOUR // 2
    assert [row["status"] for row in look(here, "events.windows", event_key="race").list("windows")][10] == "closing"
    here.now += _HOUR // 2
    rows = look(here, "events.windows", event_key="race").list("windows")
    assert [row["status"] for row in rows][9:] == ["scheduled", "active", "closing"]
    assert rows[10]["eventWindowId"] == before[9]["eventWindowId"]
    assert rows[10]["openedAt"] is None
    due = look(here, "events.getWindow", event_key="race", window_id=rows[10]["eventWindowId"])
    assert due["window.status"] == "active"


def test_the_end_of_time_is_the_last_window() -> None:
    """What no timestamp can show never opens, and no list has it; players' lists neither."""
    decade = 315_360_000
    late = {"startsAt": "9985-01-01T00:00:00Z", "everySeconds": decade, "durationSeconds": decade}
    never = {**late, "startsAt": "9995-01-01T00:00:00Z"}
    here = with_events(event(schedule=late), event("never", schedule=never))
    assert len(look(here, "events.windows", event_key="race").list("windows")) == 1
    assert look(here, "events.windows", event_key="never").list("windows") == []
    for rows in (look(here, "events.list"), ask(here.player("reader"), "events.list")):
        assert [row["status"] for row in rows.list("events")] == ["scheduled", "ended"]


def test_windows_of_an_event_that_is_no_more() -> None:
    """The past can be read, and there is no future."""
    here = with_events(event())
    score(here.player("anna"), 5)
    window = window_now(here)
    here.advance(minutes=40)
    here.configure({**config(), "events": []})
    rows = look(here, "events.windows", event_key="race").list("windows")
    assert [row["status"] for row in rows] == ["closed"]
    found = look(here, "events.getWindow", event_key="race", window_id=window)
    assert found["window.attempts"] == {"inProgress": 0, "completed": 0, "expired": 1}
    assert len(look(here, "attempts.listOfWindow", event_key="race", window_id=window).list("attempts")) == 1
    assert look(here, "events.get", event_key="race").refusal == (404, "event_not_found")
    assert look(here, "events.list").list("events") == []


_LISTS: Final = (
    "events.getWindow", "attempts.listOfWindow", "leaderboards.listOfWindow", "lobbies.listOfWindow", "teams.listOfWindow",
)  # fmt: skip


@pytest.mark.parametrize("operation", _LISTS)
def test_what_is_no_window_of_the_event(operation: str) -> None:
    """An event that there is none of, and an id that is none, or another event's."""
    here = with_events(event(), event("cup"))
    score(here.player("anna"), 5)
    window = window_now(here)
    assert look(here, operation, event_key="none", window_id=window).refusal == (404, "event_not_found")
    other = look(here, "events.get", event_key="cup").text("event.window.eventWindowId")
    for wanted in ("win_none", other, "win_01KDVDNA00ZZZZZZZZZZZZZZZZ"):
        assert look(here, operation, event_key="race", window_id=wanted).refusal == (404, "event_window_not_found")


@pytest.mark.parametrize("operation", [name for name in _LISTS if name != "events.getWindow"] + ["events.windows"])
@pytest.mark.parametrize("cursor", ["x", "WyJhIl0", "WzFd", "W251bGxd", "WyJcdTAwMDAiXQ", "e30"])
def test_an_invented_cursor_gains_nothing(operation: str, cursor: str) -> None:
    """It is refused, or is the place of nothing."""
    here = with_events(event())
    score(here.player("anna"), 5)
    of_window = {} if operation == "events.windows" else {"window_id": window_now(here)}
    reply = look(here, operation, event_key="race", cursor=cursor, **of_window)
    assert reply.status == 200 or (reply.refusal, reply.fields) == ((400, "validation_failed"), ["cursor"])


# -- attempts -------------------------------------------------------------------------------------------------------------


def test_attempts_of_a_window_by_state() -> None:
    """Newest first, all or those of one state, each with its player; pages of any size join to the same."""
    here = with_events(event(target=50, attempts={"maxPerWindow": None, "durationSeconds": 60}))
    for number in range(9):
        here.advance(seconds=10)
        score(here.player(f"p{number}"), 50 if number % 3 == 0 else number)
    here.advance(seconds=35)
    of_window = {"event_key": "race", "window_id": window_now(here)}
    whole = joined(here, "attempts.listOfWindow", "attempts", 200, **of_window)
    assert [row["externalPlayerId"] for row in whole] == [f"p{number}" for number in reversed(range(9))]
    assert {row["displayIdentity"]["name"] for row in whole} != {None}
    for limit in (1, 2, 4, 9):
        assert joined(here, "attempts.listOfWindow", "attempts", limit, **of_window) == whole
    for status in ("in_progress", "completed", "expired"):
        some = joined(here, "attempts.listOfWindow", "attempts", 2, status=status, **of_window)
        assert some == [row for row in whole if row["status"] == status]
        assert some
    counted = look(here, "events.getWindow", **of_window)["window.attempts"]
    by_state = [row["status"] for row in whole]
    assert counted == {
        "inProgress": by_state.count("in_progress"), "completed": by_state.count("completed"),
        "expired": by_state.count("expired"),
    }  # fmt: skip


def test_attempts_of_a_player_at_all_events() -> None:
    """Newest first, of all windows, and nobody else's."""
    here = with_events(event(attempts={"maxPerWindow": None}), event("cup"))
    made = []
    for name, key in (("anna", "race"), ("bert", "race"), ("anna", "cup")):
        here.advance(seconds=10)
        made.append(score(here.player(name), 5, key))
    here.advance(hours=1)
    made.append(score(here.player("anna"), 5))
    shown = joined(here, "attempts.listOfPlayer", "attempts", 2, external_id="anna")
    assert [row["attemptId"] for row in shown] == [made[3], made[2], made[0]]
    assert {row["externalPlayerId"] for row in shown} == {"anna"}


def test_an_attempt_is_shown_to_members_as_to_its_player() -> None:
    """The same and the player, the rank and the grants; out of time before that is noted too."""
    here = with_events(event(milestones=[{"key": "five", "threshold": 5, "entries": [gold(1)]}]))
    anna = here.player("anna")
    attempt_id = score(anna, 5)
    shown: Any = None
    for _ in range(2):
        own: Any = ask(anna, "events.getAttempt", key="race", attempt_id=attempt_id).data
        shown = look(here, "attempts.get", attempt_id=attempt_id).data
        assert {name: shown["attempt"][name] for name in own["attempt"]} == own["attempt"]
        assert (shown["rank"], shown["attempt"]["playerId"]) == (own["rank"], anna.player_id)
        assert [row["sourceKind"] for row in shown["grants"]] == ["event_milestone"]
        here.now += _HOUR
    assert shown["attempt"]["status"] == "expired"
    assert attempt_row(here, attempt_id).status == "in_progress"


def test_reading_changes_nothing() -> None:
    """Neither rows nor events, whatever is due."""
    here = with_events(event())
    attempt_id = score(here.player("anna"), 5)
    window, wanted, desk = window_now(here), board_id(here), here.operator()
    here.now += _HOUR
    rows, emitted = here.store.dump(), len(here.events)
    for operation in _LISTS:
        ask(desk, operation, event_key="race", window_id=window)
    for operation, arguments in (
        ("events.list", {}),
        ("events.get", {"event_key": "race"}),
        ("events.windows", {"event_key": "race"}),
        ("attempts.get", {"attempt_id": attempt_id}),
        ("attempts.listOfPlayer", {"external_id": "anna"}),
        ("leaderboards.list", {}),
        ("leaderboards.get", {"leaderboard_id": wanted}),
    ):
        assert ask(desk, operation, **arguments).status == 200, operation
    assert here.store.dump() == rows
    assert len(here.events) == emitted


# -- lobbies and teams ----------------------------------------------------------------------------------------------------


def test_lobbies_of_a_window_by_state() -> None:
    """Newest first, without their players; one in full by its id."""
    here = arena(session={"triggers": [{"label": "won", "type": "first_to_target"}], "resolution": "close"}, target=9)
    closed, ((player, attempt_id), *_) = filled(here, "a", "b", "c")
    progress(player, attempt_id, points=9)
    active, _ = filled(here, "d", "e", "f")
    forming, _ = came(here, "g")
    of_window = {"event_key": "race", "window_id": window_now(here)}
    whole = joined(here, "lobbies.listOfWindow", "lobbies", 200, **of_window)
    assert [(row["lobbyId"], row["status"]) for row in whole] == [
        (forming, "forming"), (active, "active"), (closed, "closed"),
    ]  # fmt: skip
    assert joined(here, "lobbies.listOfWindow", "lobbies", 1, **of_window) == whole
    for row in whole:
        some = joined(here, "lobbies.listOfWindow", "lobbies", 5, status=row["status"], **of_window)
        assert some == [row]
        in_full = lobby_of(here, row["lobbyId"])
        assert look(here, "lobbies.get", lobby_id=row["lobbyId"]).data == {"lobby": in_full}
        assert {name: in_full[name] for name in row} == row
    assert look(here, "events.getWindow", **of_window)["window.lobbies"] == {"forming": 1, "active": 1, "closed": 1}
    assert look(here, "lobbies.get", lobby_id=active, environment="live").refusal == (404, "lobby_not_found")


def test_teams_of_a_window() -> None:
    """By their keys, also of a window that is still to come; one in full by its id, and by the studio's own key."""
    here = crews("external", most=5)
    for name in ("owls", "larks", "jays"):
        here.player(f"of {name}")
        put_roster(here, name, f"of {name}")
    of_window = {"event_key": "race", "window_id": window_now(here)}
    whole = joined(here, "teams.listOfWindow", "teams", 200, **of_window)
    assert [row["teamKey"] for row in whole] == ["jays", "larks", "owls"]
    assert joined(here, "teams.listOfWindow", "teams", 1, **of_window) == whole
    assert look(here, "events.getWindow", **of_window)["window.teamCount"] == 3
    for row in whole:
        in_full: Any = ask(here.server, "teams.get", event_key="race", team_key=row["teamKey"]).data["team"]
        assert look(here, "teams.get", team_id=row["eventTeamId"]).data == {"team": in_full}
        assert {name: in_full[name] for name in row} == row
    coming = look(here, "events.windows", event_key="race").list("windows")[0]
    put_roster(here, "rooks", "of owls", window_id=coming["eventWindowId"])
    ahead = look(here, "teams.listOfWindow", event_key="race", window_id=coming["eventWindowId"]).list("teams")
    assert [(row["teamKey"], row["status"]) for row in ahead] == [("rooks", "forming")]
    here.advance(hours=1)
    final = joined(here, "teams.listOfWindow", "teams", 2, **of_window)
    assert [row["status"] for row in final] == ["finalized"] * 3


def test_a_team_that_is_not_there() -> None:
    """404 for an id that is none, and in the other environment."""
    here = crews()
    crew(here, "anna")
    (team,) = look(here, "teams.listOfWindow", event_key="race", window_id=window_now(here)).list("teams")
    for wanted, place in (("etm_none", {}), (team["eventTeamId"], {"environment": "live"})):
        assert look(here, "teams.get", team_id=wanted, **place).refusal == (404, "team_not_found")


def test_many_attempts_are_read_in_bounded_pages() -> None:
    """A page reads as many rows as it shows, whatever the window holds."""
    here = with_events(event())
    for number in range(30):
        started(here.player(f"p{number}"))
    window = window_now(here)
    assert len(rows_of(here, ATTEMPTS)) == 30
    refused = look(here, "attempts.listOfWindow", event_key="race", window_id=window, limit=201)
    assert refused.refusal == (400, "validation_failed")
    assert len(look(here, "attempts.listOfWindow", event_key="race", window_id=window, limit=7).list("attempts")) == 7
