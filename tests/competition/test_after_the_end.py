"""Between the end of a window and its close nothing counts any more; what a close pays does not depend on when it runs."""

from __future__ import annotations

import attrs
import pytest

from livecore.kernel.time import HOUR, MINUTE, SECOND
from livecore.world import World
from tests.competition.games import HOURLY, event, with_events
from tests.competition.playing import board_id, gold, places, progress, score, started
from tests.player_tools.soundness import faults_of
from tests.worlds import ask


def _grants(game: World, name: str) -> list[object]:
    rows = ask(game.player(name), "grants.listPending").list("grants")
    return [row["sourceKind"] for row in rows]


@attrs.frozen
class Ended:
    """A world, and a board in it."""

    world: World
    board: str


@pytest.fixture
def ended() -> Ended:
    """Two players on the board of a window that pays its first two ranks, and that is over, but has not been closed."""
    made = with_events(event(rankRewards=[{"from": 1, "to": 2, "entries": [gold(5)]}]))
    made.advance(minutes=1)
    for name, points in (("ann", 20), ("bob", 10)):
        score(made.player(name), points)
    ended = Ended(made, board_id(made))
    made.now += 30 * MINUTE
    return ended


def test_past_its_time_an_attempt_is_shown_as_over(ended: Ended) -> None:
    """By every read, as progress says it, swept or not."""
    game = ended.world
    (listed,) = ask(game.player("ann"), "events.listAttempts", key="race").list("attempts")
    shown = ask(game.player("ann"), "events.getAttempt", key="race", attempt_id=listed["attemptId"])
    refused = progress(game.player("ann"), listed["attemptId"], points=1)
    assert (listed["status"], shown["attempt.status"], refused["details.status"]) == ("expired",) * 3
    (seen,) = ask(game.server, "players.get", external_id="ann").list("attempts")
    assert seen["status"] == "expired"


def test_a_merge_after_the_end_is_one_after_the_close(ended: Ended) -> None:
    """Both entries stay and both are paid, whenever the close runs."""
    game = ended.world
    ask(game.server, "players.merge", external_id="bob", to_external_id="ann")
    assert faults_of(game) == []
    game.advance(seconds=1)
    assert places(game, ended.board) == [(1, "ann", 20), (2, "ann", 10)]
    assert _grants(game, "ann") == ["event_rank"] * 2
    assert faults_of(game) == []


def test_each_attempt_keeps_its_rank_when_its_player_is_merged_after_the_end(ended: Ended) -> None:
    """Also into somebody who never played: the entry stays where it is, and names the attempt that it shows."""
    game = ended.world

    def rank(name: str, attempt: str) -> object:
        return ask(game.player(name), "events.getAttempt", key="race", attempt_id=attempt)["rank"]

    first, second = (
        str(ask(game.player(name), "events.listAttempts", key="race")["attempts.0.attemptId"])
        for name in ("ann", "bob")
    )
    ask(game.server, "players.merge", external_id="bob", to_external_id="ann")
    for _ in range(2):
        assert (rank("ann", first), rank("ann", second)) == (1, 2)
        game.advance(seconds=1)
    game.player("cid")
    ask(game.server, "players.merge", external_id="ann", to_external_id="cid")
    assert (rank("cid", first), rank("cid", second)) == (1, 2)


def test_the_studio_s_counts_agree_with_its_rows(ended: Ended) -> None:
    """An attempt past its time is counted as it is shown, swept or not."""
    for _ in range(2):
        seen = ask(ended.world.server, "players.get", external_id="ann")
        assert [row["status"] for row in seen.list("attempts")] == ["expired"]
        assert (seen["summary.attemptCount"], seen["summary.attemptsExpired"]) == (1, 1)
        ended.world.advance(seconds=1)


def test_nobody_is_taken_off_after_the_end(ended: Ended) -> None:
    """The board is as good as final."""
    server = ended.world.server
    reply = ask(server, "leaderboards.removeEventEntry", external_id="bob", leaderboard_id=ended.board)
    assert reply.refusal == (409, "leaderboard_finalized")


def test_a_player_who_is_taken_off_does_not_come_back_with_an_attempt_that_runs() -> None:
    """Also where it has made no progress yet; and an attempt that was completed has not been."""
    game = with_events(event(target=10, attempts={"maxPerWindow": None}))
    game.advance(minutes=1)
    ann = game.player("ann")
    first, second = score(ann, 10), started(ann)
    where = board_id(game)
    assert ask(game.server, "leaderboards.removeEventEntry", external_id="ann", leaderboard_id=where)["removed"] is True
    assert progress(ann, second, points=5).refusal == (409, "attempt_not_in_progress")
    done = ask(ann, "events.getAttempt", key="race", attempt_id=first)
    assert (done["attempt.status"], done["attempt.completedAt"], done["rank"]) == ("expired", None, None)
    assert places(game, where) == []
    assert faults_of(game) == []


def test_a_request_opens_few_of_the_windows_that_were_missed() -> None:
    """After a long time without due work it is told to come back, and changes nothing."""
    quick = {**HOURLY, "everySeconds": 10, "durationSeconds": 10}
    game = with_events(event(schedule=quick))
    game.advance(seconds=1)
    ann = game.player("ann")
    game.now += 100 * SECOND
    assert ask(ann, "events.start", key="race").status == 201
    game.now += 2 * HOUR
    before = game.store.dump()
    assert ask(ann, "events.start", key="race").refusal == (409, "event_not_active")
    assert game.store.dump() == before
    game.advance(seconds=0)
    assert ask(ann, "events.start", key="race").status == 201


def test_a_clock_that_was_set_back_makes_no_rate_negative() -> None:
    """The time since the attempt began is at least nothing."""
    fast = {"key": "fast", "kind": "max_rate", "limit": 1, "verdict": "reject"}
    game = with_events(event(validators=[fast]))
    game.advance(minutes=2)
    ann = game.player("ann")
    attempt_id = started(ann)
    game.now -= MINUTE
    refused = progress(ann, attempt_id, points=100)
    assert refused["details.metricSnapshot.elapsedSec"] == 0
