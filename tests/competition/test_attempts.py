"""Starting an attempt: who may, what it costs, and that nobody pays twice."""

from __future__ import annotations

import json
from typing import cast

import attrs
import pytest

from livecore.events.attempt_records import ATTEMPTS
from livecore.events.window_records import WINDOWS
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import HOUR, MINUTE, SECOND
from livecore.world import World, WorldPlayer
from tests.competition.games import HOURLY, event, with_events
from tests.competition.playing import begin, board, gold, places, progress, score, started
from tests.worlds import Since, ask, ban, config, give, grant, rows_of, total

POTION = {"type": "item", "resourceKey": "potion", "amount": 1}
XP = {"type": "currency", "resourceKey": "xp", "amount": 3}


# -- refusals -------------------------------------------------------------------------------------------------------------


def test_a_start_never_creates_a_player() -> None:
    """Somebody who never registered has no attempt, and is nobody afterwards either."""
    game = with_events(event())
    stranger = attrs.evolve(game.player("anna"), external_id="nobody")
    assert begin(stranger).refusal == (404, "player_not_found")
    assert ask(game.server, "players.get", external_id="nobody").refusal == (404, "player_not_found")


def test_refusals_come_in_their_order() -> None:
    """A ban before all; an event that is not there, then one that is not open, then the limit, then the cost."""
    closed = event("later", schedule={**HOURLY, "startsAt": "2026-01-02T00:00:00Z"}, entryCost=[gold(5)])
    game = with_events(event(entryCost=[gold(5)], attempts={"maxPerWindow": 1}), closed)
    anna = game.player("anna")
    assert begin(anna, "nowhere").refusal == (404, "event_not_found")
    assert begin(anna, "later").refusal == (409, "event_not_active")
    give(anna, "gold", 5)
    first = started(anna)
    game.advance(minutes=1)
    ask(game.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=_board_of(game))
    assert begin(anna).status == 200
    progress(anna, first, points=1)
    ask(game.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=_board_of(game))
    assert total(anna, "gold") == 0
    assert begin(anna).refusal == (409, "attempt_limit_reached")
    assert begin(game.player("bert")).refusal == (409, "insufficient_entry_cost")
    ban(anna)
    assert begin(anna, "nowhere").refusal == (403, "player_banned")


def _board_of(game: World) -> str:
    return ask(game.player("reader"), "events.list").text("events.0.window.leaderboardId")


def test_an_event_that_is_not_open_says_when_it_is() -> None:
    """Before, between and after its windows."""
    game = with_events(event(schedule={**HOURLY, "startsAt": "2026-01-01T01:00:00Z", "until": "2026-01-01T02:30:00Z"}))
    anna = game.player("anna")
    told = []
    for minutes in (0, 90, 60):
        game.advance(minutes=minutes)
        reply = begin(anna)
        assert reply.refusal == (409, "event_not_active")
        told.append(reply["details.nextWindowStartsAt"])
    assert told == ["2026-01-01T01:00:00.000Z", "2026-01-01T02:00:00.000Z", None]


def test_a_window_is_open_from_its_first_millisecond_to_its_last() -> None:
    """And at its end no more."""
    game = with_events(event(schedule={**HOURLY, "startsAt": "2026-01-01T01:00:00Z"}))
    begins = game.now + HOUR
    for at, status in ((-1, 409), (0, 201), (30 * MINUTE - 1, 201), (30 * MINUTE, 409)):
        game.now = begins + at
        assert begin(game.player(f"at {at}")).status == status


def test_the_first_resource_that_lacks_is_named() -> None:
    """In the order of the cost; one that is listed twice is paid as one."""
    game = with_events(event(entryCost=[gold(3), POTION, gold(4)]))
    anna = game.player("anna")
    give(anna, "gold", 6)
    reply = begin(anna)
    assert reply.refusal == (409, "insufficient_entry_cost")
    assert reply["details"] == {"resource": "gold", "needed": 7, "have": 6}
    give(anna, "gold", 1)
    assert begin(anna)["details"] == {"resource": "potion", "needed": 1, "have": 0}
    assert total(anna, "gold") == 7


# -- the cost -------------------------------------------------------------------------------------------------------------


def test_the_cost_and_the_attempt_are_one() -> None:
    """Everything is charged, and the events say of whom, for what and what was taken."""
    game = with_events(event(entryCost=[gold(5), POTION, XP]))
    anna = game.player("anna")
    for key, amount in (("gold", 8), ("potion", 2), ("xp", 3)):
        give(anna, key, amount)
    since = Since(game)
    reply = begin(anna)
    assert [total(anna, key) for key in ("gold", "potion", "xp")] == [3, 1, 0]
    (charged,) = since.of("entry_cost.charged")
    assert charged["cost"] == {
        "currencies": [{"key": "gold", "amount": 5}, {"key": "xp", "amount": 3}],
        "items": [{"key": "potion", "quantity": 1}],
    }
    assert (charged["eventKey"], charged["externalPlayerId"]) == ("race", "anna")
    entries = ask(game.server, "ledger.list", external_id="anna").list("entries")
    paid = [row for row in entries if row["reason"] == "entry_cost"]
    assert {row["sourceRefId"] for row in paid} == {reply["attempt.attemptId"]}
    assert sorted(str(row["resourceKey"]) for row in paid) == ["gold", "potion", "xp"]


def test_an_event_without_a_cost_charges_nobody() -> None:
    """Nor does it say that it did."""
    game = with_events(event())
    anna = game.player("anna")
    since = Since(game)
    started(anna)
    assert since.kinds == ["event.attempt_started", "window.opened"]


def test_a_running_attempt_is_given_again_and_not_charged_again() -> None:
    """200 with the same attempt as it is now; the context that comes along is kept."""
    game = with_events(event(entryCost=[gold(5)]))
    anna = game.player("anna")
    give(anna, "gold", 20)
    first = started(anna)
    progress(anna, first, points=7)
    since = Since(game)
    again = begin(anna, player_context={"level": 9})
    assert (again.status, again["attempt.attemptId"], again["attempt.score"]) == (200, first, 7)
    assert (total(anna, "gold"), since.kinds) == (15, [])
    assert ask(game.server, "players.get", external_id="anna")["player.lastContextSnapshot"] == {"level": 9}


def test_a_start_that_is_repeated_under_its_key_is_the_same_start() -> None:
    """Also when the attempt has long ended, and another one is running; another request under the key is refused."""
    game = with_events(event(target=1, entryCost=[gold(5)], attempts={"maxPerWindow": None}))
    anna = game.player("anna")
    give(anna, "gold", 20)
    first = begin(anna, idempotency_key="k")
    progress(anna, first["attempt.attemptId"], points=1)
    started(anna)
    replay = begin(anna, idempotency_key="k")
    assert (replay.status, replay.header("Idempotent-Replay")) == (201, "true")
    assert (replay.data, total(anna, "gold")) == (first.data, 10)
    assert begin(anna, idempotency_key="k", player_context={}).refusal == (409, "idempotency_conflict")


def test_a_start_that_was_refused_may_be_tried_again_under_its_key() -> None:
    """Once there is enough to pay with."""
    game = with_events(event(entryCost=[gold(5)]))
    anna = game.player("anna")
    assert begin(anna, idempotency_key="k").status == 409
    give(anna, "gold", 5)
    assert begin(anna, idempotency_key="k").status == 201


def test_progression_is_charged_where_the_studio_keeps_everything_else() -> None:
    """The service keeps it in both modes; it is earned by a grant."""
    game = with_events(event(entryCost=[XP]), economyMode="studio", gifting={"enabled": False})
    anna = game.player("anna")
    assert begin(anna)["details"] == {"resource": "xp", "needed": 3, "have": 0}
    made = grant(anna, "xp", 3)
    ask(anna, "grants.claim", grant_id=made["grant.grantId"])
    since = Since(game)
    started(anna)
    assert since.of("entry_cost.charged")[0]["cost"] == {"currencies": [{"key": "xp", "amount": 3}], "items": []}
    balances = ask(game.server, "wallet.get", external_id="anna").list("balances")
    assert [row["balance"] for row in balances if row["key"] == "xp"] == [0]


# -- how many, and how long -----------------------------------------------------------------------------------------------


def _run(player: WorldPlayer) -> int:
    """Complete one attempt after another, as long as one may; gives how many."""
    for number in range(20):
        reply = begin(player)
        if reply.status != 201:
            assert reply["details"] == {"maxAttempts": number}
            return number
        assert reply["attempt.attemptCount"] == number + 1
        progress(player, reply["attempt.attemptId"], points=1)
    return 20


@pytest.mark.parametrize("seed", range(5))
def test_no_more_attempts_than_the_window_allows(seed: int) -> None:
    """Also where they all begin at one moment, in which ids say nothing about the order."""
    declared = event(target=1, attempts={"maxPerWindow": 4})
    game = World({**config(), "events": [declared]}, seed=seed)
    assert _run(game.player("anna")) == 4
    assert _run(game.player("bert")) == 4


def test_the_limit_holds_when_the_clock_is_set_back() -> None:
    """A later attempt may have begun at an earlier time."""
    game = with_events(event(target=1, attempts={"maxPerWindow": 3}))
    game.advance(minutes=20)
    anna = game.player("anna")
    for _ in range(3):
        progress(anna, started(anna), points=1)
        game.now -= MINUTE
    assert begin(anna).refusal == (409, "attempt_limit_reached")


def test_without_a_limit_there_is_none() -> None:
    """`null` is any number."""
    assert _run(with_events(event(target=1, attempts={"maxPerWindow": None})).player("anna")) == 20


def test_each_window_has_attempts_of_its_own() -> None:
    """The limit and the count begin anew, and nothing is said of an attempt before."""
    game = with_events(event())
    anna = game.player("anna")
    started(anna)
    game.advance(hours=1)
    since = Since(game)
    assert begin(anna)["attempt.attemptCount"] == 1
    assert since.of("event.attempt_restarted") == []


def test_another_attempt_in_a_window_names_the_one_before() -> None:
    """With its score and how it ended: completed, or expired."""
    game = with_events(event(target=10, attempts={"maxPerWindow": 3, "durationSeconds": 60}))
    anna = game.player("anna")
    first = score(anna, 10)
    second = score(anna, 4)
    game.advance(minutes=2)
    third = started(anna)
    told = [
        (row["priorAttemptId"], row["priorStatus"], row["priorScore"], row["attemptId"])
        for row in game.emitted("event.attempt_restarted")
    ]
    assert told == [(first, "completed", 10, second), (second, "expired", 4, third)]
    assert [row["attemptCount"] for row in game.emitted("event.attempt_started")] == [1, 2, 3]


def test_an_attempt_ends_with_its_time_or_with_its_window() -> None:
    """With whichever comes first."""
    game = with_events(event(attempts={"durationSeconds": 600}))
    assert begin(game.player("anna"))["attempt.endsAt"] == "2026-01-01T00:10:00.000Z"
    game.advance(minutes=25)
    assert begin(game.player("bert"))["attempt.endsAt"] == "2026-01-01T00:30:00.000Z"


def test_an_attempt_whose_time_is_over_makes_room_whether_that_was_noted_or_not() -> None:
    """It is told of as expired once, before the next one begins, and due work finds nothing more to do."""
    game = with_events(event(attempts={"durationSeconds": 60, "maxPerWindow": 2}))
    anna = game.player("anna")
    first = score(anna, 3)
    game.now += MINUTE
    since = Since(game)
    assert started(anna) != first
    assert [row["attemptId"] for row in since.of("event.expired")] == [first]
    game.advance(seconds=1)
    assert len(game.emitted("event.expired")) == 1
    game.now += MINUTE
    assert begin(anna).refusal == (409, "attempt_limit_reached")


def test_what_a_start_answers() -> None:
    """An attempt in progress: metrics that sum are 0, the others have no value."""
    metrics = [{"key": "points"}, {"key": "lap", "aggregation": "lowest"}]
    game = with_events(event(metrics=metrics), event("laps", metrics=[metrics[1]]))
    anna = game.player("anna")
    shown = begin(anna)["attempt"]
    assert isinstance(shown, dict)
    (window,) = rows_of(game, WINDOWS)
    assert {**shown, "attemptId": None, "leaderboardId": None} == {
        "attemptId": None, "eventId": window.event_id, "eventKey": "race", "eventWindowId": window.window_id,
        "leaderboardId": None, "lobbyId": None, "eventTeamId": None, "status": "in_progress", "score": 0,
        "metrics": {"points": 0}, "startedAt": "2026-01-01T00:00:00.000Z", "endsAt": "2026-01-01T00:30:00.000Z",
        "completedAt": None, "frozenAt": None, "flagged": False, "attemptCount": 1, "milestones": [],
    }  # fmt: skip
    laps = begin(anna, "laps")
    assert (laps["attempt.score"], laps["attempt.metrics"]) == (None, {})


# -- windows and requests -------------------------------------------------------------------------------------------------


def test_a_start_opens_the_window_where_due_work_has_not_run() -> None:
    """Once, and the due work opens no second one."""
    game = with_events(event())
    anna = game.player("anna")
    game.now += HOUR + SECOND
    since = Since(game)
    started(anna)
    assert [row["startsAt"] for row in since.of("window.opened")] == [
        "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z",
    ]  # fmt: skip
    game.advance(seconds=2)
    assert len(rows_of(game, WINDOWS)) == 2
    assert [row["startsAt"] for row in game.emitted("window.closed")][:1] == ["2026-01-01T00:00:00.000Z"]


def test_the_board_of_a_window_that_due_work_has_not_opened_can_be_read() -> None:
    """`events.list` names it, so it is there: empty, until somebody begins; and so it is for a removal and a stream."""
    game = with_events(event())
    anna = game.player("anna")
    game.now += HOUR + SECOND
    named = ask(anna, "events.list")["events.0.window.leaderboardId"]
    assert board(game, named).list("entries") == []
    before = board(game, named)["leaderboard"]
    removal = ask(game.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=named)
    assert removal["removed"] is False
    stream = anna.follow("leaderboards.stream", leaderboard_id=named)
    (ready,) = stream.read()
    assert (ready.event, ready.data["entryCount"]) == ("ready", 0)
    assert rows_of(game, WINDOWS) == []
    score(anna, 7)
    assert [message.event for message in stream.read()] == ["score_update"]
    assert places(game, named) == [(1, "anna", 7)]
    assert board(game, named)["leaderboard"] == {**cast("JsonObject", before), "entryCount": 1}


def test_a_start_in_the_next_window_does_not_wait_for_the_close_of_the_one_before() -> None:
    """Back to back: the old attempt ends as it would, the new one has the new window's end and count."""
    game = with_events(event(schedule={**HOURLY, "durationSeconds": 3_600}))
    anna = game.player("anna")
    old = score(anna, 5)
    game.now += HOUR
    reply = begin(anna)
    assert (reply.status, reply["attempt.attemptCount"]) == (201, 1)
    assert progress(anna, old, points=1)["details"] == {"status": "expired"}
    assert progress(anna, reply["attempt.attemptId"], points=2)["rank"] == 1
    game.advance(seconds=2)
    assert [row["attemptId"] for row in game.emitted("event.expired")] == [old]
    assert len(game.emitted("leaderboard.finalized")) == 1


def test_an_attempt_keeps_the_definition_of_its_window() -> None:
    """Another configuration does not change its metrics, its target or its time."""
    game = with_events(event(target=10))
    anna = game.player("anna")
    id_ = started(anna)
    changed = event(target=2, metrics=[{"key": "laps"}], attempts={"durationSeconds": 1})
    game.configure({**config(), "events": [changed]})
    assert progress(anna, id_, points=3)["attempt.status"] == "in_progress"
    assert begin(game.player("bert"))["attempt.endsAt"] == "2026-01-01T00:30:00.000Z"
    assert ask(anna, "events.list")["events.0.target"] == 10
    game.advance(hours=1)
    assert ask(anna, "events.list")["events.0.target"] == 2
    assert begin(anna)["attempt.metrics"] == {"laps": 0}


def test_a_refused_start_leaves_no_attempt_and_no_window() -> None:
    """Nothing of it is stored, the window that it would have opened neither."""
    game = with_events(event(entryCost=[gold(1)]))
    anna = game.player("anna")
    assert begin(anna, player_context={"level": 3}).status == 409
    assert (rows_of(game, ATTEMPTS), rows_of(game, WINDOWS)) == ([], [])
    assert json.dumps(ask(game.server, "players.get", external_id="anna")["player.lastContextSnapshot"]) == "{}"
