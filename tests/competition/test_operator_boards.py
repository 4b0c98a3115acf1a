"""Leaderboards as the studio's members read them, and taking players off them (contract, "Operators")."""

from __future__ import annotations

import json
from typing import cast

import pytest

from livecore.access.audit import AUDIT
from livecore.events.attempt_records import ATTEMPTS
from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.competition.games import event, leaderboard, with_events
from tests.competition.playing import attempt_row, board, board_id, places, progress, score
from tests.competition.shared import divisions
from tests.lobbies.groups import arena, filled
from tests.teams.groups import crew, crews, play
from tests.worlds import Reply, ask, rows_of

_WEEKLY = leaderboard(divisions=divisions(("bronze", 1, 0), ("silver", 0, 1)), cohortSize=2)


def read(here: World, wanted: str, **more: object) -> Reply:
    """A leaderboard, as somebody who may only read."""
    return ask(here.operator("viewer@example.com", "VIEWER"), "leaderboards.get", leaderboard_id=wanted, **more)


def remove(here: World, wanted: str, name: str = "anna", **more: object) -> Reply:
    """Take a player off a leaderboard."""
    return ask(here.operator(), "leaderboards.removeEntry", leaderboard_id=wanted, external_id=name, **more)


def submit(here: World, name: str, score: int, key: str = "weekly") -> str:
    """Submit a score to a shared leaderboard; gives the id of the board that it stands on."""
    player = here.player(name)
    ask(player, "leaderboards.submit", key=key, score=score)
    return ask(player, "leaderboards.getOwn", key=key).text("leaderboard.leaderboardId")


# -- reading --------------------------------------------------------------------------------------------------------------


def test_the_list_shows_each_with_its_present_period() -> None:
    """In the order of the configuration; a divided one with its divisions and their cohorts, and no id of its own."""
    here = with_events(event(), leaderboards=[leaderboard("best", reset="never"), _WEEKLY, leaderboard(
        "fed", reset="monthly", source="event", event="race", aggregation="sum", order="asc",
    )])  # fmt: skip
    for number in range(3):
        submit(here, f"p{number}", number)
    best = submit(here, "p0", 7, "best")
    rows = ask(here.operator(), "leaderboards.list").list("leaderboards")
    assert [row["key"] for row in rows] == ["best", "weekly", "fed"]
    first, weekly, fed = rows
    assert (first["leaderboardId"], first["entryCount"], first["nextResetAt"]) == (best, 1, None)
    assert (weekly["leaderboardId"], weekly["entryCount"], weekly["cohortSize"]) == (None, None, 2)
    assert weekly["divisions"] == [{"key": "bronze", "cohorts": 2}, {"key": "silver", "cohorts": 1}]
    assert weekly["nextResetAt"] == "2026-01-05T00:00:00.000Z"
    assert [fed[name] for name in ("reset", "source", "eventKey", "aggregation", "order", "entryCount")] == [
        "monthly", "event", "race", "sum", "asc", 0,
    ]  # fmt: skip
    assert read(here, str(fed["leaderboardId"])).refusal == (404, "leaderboard_not_found")
    assert read(here, "fed").list("entries") == []


def test_a_shared_leaderboard_by_its_key_and_by_ids() -> None:
    """By key the present period or the one before, of a division and a cohort; by id any board that somebody has entered."""
    here = with_events(leaderboards=[_WEEKLY])
    boards = [submit(here, f"p{number}", number) for number in range(3)]
    assert read(here, "weekly")["leaderboard.leaderboardId"] == boards[0] == boards[1]
    assert read(here, "weekly", division="bronze", cohort=2)["leaderboard.leaderboardId"] == boards[2]
    assert read(here, boards[2]).data == read(here, "weekly", cohort=2).data
    assert [row["externalPlayerId"] for row in read(here, "weekly", around="p0").list("entries")] == ["p1", "p0"]
    assert read(here, "weekly", period="previous").refusal == (404, "leaderboard_period_not_found")
    here.advance(days=7)
    assert read(here, "weekly", period="previous")["leaderboard.leaderboardId"] == boards[0]
    assert read(here, boards[0])["leaderboard.status"] == "finalized"
    assert read(here, "weekly").list("entries") == []


@pytest.mark.parametrize(
    ("more", "fields"),
    [
        ({"division": "bronze"}, ["division"]),
        ({"cohort": 1, "period": "current"}, ["cohort", "period"]),
        ({"cursor": "x"}, ["cursor"]),
        ({"around": "p0", "cursor": "WzEsMiwiYSJd"}, ["cursor"]),
        ({"limit": 0}, ["limit"]),
    ],
)
def test_what_an_id_leaves_open_is_nothing(more: dict[str, object], fields: list[str]) -> None:
    """Division, cohort and period are said by the id; an invented cursor is refused."""
    here = with_events(leaderboards=[_WEEKLY])
    board = submit(here, "p0", 1)
    refused = read(here, board, **more)
    assert (refused.refusal, refused.fields) == ((400, "validation_failed"), fields)


def test_pages_join_to_the_whole_board() -> None:
    """In the order of the board, of an event as of a shared one."""
    here = with_events(event())
    for number in range(7):
        here.now += 1
        score(here.player(f"p{number}"), 10 * (number % 4))
    whole = places(here, board_id(here), limit=200)
    joined: list[tuple[object, object, object]] = []
    cursor: dict[str, object] = {}
    while len(joined) < 7:
        page = read(here, board_id(here), limit=3, **cursor)
        joined += [(row["rank"], row["externalPlayerId"], row["score"]) for row in page.list("entries")]
        cursor = {"cursor": page["nextCursor"]}
    assert joined == whole
    assert cursor == {"cursor": None}


def test_a_leaderboard_may_be_called_like_an_id() -> None:
    """A key that begins as ids do is still a key."""
    here = with_events(leaderboards=[leaderboard("lbd_best", reset="never")])
    submit(here, "p0", 3, "lbd_best")
    assert read(here, "lbd_best")["leaderboard.entryCount"] == 1
    assert remove(here, "lbd_best", "p0").data == {"removed": True}


def test_nothing_of_the_other_environment_or_of_nobody() -> None:
    """404 for ids and keys that are none; in the other environment a key is another board."""
    here = with_events(event(), leaderboards=[leaderboard()])
    score(here.player("anna"), 5)
    submit(here, "anna", 3)
    for wanted in (board_id(here), "lbd_01JZ0000000000000000000000", "none", "LBD_X"):
        for call in (read, remove):
            refused = call(here, wanted, environment="live")
            assert refused.code in {"leaderboard_not_found", "player_not_found"}, wanted
    assert read(here, "weekly", environment="live").list("entries") == []
    assert places(here, board_id(here)) == [(1, "anna", 5)]


def test_the_boards_of_a_window() -> None:
    """One for each segment or lobby, and that of the teams; in pages; none before it opens."""
    here = with_events(event(board={"by": "segment", "segment": "league"}))
    for league in ("a", "b", "c"):
        score(here.player(f"of {league}"), 5, player_context={"league": league})
    window = attempt_row(here, _attempts(here)[0]).window_id
    first = _boards(here, window, limit=2)
    rest = _boards(here, window, limit=2, cursor=first["nextCursor"])
    rows = [*first.list("leaderboards"), *rest.list("leaderboards")]
    assert (len(first.list("leaderboards")), rest["nextCursor"]) == (2, None)
    assert sorted(str(row["segment"]) for row in rows) == ["a", "b", "c"]
    assert {row["entryCount"] for row in rows} == {1}
    there = crews()
    play(crew(there, "anna", "bert")[0], 5)
    window = attempt_row(there, _attempts(there)[0]).window_id
    shown = {str(row["participantScope"]): row["entryCount"] for row in _boards(there, window).list("leaderboards")}
    assert shown == {"player": 1, "team": 1}


def _boards(here: World, window: str, **more: object) -> Reply:
    return ask(here.operator(), "leaderboards.listOfWindow", event_key="race", window_id=window, **more)


def _attempts(here: World) -> list[str]:
    return [row.attempt_id for row in rows_of(here, ATTEMPTS)]


def test_a_board_is_followed_live() -> None:
    """By its id, as clients follow it."""
    here = with_events(event())
    attempt_id = score(here.player("anna"), 5)
    stream = here.operator().follow("leaderboards.stream", leaderboard_id=board_id(here))
    assert [message.event for message in stream.read()] == ["ready"]
    progress(here.player("anna"), attempt_id, points=5)
    (update,) = stream.read()
    assert (update.event, cast(JsonObject, update.data["entry"])["score"]) == ("score_update", 10)


# -- taking off -----------------------------------------------------------------------------------------------------------


def test_an_event_board_is_left_as_the_backend_would_leave_it() -> None:
    """The attempt expires, counts towards the limit, and the others move up; a second time nothing is there."""
    here = with_events(event(attempts={"maxPerWindow": 1}))
    attempt_id = score(here.player("anna"), 50)
    score(here.player("bert"), 40)
    wanted = board_id(here)
    assert remove(here, wanted).data == {"removed": True}
    assert places(here, wanted) == [(1, "bert", 40)]
    assert attempt_row(here, attempt_id).status == "expired"
    assert ask(here.player("anna"), "events.start", key="race").refusal == (409, "attempt_limit_reached")
    assert remove(here, wanted).data == {"removed": False}
    assert found_wrong(here) == []


def test_a_final_board_stays() -> None:
    """Of an event once its window has ended, swept or not, and of a period that is over."""
    here = with_events(event(), leaderboards=[leaderboard()])
    score(here.player("anna"), 50)
    wanted, period = board_id(here), submit(here, "anna", 3)
    here.now += 30 * 60_000
    assert remove(here, wanted).refusal == (409, "leaderboard_finalized")
    here.advance(minutes=0)
    assert remove(here, wanted).refusal == (409, "leaderboard_finalized")
    here.now += 7 * 86_400_000
    assert remove(here, period).refusal == (409, "leaderboard_finalized")
    assert remove(here, "weekly").data == {"removed": False}
    here.advance(minutes=0)
    assert remove(here, period).refusal == (409, "leaderboard_finalized")
    assert board(here, wanted)["leaderboard.entryCount"] == 1
    assert read(here, period)["leaderboard.entryCount"] == 1


def test_a_lobbys_board_is_final_with_its_session() -> None:
    """Also where due work has not noted the end yet."""
    session: JsonObject = {"triggers": [{"label": "up", "type": "elapsed", "value": 60}], "resolution": "close"}
    here = arena(session=session)
    _, players = filled(here, "anna", "bert", "carl")
    for player, attempt_id in players:
        progress(player, attempt_id, points=5)
    wanted = attempt_row(here, players[0][1]).board_id
    here.now += 60_000
    assert remove(here, wanted).refusal == (409, "leaderboard_finalized")


def test_a_shared_board_by_key_or_by_id() -> None:
    """By id only off this board: one of another cohort, or without the player, is left alone."""
    here = with_events(leaderboards=[_WEEKLY])
    boards = [submit(here, f"p{number}", number) for number in range(3)]
    assert remove(here, boards[2], "p0").data == {"removed": False}
    assert remove(here, boards[0], "p0").data == {"removed": True}
    assert remove(here, boards[0], "p0").data == {"removed": False}
    assert remove(here, "weekly", "p1").data == {"removed": True}
    assert [read(here, one)["leaderboard.entryCount"] for one in boards] == [0, 0, 1]
    submit(here, "p0", 9)
    assert read(here, boards[0])["leaderboard.entryCount"] == 1
    assert found_wrong(here) == []


def test_a_teams_board_has_no_players() -> None:
    """There is nothing of a player to take off it."""
    here = crews()
    play(crew(here, "anna", "bert")[0], 5)
    window = attempt_row(here, _attempts(here)[0]).window_id
    (teams,) = [row for row in _boards(here, window).list("leaderboards") if row["participantScope"] == "team"]
    assert remove(here, str(teams["leaderboardId"])).data == {"removed": False}
    assert read(here, str(teams["leaderboardId"]))["leaderboard.entryCount"] == 1


def test_who_is_not_there() -> None:
    """404 for a player who is unknown, before the leaderboard is looked for."""
    here = with_events(event())
    for wanted in (board_id(here), "none"):
        assert remove(here, wanted, "nobody").refusal == (404, "player_not_found")


def test_a_removal_is_audited() -> None:
    """Which board, whose entry, which score; what changes nothing has neither side."""
    here = with_events(event())
    anna = here.player("anna")
    score(anna, 50)
    wanted = board_id(here)
    for _ in range(2):
        here.now += 1
        remove(here, wanted)
    first, second = [row for row in rows_of(here, AUDIT) if row.action == "admin:leaderboards.removeEntry"]
    for entry in (first, second):
        assert (entry.target_kind, entry.target_id, entry.player_id) == ("leaderboard", wanted, anna.player_id)
        assert entry.permission == "leaderboard.remove_entry"
    assert json.loads(str(first.before)) == {"leaderboardId": wanted, "score": 50}
    assert (first.after, second.before) == (None, None)
