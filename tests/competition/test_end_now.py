"""Ending a window at once, for tests: what it does, what it says, and who may."""

from __future__ import annotations

import json

import attrs
import pytest

from livecore.access.audit import AUDIT
from livecore.api.requests.prepared import Outcome
from livecore.api.stepping import SteppedRun
from livecore.economy.grants import GRANTS
from livecore.events import window_closing
from livecore.events.attempt_records import ATTEMPTS
from livecore.events.window_records import WINDOWS
from livecore.events.windows import CLOSE
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import HOUR
from livecore.kernel.units.due import DUE
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import begin, board, board_id, gold, progress, score, started
from tests.worlds import Reply, ask, rows_of

PAID = [{"from": 1, "to": 2, "entries": [gold(5)]}]


def end(game: World, event_key: str = "race", **more: object) -> Reply:
    """End the window that is open."""
    return ask(game.server, "dev.endWindow", event_key=event_key, **more)


def played() -> World:
    """Three players in a window, one of them without progress."""
    game = with_events(event(rankRewards=PAID))
    for name, points in (("anna", 9), ("bert", 5)):
        score(game.player(name), points)
    started(game.player("carl"))
    game.advance(minutes=10)
    return game


def test_it_ends_the_window_now_and_says_what_that_did() -> None:
    """Attempts, boards, grants and lobbies; the window and the board end at that moment."""
    game = played()
    id_ = board_id(game)
    window = ask(game.player("anna"), "events.list")["events.0.window.eventWindowId"]
    assert end(game).data == {
        "eventKey": "race",
        "windows": [
            {
                "eventWindowId": window, "attemptsExpired": 3, "leaderboardsFinalized": 1, "grantsCreated": 2,
                "lobbiesClosed": 0,
            }
        ],
    }  # fmt: skip
    (row,) = rows_of(game, WINDOWS)
    assert (row.status, row.ends_at, row.closed_at) == ("closed", game.now, game.now)
    assert {attempt.ends_at for attempt in rows_of(game, ATTEMPTS)} == {game.now}
    shown = board(game, id_)
    assert (shown["leaderboard.status"], shown["leaderboard.endsAt"]) == ("finalized", "2026-01-01T00:10:00.000Z")
    assert game.emitted("window.closed")[0]["endsAt"] == "2026-01-01T00:10:00.000Z"


def test_every_attempt_of_the_window_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was completed before as well, and those that the request left for due work to expire."""
    bounded(monkeypatch, rows=1, steps=1)
    game = with_events(event(target=9))
    ids = {name: score(game.player(name), points) for name, points in (("anna", 9), ("bert", 5), ("carl", 4))}
    game.advance(minutes=10)
    end(game)
    for _ in range(2):
        for name, status in (("anna", "completed"), ("bert", "expired"), ("carl", "expired")):
            row = ask(game.player(name), "events.getAttempt", key="race", attempt_id=ids[name])
            assert (row["attempt.status"], row["attempt.endsAt"]) == (status, "2026-01-01T00:10:00.000Z")
            (listed,) = ask(game.player(name), "events.listAttempts", key="race").list("attempts")
            assert listed == row["attempt"]
        assert progress(game.player("carl"), ids["carl"], points=1)["details.status"] == "expired"
        game.advance(seconds=1)


def test_ending_it_again_ends_nothing() -> None:
    """Nor does its own end later: nothing is paid or told a second time."""
    game = played()
    end(game)
    assert end(game).data == {"eventKey": "race", "windows": []}
    before = len([seen for seen in game.events if seen.environment == "test"])
    game.advance(minutes=25)
    assert len([seen for seen in game.events if seen.environment == "test"]) == before


def test_the_next_window_opens_at_its_own_time() -> None:
    """Not earlier, although this one has ended earlier."""
    game = played()
    end(game)
    refused = begin(game.player("anna"))
    assert refused.refusal == (409, "event_not_active")
    assert refused["details.nextWindowStartsAt"] == "2026-01-01T01:00:00.000Z"
    assert ask(game.player("anna"), "events.list")["events.0.status"] == "scheduled"
    game.advance(minutes=50)
    assert begin(game.player("anna")).status == 201


def test_a_repetition_under_its_key_says_the_same() -> None:
    """For a retry of a request whose answer was lost."""
    game = played()
    first = end(game, idempotency_key="k")
    again = end(game, idempotency_key="k")
    assert (again.data, again.header("Idempotent-Replay")) == (first.data, "true")


def test_without_an_open_window_there_is_nothing_to_end() -> None:
    """Before the first one, and between two."""
    game = with_events(
        event(schedule={"startsAt": "2026-01-01T01:00:00Z", "everySeconds": 3_600, "durationSeconds": 60})
    )
    assert end(game)["windows"] == []
    game.advance(minutes=62)
    assert end(game)["windows"] == []


def test_a_window_that_due_work_has_not_opened_yet_is_ended_too() -> None:
    """It opens, and closes at the same moment."""
    game = with_events(event())
    assert len(end(game).list("windows")) == 1
    assert [seen.kind for seen in game.events][-3:] == ["window.opened", "leaderboard.finalized", "window.closed"]
    (row,) = rows_of(game, WINDOWS)
    assert row.starts_at == row.ends_at


def test_a_window_past_its_end_is_not_open_any_more() -> None:
    """It is closed by its own work."""
    game = played()
    game.now += HOUR // 2
    assert end(game)["windows"] == []
    game.advance(seconds=1)
    assert [row.status for row in rows_of(game, WINDOWS)][:1] == ["closed"]


def test_only_a_key_of_the_test_environment_may() -> None:
    """A live key is told so before anything else, and nothing of either environment has ended."""
    game = played()
    live = attrs.evolve(game.server, headers={"authorization": f"Bearer {game.all_keys['live_server']}"})
    for key in ("race", "nowhere"):
        assert ask(live, "dev.endWindow", event_key=key).refusal == (403, "test_environment_only")
    assert end(game, "nowhere").refusal == (404, "event_not_found")
    assert {row.status for row in (*rows_of(game, WINDOWS), *rows_of(game, WINDOWS, "live"))} == {"active"}


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_a_large_window_is_closed_in_the_background(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request does a part and says so; it takes no progress from then on, and what remains follows, once."""
    bounded(monkeypatch, rows=rows, steps=1)
    game = played()
    running = started(game.player("dora"))
    first = end(game).list("windows")[0]
    done = int(str(first["attemptsExpired"]))
    assert done <= rows
    assert progress(game.player("dora"), running, points=1).refusal == (409, "attempt_not_in_progress")
    assert [row.status for row in rows_of(game, WINDOWS)] == ["closing"]
    assert end(game)["windows"] == []
    game.advance(seconds=1)
    assert_closed_once(game)
    assert len(game.emitted("event.expired")) == 4
    assert sorted(str(row["externalPlayerId"]) for row in game.emitted("grant.created")) == ["anna", "bert"]


def assert_closed_once(game: World) -> None:
    """The window is closed, the four attempts have expired, the two first are paid, and nothing is left to do."""
    assert [row.status for row in rows_of(game, WINDOWS)] == ["closed"]
    assert [attempt.status for attempt in rows_of(game, ATTEMPTS)] == ["expired"] * 4
    ids = {game.player(name).player_id for name in ("anna", "bert")}
    assert sorted(grant.player_id for grant in rows_of(game, GRANTS)) == sorted(ids)
    assert not [work for work in rows_of(game, DUE) if work.kind == CLOSE]


# -- in steps


def bounded(monkeypatch: pytest.MonkeyPatch, *, rows: int, steps: int) -> None:
    """A step handles so many rows, and a request takes so many steps."""
    for limit in ("_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(window_closing, limit, rows)
    monkeypatch.setattr(window_closing, "_STEPS", steps)


class Run:
    """A request to end the window, whose units of work are run one by one."""

    def __init__(self, game: World, **more: object) -> None:
        self.game = game
        request = game.server.request("dev.endWindow", event_key="race", **more)
        prepared = game.store.read(DIRECTORY, lambda tx: game.application.prepare(request, tx))
        game.application.read(prepared)
        self.scope = prepared.scope
        self.steps = SteppedRun(game.application, prepared)

    def step(self) -> tuple[list[str], Outcome | None]:
        """The kinds of the events of the next unit of work, and the answer after the last one."""
        done = self.game.store.write(self.scope, self.steps.step)
        return [event.kind for event in done.events], self.steps.take(done)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_no_unit_of_work_handles_more_rows_than_a_step_of_a_job(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are served between two of them; the answer comes after the last one, and has the sums."""
    bounded(monkeypatch, rows=rows, steps=100)
    game = played()
    started(game.player("dora"))
    run, answers, kinds = Run(game), list[Outcome](), list[list[str]]()
    while not answers:
        told, outcome = run.step()
        kinds.append(told)
        answers += [] if outcome is None else [outcome]
    assert len(kinds) > 4 // rows
    assert all(told.count("event.expired") <= rows and told.count("grant.created") <= rows for told in kinds)
    (ended,) = json.loads(answers[0].response.body)["data"]["windows"]
    assert (ended["attemptsExpired"], ended["leaderboardsFinalized"], ended["grantsCreated"]) == (4, 1, 2)
    (row,) = rows_of(game, WINDOWS)
    assert (row.status, row.closed_at) == ("closed", row.ends_at)
    assert not [work for work in rows_of(game, DUE) if work.kind == CLOSE]


def test_the_answer_of_a_world_comes_after_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window is over and its rewards are there, however many steps that took."""
    bounded(monkeypatch, rows=1, steps=100)
    game = played()
    started(game.player("dora"))
    (ended,) = end(game).list("windows")
    assert (ended["attemptsExpired"], ended["grantsCreated"]) == (4, 2)
    assert_closed_once(game)
    entries = [row for row in rows_of(game, AUDIT) if row.action == "server:dev.endWindow"]
    assert len(entries) == 1


def test_a_request_that_breaks_off_is_completed_and_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its repetition is told what was done so far; due work waits until the request must be over, and does the rest."""
    bounded(monkeypatch, rows=1, steps=100)
    game = played()
    started(game.player("dora"))
    assert Run(game, idempotency_key="k").step()[1] is None
    game.advance(seconds=9)
    assert [row.status for row in rows_of(game, WINDOWS)] == ["closing"]
    again = end(game, idempotency_key="k")
    (ended,) = again.list("windows")
    assert (again.header("Idempotent-Replay"), ended["attemptsExpired"]) == ("true", 1)
    assert [row.status for row in rows_of(game, WINDOWS)] == ["closing"]
    game.advance(seconds=1)
    assert_closed_once(game)
    assert len([row for row in rows_of(game, AUDIT) if row.action == "server:dev.endWindow"]) == 1


def test_a_slow_request_finds_that_due_work_has_done_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is done twice, and its figures are of what it did itself."""
    bounded(monkeypatch, rows=1, steps=100)
    game = played()
    started(game.player("dora"))
    run = Run(game)
    run.step()
    game.advance(seconds=10)
    assert_closed_once(game)
    told, outcome = run.step()
    assert (told, outcome is None) == ([], False)
    assert outcome is not None
    assert json.loads(outcome.response.body)["data"]["windows"][0]["attemptsExpired"] == 1
    assert_closed_once(game)


def test_a_request_that_the_store_has_no_room_for_any_more_answers_what_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not 503, which would have it tried again and end the next window; before its first step there is no such answer."""
    bounded(monkeypatch, rows=1, steps=100)
    run = Run(played())
    assert run.steps.cut_short() is None
    run.step()
    response = run.steps.cut_short()
    assert response is not None
    assert response.status == 200
    assert json.loads(response.body)["data"]["windows"][0]["attemptsExpired"] == 1
