"""Who sees which attempts, and what the list of events shows."""

from __future__ import annotations

import attrs

from livecore.events.window_records import WINDOWS
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import HOUR
from tests.competition.games import HOURLY, event, with_events
from tests.competition.playing import begin, progress, score, started
from tests.worlds import ask, rows_of

# -- whose they are -------------------------------------------------------------------------------------------------------


def test_another_players_attempt_is_not_found() -> None:
    """Nor is one's own at another event, or of the other environment."""
    game = with_events(event(), event("other"))
    anna, bert = game.player("anna"), game.player("bert")
    hers = started(anna)
    for player, key, id_ in ((bert, "race", hers), (anna, "other", hers), (anna, "race", "att_none")):
        assert progress(player, id_, key, points=1).refusal == (404, "attempt_not_found")
        assert ask(player, "events.getAttempt", key=key, attempt_id=id_).refusal == (404, "attempt_not_found")
    for operation in ("events.getAttempt", "events.listAttempts"):
        more = {"attempt_id": hers} if operation == "events.getAttempt" else {}
        assert ask(anna, operation, key="nowhere", **more).refusal == (404, "event_not_found")
    assert progress(anna, hers, "nowhere", points=1).refusal == (404, "event_not_found")


def test_the_other_environment_has_attempts_of_its_own() -> None:
    """The same name there is another player, with another window."""
    game = with_events(event())
    hers = started(game.player("anna"))
    key = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    there = attrs.evolve(game.player("anna"), headers=key)
    secret = ask(there, "players.register").text("playerSecret")
    there = attrs.evolve(there, headers={**key, "x-player-secret": secret})
    assert progress(there, hers, points=1).refusal == (404, "attempt_not_found")
    other = begin(there)
    assert (other.status, other["attempt.attemptCount"]) == (201, 1)
    windows = [rows_of(game, WINDOWS, environment)[0].window_id for environment in ("test", "live")]
    assert len(set(windows)) == 2


def test_attempts_are_listed_newest_first_in_pages() -> None:
    """Of all windows; the pages joined are the list."""
    game = with_events(event(target=1, attempts={"maxPerWindow": 3}))
    anna = game.player("anna")
    made = []
    for _ in range(3):
        for _ in range(3):
            made.append(score(anna, 1))
            game.advance(seconds=1)
        game.advance(hours=1)
    whole = ask(anna, "events.listAttempts", key="race")
    assert [row["attemptId"] for row in whole.list("attempts")] == made[::-1]
    joined: list[JsonObject] = []
    cursor: dict[str, Json] = {}
    for _ in range(5):
        page = ask(anna, "events.listAttempts", key="race", limit=2, **cursor)
        joined += page.list("attempts")
        cursor = {"cursor": page["nextCursor"]}
    assert (joined, cursor) == (whole.list("attempts"), {"cursor": None})
    assert ask(anna, "events.listAttempts", key="race", cursor="nonsense").fields == ["cursor"]
    assert ask(game.player("bert"), "events.listAttempts", key="race").list("attempts") == []


# -- the list of events ---------------------------------------------------------------------------------------------------


def test_only_the_player_sees_an_attempt_in_the_list() -> None:
    """Without a secret the field is not there; with the right one it is the newest of the window, or null."""
    game = with_events(event(target=1, attempts={"maxPerWindow": 2}))
    anna = game.player("anna")
    alone = attrs.evolve(anna, headers={"authorization": anna.headers["authorization"]})
    assert "attempt" not in ask(alone, "events.list").list("events")[0]
    assert ask(anna, "events.list")["events.0.attempt"] is None
    score(anna, 1)
    second = started(anna)
    assert ask(anna, "events.list")["events.0.attempt.attemptId"] == second
    game.advance(hours=1)
    assert ask(anna, "events.list")["events.0.attempt"] is None
    game.advance(minutes=45)
    assert ask(anna, "events.list")["events.0.window"] is None
    assert ask(anna, "events.list")["events.0.attempt"] is None


def test_the_list_says_where_an_event_is() -> None:
    """Scheduled, active and ended, with the ids of windows before they open, and no row for the reading."""
    schedule = {**HOURLY, "startsAt": "2026-01-01T01:00:00Z", "until": "2026-01-01T02:30:00Z"}
    game = with_events(event(schedule=schedule), event("lots", board={"by": "segment", "segment": "country"}))
    anna = game.player("anna")

    def seen() -> tuple[object, object, object]:
        row = ask(anna, "events.list").list("events")[0]
        window, following = row["window"], row["nextWindow"]
        now = window["eventWindowId"] if isinstance(window, dict) else None
        return row["status"], now, following["eventWindowId"] if isinstance(following, dict) else None

    first = seen()
    assert rows_of(game, WINDOWS) == []
    game.now += HOUR
    second = seen()
    assert rows_of(game, WINDOWS) == []
    started(anna)
    assert seen() == second
    game.advance(hours=1)
    third = seen()
    game.advance(hours=1)
    assert [first[0], second[0], third[0], seen()[0]] == ["scheduled", "active", "active", "ended"]
    assert (first[1], first[2], second[2], third[2]) == (None, second[1], third[1], None)
    opened = [seen.data for seen in game.events if (seen.kind, seen.environment) == ("window.opened", "test")]
    assert [row["eventWindowId"] for row in opened if row["eventKey"] == "race"] == [second[1], third[1]]


def test_a_board_by_segment_has_no_id_in_the_list() -> None:
    """Whose segment it would be depends on the attempt."""
    game = with_events(event(board={"by": "segment", "segment": "country"}))
    assert ask(game.player("anna"), "events.list")["events.0.window.leaderboardId"] is None
