"""What validators reject is refused, and kept for the studio's members: the last twenty, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.events.attempt_records import ATTEMPTS
from livecore.kernel.errors import JsonObject
from livecore.leaderboards.rejections import MOST_KEPT, SCORE_REJECTIONS
from livecore.world import World
from tests.added_game import STORES, AddedGame, headers_for
from tests.commerce.shop import found_wrong
from tests.competition.games import event, leaderboard, with_events
from tests.competition.playing import attempt_row, places, progress, score, started
from tests.competition.shared import score as submit
from tests.competition.shared import with_boards
from tests.worlds import Reply, Since, ask, config, rows_of

STEP: JsonObject = {"key": "jump", "kind": "max_step", "limit": 5, "verdict": "reject"}
REFUSED = (422, "anti_cheat_rejected")


def of_attempt(game: World, attempt_id: object) -> list[dict[str, Any]]:
    """The rejections of an attempt, as an operator reads them."""
    found: Any = ask(game.operator(), "attempts.get", attempt_id=attempt_id)["attempt.rejections"]
    return list(found)


def of_entry(game: World, board: object, place: int = 0) -> list[dict[str, Any]]:
    """The rejections that an entry of a leaderboard shows to an operator."""
    found: Any = ask(game.operator(), "leaderboards.get", leaderboard_id=board)[f"entries.{place}.rejections"]
    return list(found)


def test_a_rejected_report_is_kept_with_the_attempt() -> None:
    """With what it would have come to; the newest first; operators see it, players do not."""
    game = with_events(event(validators=[STEP]))
    anna = game.player("anna")
    id_ = started(anna)
    progress(anna, id_, points=2)
    since = Since(game)
    for points in (8, 9):
        game.advance(seconds=1)
        assert progress(anna, id_, points=points).refusal == REFUSED
    # The window of the other environment, when time first passes.
    assert set(since.kinds) <= {"window.opened"}
    assert of_attempt(game, id_) == [
        {
            "validatorKey": "jump", "metric": "points", "value": value, "limit": 5,
            "reason": "points changes by more than 5 at once", "rejectedAt": f"2026-01-01T00:00:0{second}.000Z",
        }
        for value, second in ((11, 2), (10, 1))
    ]  # fmt: skip
    assert "rejections" not in ask(anna, "events.getAttempt", key="race", attempt_id=id_).data["attempt"]  # type: ignore[operator] # JSON
    row = ask(anna, "events.getAttempt", key="race", attempt_id=id_)
    assert (row["attempt.score"], row["rank"]) == (2, 1)
    assert progress(anna, id_, points=5).status == 200
    assert len(of_attempt(game, id_)) == 2
    assert found_wrong(game) == []


def test_the_last_twenty_are_kept() -> None:
    """However many there are, in one row."""
    game = with_events(event(validators=[STEP]))
    anna = game.player("anna")
    id_ = started(anna)
    for points in range(100, 150):
        assert progress(anna, id_, points=points).refusal == REFUSED
    assert [row["value"] for row in of_attempt(game, id_)] == list(range(149, 149 - MOST_KEPT, -1))
    assert len(attempt_row(game, id_).rejections) < 4_000


def test_a_repetition_is_not_one_more() -> None:
    """Under the same key; and the key is still free for a report that is taken."""
    game = with_events(event(validators=[STEP]))
    anna = game.player("anna")
    id_ = started(anna)

    def report(points: int, key: str) -> Reply:
        return ask(anna, "events.progress", key="race", attempt_id=id_, metrics={"points": points}, idempotency_key=key)

    for key in ("k", "k", "l"):
        assert progress(anna, id_, points=1).status == 200
        reply = report(9, key)
        assert (reply.refusal, reply.header("Idempotent-Replay")) == (REFUSED, None)
    assert len(of_attempt(game, id_)) == 2
    assert report(4, "k").status == 200


def test_what_rejects_at_a_leaderboard_that_is_fed_is_kept_with_the_attempt() -> None:
    """And nothing of the report has reached any leaderboard, nor the bots of a lobby."""
    fed = leaderboard("fed", source="event", event="race", aggregation="sum", validators=[STEP])
    game = with_events(event(), leaderboards=[fed])
    anna = game.player("anna")
    id_ = score(anna, 2)
    assert progress(anna, id_, points=9).refusal == REFUSED
    (row,) = of_attempt(game, id_)
    assert (row["validatorKey"], row["metric"], row["value"]) == ("jump", "score", 11)
    assert places(game, attempt_row(game, id_).board_id) == [(1, "anna", 2)]
    assert rows_of(game, SCORE_REJECTIONS) == []


def test_a_rejected_score_is_kept_for_the_period() -> None:
    """Of who has an entry and of who has none; operators see it beside the entry."""
    game = with_boards(leaderboard(aggregation="sum", validators=[STEP]))
    anna = game.player("anna")
    assert submit(anna, 9).refusal == REFUSED
    assert submit(anna, 3).status == 200
    assert ask(game.server, "leaderboards.submit", external_id="anna", key="weekly", score=7).refusal == REFUSED
    assert [row["value"] for row in of_entry(game, "weekly")] == [10, 9]
    assert len(rows_of(game, SCORE_REJECTIONS)) == 1
    ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")
    submit(anna, 1)
    assert of_entry(game, "weekly") == []
    ended = ask(anna, "leaderboards.get", key="weekly", period="previous")["leaderboard.leaderboardId"]
    assert len(of_entry(game, ended)) == 2


def test_the_backend_leaves_no_entry_in_the_audit_trail() -> None:
    """A refused submission has changed nothing that it could be about."""
    game = with_boards(leaderboard(source="server", validators=[{**STEP, "kind": "range", "max": 5, "limit": None}]))
    game.player("anna")
    before = len(ask(game.operator(), "audit.list", studio_id=game.game.studio_id).list("entries"))
    assert ask(game.server, "leaderboards.submit", external_id="anna", key="weekly", score=7).refusal == REFUSED
    assert len(ask(game.operator(), "audit.list", studio_id=game.game.studio_id).list("entries")) == before


def test_merging_and_erasing() -> None:
    """A merge unites them, the last twenty by time; an erasure deletes those of leaderboards."""
    game = with_boards(leaderboard(aggregation="sum", validators=[STEP]))
    for number in range(15):
        for name in ("anna", "bert"):
            submit(name, 10 + number, world=game)
        game.advance(seconds=1)
    submit("bert", 1, world=game)
    ask(game.server, "players.merge", external_id="anna", to_external_id="bert")
    (row,) = rows_of(game, SCORE_REJECTIONS)
    assert row.player_id == game.player("bert").player_id
    assert [one["value"] for one in of_entry(game, "weekly")] == [value for value in range(24, 14, -1) for _ in "ab"]
    ask(game.server, "players.erase", external_id="bert")
    assert rows_of(game, SCORE_REJECTIONS) == []


def test_an_export_has_what_was_rejected_of_the_player() -> None:
    """As operators read it, with each attempt; of nobody else."""
    game = with_events(event(validators=[STEP], attempts={"maxPerWindow": None}, target=4))
    anna, bert = game.player("anna"), game.player("bert")
    made = [score(anna, 4), started(anna), started(bert)]
    for player, attempt, points in ((anna, made[1], 9), (anna, made[1], 8), (bert, made[2], 7)):
        assert progress(player, attempt, points=points).refusal == REFUSED
    rows: Any = ask(game.server, "players.export", external_id="anna").list("attempts")
    kept = {row["attemptId"]: row["rejections"] for row in rows}
    assert kept == {id_: of_attempt(game, id_) for id_ in made[:2]}
    assert [row["value"] for row in kept[made[1]]] == [8, 9]


@pytest.mark.parametrize("kind", sorted(STORES))
def test_every_store_keeps_the_same(kind: str, tmp_path: Path) -> None:
    """One row each, whose text is the same."""
    declared: JsonObject = {
        **config(),
        "events": [event(validators=[STEP])],
        "leaderboards": [leaderboard(aggregation="sum", validators=[STEP])],
    }
    with STORES[kind](tmp_path) as store:
        game = AddedGame(store, config=parse_config(declared))
        game.register("anna")
        attempt = game.as_player("anna", "POST", "/events/race/start", {}).json["data"]["attempt"]
        path = f"/events/race/attempts/{attempt['attemptId']}/progress"
        for _ in range(3):
            assert game.as_player("anna", "POST", path, {"metrics": {"points": 9}, "idempotencyKey": "k"}).status == 422
            assert game.as_player("anna", "POST", "/leaderboards/weekly/scores", {"score": 8}).status == 422
        headers = headers_for(game.key("server"))
        assert (
            game.ask("POST", "/server/v1/players/anna/leaderboards/weekly/scores", {"score": 7}, headers=headers).status
            == 422
        )
        (stored,) = game.rows(ATTEMPTS)
        (scores,) = game.rows(SCORE_REJECTIONS)
        assert stored.rejections.count('"jump"') == 1
        assert [part.split(",")[0] for part in scores.latest.split('"value":')[1:]] == ["8", "8", "8", "7"]
