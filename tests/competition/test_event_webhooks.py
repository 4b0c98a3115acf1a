"""What a studio is told of attempts: progress at most every few seconds, and always before the end."""

from __future__ import annotations

from livecore.events.attempt_ending import UPDATED
from livecore.kernel.time import SECOND
from livecore.kernel.units.due import DUE
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import progress, score, started
from tests.worlds import Since, ask, rows_of


def told(game: World) -> list[tuple[str, object, object]]:
    """Seconds since the beginning, kind and score of what was told of attempts."""
    return [
        (str(seen.at.wire)[17:19], seen.kind.partition(".")[2], seen.data["score"])
        for seen in game.events
        if seen.kind in {"event.progress_updated", "event.completed", "event.expired"}
    ]


def test_reports_within_five_seconds_are_told_once_and_as_they_are_then() -> None:
    """The first of them decides when; the next one begins another five seconds."""
    game = with_events(event())
    anna = game.player("anna")
    id_ = started(anna)
    for _ in range(7):
        progress(anna, id_, points=1)
        game.advance(seconds=1)
    game.advance(seconds=20)
    # reported at 0 to 6: told at 5, of those before, and at 10 or 11 of the rest
    assert [row[1:] for row in told(game)] == [("progress_updated", 5), ("progress_updated", 7)]
    assert told(game)[0][0] == "05"


def test_what_is_told_has_the_state_at_its_time() -> None:
    """Metrics, status and score of one moment."""
    game = with_events(event(metrics=[{"key": "points"}, {"key": "lap", "aggregation": "lowest"}]))
    anna = game.player("anna")
    id_ = started(anna)
    progress(anna, id_, points=2)
    game.advance(seconds=3)
    progress(anna, id_, points=2, lap=8)
    game.advance(seconds=2)
    (row,) = game.emitted("event.progress_updated")
    assert (row["score"], row["metrics"], row["status"]) == (4, {"points": 4, "lap": 8}, "in_progress")
    assert (row["attemptId"], row["updatedAt"]) == (id_, "2026-01-01T00:00:05.000Z")


def test_waiting_progress_is_told_before_an_attempt_expires() -> None:
    """Once; and what was told already is not told again."""
    game = with_events(event(attempts={"durationSeconds": 7}))
    anna, bert = game.player("anna"), game.player("bert")
    score(bert, 1)
    id_ = started(anna)
    game.advance(seconds=6)
    progress(anna, id_, points=3)
    game.advance(seconds=20)
    hers = [row for row in told(game) if row[2] == 3]
    assert [row[1] for row in hers] == ["progress_updated", "expired"]
    assert [row[1] for row in told(game) if row[2] == 1] == ["progress_updated", "expired"]


def test_an_attempt_without_progress_is_only_told_to_have_expired() -> None:
    """There is nothing else to tell."""
    game = with_events(event(attempts={"durationSeconds": 7}))
    started(game.player("anna"))
    game.advance(seconds=20)
    assert [row[1] for row in told(game)] == ["expired"]


def test_the_progress_that_completes_an_attempt_is_told_before_the_completion() -> None:
    """At once, in place of what was waiting."""
    game = with_events(event(target=5))
    anna = game.player("anna")
    id_ = started(anna)
    progress(anna, id_, points=2)
    progress(anna, id_, points=3)
    assert [row[1:] for row in told(game)] == [("progress_updated", 5), ("completed", 5)]
    game.advance(seconds=20)
    assert len(told(game)) == 2


def test_waiting_progress_is_told_before_the_window_ends() -> None:
    """Also where the window is ended at once."""
    game = with_events(event())
    score(game.player("anna"), 3)
    since = Since(game)
    ask(game.server, "dev.endWindow", event_key="race")
    kinds = [seen.kind for seen in game.events if seen.environment == "test"]
    assert kinds.index("event.progress_updated") < kinds.index("event.expired") < kinds.index("window.closed")
    game.advance(seconds=20)
    assert since.kinds.count("event.progress_updated") == 1


def test_what_waits_to_be_told_is_stored_with_the_progress() -> None:
    """So no crash loses it: it is due work from the same transaction, and late is not never."""
    game = with_events(event())
    score(game.player("anna"), 3)
    (work,) = (row for row in rows_of(game, DUE) if row.kind == UPDATED)
    assert work.due_at == game.now + 5 * SECOND
    game.now += 60 * SECOND
    game.advance()
    assert [row["score"] for row in game.emitted("event.progress_updated")] == [3]


def test_events_about_an_attempt_name_all_it_belongs_to() -> None:
    """Event, window, board and player are the same in all of them."""
    game = with_events(event(target=5, milestones=[{"key": "m", "threshold": 1}], attempts={"maxPerWindow": 2}))
    anna = game.player("anna")
    score(anna, 5)
    score(anna, 2)
    game.advance(minutes=40)
    names = ("eventId", "eventKey", "eventWindowId", "leaderboardId", "playerId", "externalPlayerId")
    about = [seen for seen in game.events if seen.kind.startswith("event.")]
    assert {seen.kind for seen in about} == {
        "event.attempt_started", "event.attempt_restarted", "event.progress_updated", "event.completed",
        "event.milestone_granted", "event.expired",
    }  # fmt: skip
    assert len({tuple(seen.data[name] for name in names) for seen in about}) == 1
