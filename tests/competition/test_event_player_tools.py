"""What merging, erasing, banning and exporting a player does to attempts and to entries on events' leaderboards."""

from __future__ import annotations

import pytest

from livecore.events.attempt_records import ATTEMPTS
from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import attempt_row, begin, board, board_id, gold, places, progress, score, started
from tests.worlds import Reply, Since, ask, ban, rows_of

PAID = [{"from": 1, "to": 3, "entries": [gold(5)]}]
MANY: JsonObject = {"maxPerWindow": 9}


def merge(game: World, source: str, target: str) -> Reply:
    """Merge one player into another."""
    return ask(game.server, "players.merge", external_id=source, to_external_id=target)


# -- merging --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counts", "stands"), [("best", 9), ("last", 4)])
def test_two_entries_become_one_by_what_counts(counts: str, stands: int) -> None:
    """The best of all attempts of both, or the last one that was started."""
    game = with_events(event(attempts={"counts": counts, "maxPerWindow": 9}, target=100))
    score(game.player("source"), 9)
    game.advance(seconds=1)
    score(game.player("target"), 4)
    score(game.player("third"), 6)
    merge(game, "source", "target")
    expected = [("target", 9), ("third", 6)] if stands == 9 else [("third", 6), ("target", 4)]
    assert [row[1:] for row in places(game, board_id(game))] == expected


def test_the_targets_running_attempt_goes_on_and_the_sources_ends() -> None:
    """At the moment of the merge, with what it has scored."""
    game = with_events(event(attempts=MANY))
    source, target = game.player("source"), game.player("target")
    theirs, own = score(source, 9), score(target, 4)
    game.advance(seconds=10)
    since = Since(game)
    merge(game, "source", "target")
    assert [row["attemptId"] for row in since.of("event.expired")] == [theirs]
    assert [attempt_row(game, id_).status for id_ in (theirs, own)] == ["expired", "in_progress"]
    assert attempt_row(game, theirs).ends_at == game.now
    assert begin(target)["attempt.attemptId"] == own
    assert progress(target, own, points=1)["rank"] == 1
    assert places(game, board_id(game)) == [(1, "target", 9)]


def test_a_source_that_runs_alone_goes_on_as_the_target() -> None:
    """It is charged to nobody again, and takes progress from the target."""
    game = with_events(event(entryCost=[gold(1)], attempts=MANY))
    source, target = game.player("source"), game.player("target")
    ask(game.server, "wallet.credit", external_id="source", economy_key="gold", amount=1)
    theirs = score(source, 9)
    merge(game, "source", "target")
    reply = begin(target)
    assert (reply.status, reply["attempt.attemptId"]) == (200, theirs)
    assert progress(target, theirs, points=1)["attempt.score"] == 10


def test_a_better_attempt_stands_also_where_an_older_one_runs_on() -> None:
    """The source's first attempt goes on as the target's third; the target's better one stays on the board."""
    game = with_events(event(attempts=MANY, target=20))
    source, target = game.player("source"), game.player("target")
    theirs = score(source, 3)
    game.advance(seconds=1)
    score(target, 20)
    merge(game, "source", "target")
    reply = progress(target, theirs, points=1)
    assert (reply["attempt.score"], reply["attempt.attemptCount"], reply["rank"]) == (4, 2, 1)
    assert places(game, board_id(game)) == [(1, "target", 20)]


def test_an_attempt_of_the_source_shows_the_rank_of_the_one_that_stands() -> None:
    """Its own entry was taken off the board when the two became one."""
    game = with_events(event(attempts=MANY, target=20))
    theirs = score(game.player("source"), 20)
    score(game.player("third"), 30)
    score(game.player("target"), 40)
    merge(game, "source", "target")
    assert ask(game.player("target"), "events.getAttempt", key="race", attempt_id=theirs)["rank"] == 1


@pytest.mark.parametrize("by_target", [False, True])
def test_attempts_of_both_count_towards_the_limit(by_target: bool) -> None:
    """Two of the one and one of the other are three, whoever is merged into whom, and whoever was last."""
    game = with_events(event(target=1, attempts={"maxPerWindow": 4}))
    first, second = game.player("first"), game.player("second")
    score(first, 1)
    game.advance(seconds=1)
    score(second, 1)
    game.advance(seconds=1)
    score(first, 1)
    source, target = ("first", "second") if by_target else ("second", "first")
    merge(game, source, target)
    player = game.player(target)
    fourth = begin(player)
    assert (fourth.status, fourth["attempt.attemptCount"]) == (201, 4)
    progress(player, fourth["attempt.attemptId"], points=1)
    assert begin(player).refusal == (409, "attempt_limit_reached")


def test_the_attempt_in_progress_is_the_last_one_after_a_merge() -> None:
    """Where the last one counts, it is the running one, before and after its next progress."""
    game = with_events(event(target=20, attempts={"counts": "last", "maxPerWindow": 9}))
    source, target = game.player("source"), game.player("target")
    running = score(target, 3)
    game.advance(seconds=1)
    score(source, 20)
    merge(game, "source", "target")
    assert places(game, board_id(game)) == [(1, "target", 3)]
    progress(target, running, points=1)
    assert places(game, board_id(game)) == [(1, "target", 4)]


def test_an_open_board_ranks_the_united_player_once() -> None:
    """The others move up, and the count of entries is of one less."""
    game = with_events(event(attempts=MANY))
    for name, points in (("source", 9), ("third", 7), ("target", 5)):
        score(game.player(name), points)
    id_ = board_id(game)
    assert board(game, id_)["leaderboard.entryCount"] == 3
    merge(game, "source", "target")
    assert places(game, id_) == [(1, "target", 9), (2, "third", 7)]
    assert board(game, id_)["leaderboard.entryCount"] == 2


def test_a_final_board_keeps_both_entries_and_both_are_the_targets() -> None:
    """What was paid stays paid; `around` the target shows the target's own entry, or else the source's."""
    game = with_events(event(rankRewards=PAID))
    for name, points in (("source", 9), ("third", 7), ("target", 5)):
        score(game.player(name), points)
    id_ = board_id(game)
    game.advance(minutes=30)
    merge(game, "source", "target")
    assert places(game, id_) == [(1, "target", 9), (2, "third", 7), (3, "target", 5)]
    assert places(game, id_, around="target", limit=1) == [(3, "target", 5)]
    game.player("fourth")
    merge(game, "third", "fourth")
    assert places(game, id_, around="fourth", limit=1) == [(2, "fourth", 7)]
    pending = ask(game.player("target"), "grants.listPending").list("grants")
    assert len([row for row in pending if row["sourceKind"] == "event_rank"]) == 2


# -- erasing --------------------------------------------------------------------------------------------------------------


def test_an_erased_player_keeps_the_rank_and_the_pools_identity_and_is_not_paid() -> None:
    """The others are paid for their own ranks, as if the player were still there."""
    game = with_events(event(rankRewards=[{"from": 1, "to": 1, "entries": [gold(5)]}, PAID[0] | {"from": 2}]))
    for name, points in (("anna", 9), ("bert", 7)):
        score(game.player(name), points)
    ask(game.player("anna"), "players.setIdentity", name="Anna Lind")
    id_ = board_id(game)
    before = board(game, id_)["entries.0"]
    assert isinstance(before, dict)
    ask(game.server, "players.erase", external_id="anna")
    game.advance(minutes=30)
    after = board(game, id_)["entries.0"]
    assert isinstance(after, dict)
    assert (before["name"], after["name"]) == ("Anna Lind", before["anonymizedName"])
    assert (after["rank"], after["score"], after["playerId"]) == (1, 9, before["playerId"])
    assert "anna" not in repr(after).lower().replace("anonymized", "")
    assert [row["externalPlayerId"] for row in game.emitted("grant.created")] == ["bert"]


def test_an_erased_players_attempt_ends_with_the_window() -> None:
    """Nothing of the player's own is left in it."""
    game = with_events(event(board={"by": "segment", "segment": "town"}))
    started(game.player("anna"), player_context={"town": "Gotham"})
    ask(game.server, "players.erase", external_id="anna")
    game.advance(minutes=30)
    (row,) = rows_of(game, ATTEMPTS)
    assert (row.status, row.segment) == ("expired", None)
    (told,) = game.emitted("event.expired")
    assert "anna" not in str(told["externalPlayerId"])


# -- banning, exporting, the profile --------------------------------------------------------------------------------------


def test_a_banned_player_stays_on_the_board_until_its_close() -> None:
    """Which leaves the player out and pays nothing; the player may still read."""
    game = with_events(event(rankRewards=PAID))
    anna = game.player("anna")
    hers = score(anna, 9)
    ban(anna)
    assert progress(anna, hers, points=1).refusal == (403, "player_banned")
    assert ask(anna, "events.getAttempt", key="race", attempt_id=hers)["rank"] == 1
    id_ = board_id(game)
    assert places(game, id_) == [(1, "anna", 9)]
    game.advance(minutes=30)
    assert places(game, id_) == []
    assert game.emitted("grant.created") == []
    assert ask(anna, "events.getAttempt", key="race", attempt_id=hers)["rank"] is None


def test_an_export_has_the_attempts_and_the_scores() -> None:
    """Newest first, and of other players nothing."""
    game = with_events(event(attempts=MANY, target=3))
    anna = game.player("anna")
    score(game.player("bert"), 2)
    made = []
    for points in (3, 1):
        made.append(score(anna, points))
        game.advance(seconds=1)
    bundle = ask(game.server, "players.export", external_id="anna")
    assert [row["attemptId"] for row in bundle.list("attempts")] == made[::-1]
    listed = ask(anna, "events.listAttempts", key="race").list("attempts")
    assert bundle.list("attempts") == [{**row, "rejections": []} for row in listed]
    assert bundle.list("leaderboardEntries") == [
        {"leaderboardId": board_id(game), "score": 3, "reachedAt": "2026-01-01T00:00:00.000Z"}
    ]


def test_an_export_has_no_score_that_was_removed() -> None:
    """The attempt is there, expired."""
    game = with_events(event())
    score(game.player("anna"), 3)
    ask(game.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=board_id(game))
    bundle = ask(game.server, "players.export", external_id="anna")
    assert [row["status"] for row in bundle.list("attempts")] == ["expired"]
    assert bundle.list("leaderboardEntries") == []


def test_the_profile_shows_recent_attempts_and_counts_them() -> None:
    """Capped, newest first, over all events."""
    game = with_events(event(attempts=MANY, target=3), event("other"))
    anna = game.player("anna")
    made = [score(anna, 3), score(anna, 3), score(anna, 1)]
    game.advance(seconds=1)
    made.append(started(anna, "other"))
    game.advance(minutes=40)
    profile = ask(game.server, "players.get", external_id="anna", limit=2)
    assert profile["attempts.0.attemptId"] == made[-1]
    assert len(profile.list("attempts")) == 2
    counted = ("attemptCount", "attemptsCompleted", "attemptsExpired")
    assert [profile[f"summary.{name}"] for name in counted] == [4, 2, 2]
