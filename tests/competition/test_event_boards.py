"""The leaderboards of events: who stands where, in pages and around somebody, and how an entry is taken away."""

from __future__ import annotations

import pytest

from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import attempt_row, begin, board, board_id, gold, places, progress, score, started
from tests.worlds import Reply, Since, ask

MANY: JsonObject = {"maxPerWindow": 9}


def remove(game: World, name: str, id_: object) -> Reply:
    """Take a player off a board, as the studio's backend."""
    return ask(game.server, "leaderboards.removeEventEntry", external_id=name, leaderboard_id=id_)


def crowd(size: int) -> tuple[World, str]:
    """A board with so many players, p1 first, and its id."""
    game = with_events(event())
    for number in range(1, size + 1):
        score(game.player(f"p{number}"), 1_000 - number)
    return game, board_id(game)


# -- which attempt stands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counts", "shown"), [("best", [5, 5, 9]), ("last", [5, 3, 9])])
def test_which_of_several_attempts_stands(counts: str, shown: list[int]) -> None:
    """The best of them, or the last one that has made progress; a start alone changes nothing."""
    game = with_events(event(target=100, attempts={"counts": counts, "maxPerWindow": 3, "durationSeconds": 60}))
    anna = game.player("anna")
    seen: list[object] = []
    for points in (5, 3, 9):
        id_ = started(anna)
        if seen:
            assert places(game, board_id(game)) == [(1, "anna", seen[-1])]
        progress(anna, id_, points=points)
        seen.append(places(game, board_id(game))[0][2])
        game.advance(minutes=1)
    assert seen == shown


def test_a_worse_attempt_shows_the_rank_of_the_one_that_stands() -> None:
    """The player has one rank on a board."""
    game = with_events(event(target=9, attempts=MANY))
    anna = game.player("anna")
    score(anna, 9)
    score(game.player("bert"), 5)
    reply = progress(anna, started(anna), points=2)
    assert (reply["attempt.score"], reply["rank"]) == (2, 1)


# -- ranks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "expected"), [("desc", ["c", "a", "b"]), ("asc", ["b", "a", "c"])])
def test_ranks_are_by_score(order: str, expected: list[str]) -> None:
    """The most first, or the least where less is better."""
    game = with_events(event(order=order, metrics=[{"key": "points", "aggregation": "last"}]))
    for name, points in (("a", 5), ("b", -3), ("c", 8)):
        score(game.player(name), points)
    found = places(game, board_id(game))
    assert [row[1] for row in found] == expected
    assert [row[0] for row in found] == [1, 2, 3]
    assert board(game, board_id(game))["leaderboard.order"] == order


def test_of_equal_scores_the_one_that_was_reached_first_is_better() -> None:
    """Reaching it again later, and reporting without changing it, move nobody."""
    game = with_events(event(metrics=[{"key": "points", "aggregation": "last"}]))
    ids = {}
    for name in ("first", "second", "third"):
        ids[name] = score(game.player(name), 7)
        game.advance(seconds=1)
    assert [row[1] for row in places(game, board_id(game))] == ["first", "second", "third"]
    progress(game.player("first"), ids["first"], points=7)
    assert [row[1] for row in places(game, board_id(game))] == ["first", "second", "third"]
    for points in (8, 7):
        progress(game.player("first"), ids["first"], points=points)
    found = board(game, board_id(game)).list("entries")
    assert [row["externalPlayerId"] for row in found] == ["second", "third", "first"]
    assert [row["reachedAt"] for row in found][-1] == "2026-01-01T00:00:03.000Z"


def test_of_scores_reached_at_one_moment_the_lower_id_is_better() -> None:
    """So ranks have no ties."""
    game = with_events(event())
    players = [game.player(f"p{number}") for number in range(6)]
    for player in players:
        score(player, 7)
    expected = [player.external_id for player in sorted(players, key=lambda player: player.player_id)]
    assert [row[1] for row in places(game, board_id(game))] == expected
    assert [row[0] for row in places(game, board_id(game))] == [1, 2, 3, 4, 5, 6]


def test_an_entry_shows_who_it_is_now() -> None:
    """The name set since, the pool's identity beside it, and the country."""
    game = with_events(event())
    anna = game.player("anna")
    score(anna, 3, player_context={"country": "SE"})
    before = board(game, board_id(game))["entries.0"]
    ask(anna, "players.setIdentity", name="Anna", avatar="fox")
    after = board(game, board_id(game))["entries.0"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert before["name"] == before["anonymizedName"]
    assert after == {**before, "name": "Anna", "avatar": "fox"}
    assert (after["country"], after["isBot"], after["playerId"]) == ("SE", False, anna.player_id)


def test_what_a_board_says_of_itself() -> None:
    """Its window, its event and its state; it is shared by nobody but this window."""
    game = with_events(event())
    attempt = begin(game.player("anna"))["attempt"]
    assert isinstance(attempt, dict)
    assert board(game, attempt["leaderboardId"])["leaderboard"] == {
        "leaderboardId": attempt["leaderboardId"], "key": "race", "name": "Race", "eventKey": "race",
        "eventWindowId": attempt["eventWindowId"], "lobbyId": None, "segment": None, "division": None, "cohort": None,
        "participantScope": "player", "status": "open", "order": "desc", "startsAt": "2026-01-01T00:00:00.000Z",
        "endsAt": "2026-01-01T00:30:00.000Z", "nextResetAt": None, "entryCount": 0,
    }  # fmt: skip


def test_segments_rank_apart() -> None:
    """Each has a board of its own, with a first rank of its own."""
    game = with_events(event(board={"by": "segment", "segment": "league"}))
    made = {}
    for name, league, points in (("a", "gold", 1), ("b", "wood", 9), ("c", "gold", 2)):
        reply = begin(game.player(name), player_context={"league": league})
        made[league] = reply["attempt.leaderboardId"]
        progress(game.player(name), reply["attempt.attemptId"], points=points)
    assert places(game, made["gold"]) == [(1, "c", 2), (2, "a", 1)]
    assert places(game, made["wood"]) == [(1, "b", 9)]


# -- pages ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_joined_are_the_board(limit: int) -> None:
    """With the same ranks."""
    game, id_ = crowd(7)
    joined: list[JsonObject] = []
    cursor: dict[str, object] = {}
    while cursor.get("cursor", "") is not None:
        page = board(game, id_, limit=limit, **cursor)
        joined += page.list("entries")
        cursor = {"cursor": page["nextCursor"]}
    assert joined == board(game, id_).list("entries")
    assert [row["rank"] for row in joined] == list(range(1, 8))


def test_pages_of_the_largest_scores_follow_one_another() -> None:
    """A cursor of the board holds any score that there can be."""
    game = with_events(event())
    largest = [2**53 - 1, 2**53 - 2, 10**15, 5]
    for number, points in enumerate(largest):
        score(game.player(f"p{number}"), points)
    id_ = board_id(game)
    joined: list[object] = []
    cursor: dict[str, object] = {}
    while cursor.get("cursor", "") is not None:
        page = board(game, id_, limit=1, **cursor)
        joined += [row["score"] for row in page.list("entries")]
        cursor = {"cursor": page["nextCursor"]}
    assert joined == largest


@pytest.mark.parametrize(
    ("name", "limit", "ranks"),
    [
        ("p4", 3, [3, 4, 5]),
        ("p4", 4, [2, 3, 4, 5]),
        ("p1", 3, [1, 2, 3]),
        ("p7", 3, [5, 6, 7]),
        ("p4", 1, [4]),
        ("p4", 50, [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_a_page_around_somebody(name: str, limit: int, ranks: list[int]) -> None:
    """In the middle, or nearer to an end of the board; the next page follows it."""
    game, id_ = crowd(7)
    page = board(game, id_, around=name, limit=limit)
    assert [row["rank"] for row in page.list("entries")] == ranks
    if ranks[-1] == 7:
        assert page["nextCursor"] is None
    else:
        following = board(game, id_, limit=limit, cursor=page["nextCursor"])
        assert following["entries.0.rank"] == ranks[-1] + 1


def test_who_has_no_entry_has_no_page_around() -> None:
    """A stranger, who made no progress, and who was taken off."""
    game, id_ = crowd(2)
    started(game.player("idle"))
    remove(game, "p2", id_)
    for name in ("nobody", "idle", "p2"):
        assert board(game, id_, around=name).refusal == (404, "leaderboard_entry_not_found")


def test_around_and_a_cursor_do_not_go_together() -> None:
    """Nor is any text a cursor."""
    game, id_ = crowd(3)
    cursor = board(game, id_, limit=1)["nextCursor"]
    assert board(game, id_, around="p1", cursor=cursor).refusal == (400, "validation_failed")
    assert board(game, id_, cursor="nonsense").fields == ["cursor"]
    assert board(game, id_, limit=201).fields == ["limit"]
    assert board(game, "lbd_nothing").refusal == (404, "leaderboard_not_found")


# -- removal --------------------------------------------------------------------------------------------------------------


def test_a_cheater_is_taken_off_the_board() -> None:
    """The attempt has expired, the others move up, and there is nothing to remove a second time."""
    game = with_events(event())
    anna = game.player("anna")
    hers = score(anna, 9)
    score(game.player("bert"), 5)
    id_ = board_id(game)
    assert remove(game, "anna", id_).data == {"removed": True}
    assert places(game, id_) == [(1, "bert", 5)]
    assert board(game, id_)["leaderboard.entryCount"] == 1
    seen = ask(anna, "events.getAttempt", key="race", attempt_id=hers)
    assert (seen["attempt.status"], seen["rank"]) == ("expired", None)
    assert progress(anna, hers, points=1)["details"] == {"status": "expired"}
    assert begin(anna).refusal == (409, "attempt_limit_reached")
    assert remove(game, "anna", id_).data == {"removed": False}


def test_removal_ends_a_completed_attempt_too_and_no_older_one_takes_its_place() -> None:
    """All attempts that could have stood there are void."""
    game = with_events(event(target=9, attempts={"maxPerWindow": 3}))
    anna = game.player("anna")
    made = [score(anna, 9), score(anna, 10), score(anna, 3)]
    remove(game, "anna", board_id(game))
    assert places(game, board_id(game)) == []
    statuses = [attempt_row(game, id_).status for id_ in made]
    assert statuses[1:] == ["expired", "expired"]
    assert begin(anna).refusal == (409, "attempt_limit_reached")


def test_who_was_removed_may_play_on_where_attempts_are_left() -> None:
    """With a new attempt, which stands alone."""
    game = with_events(event(attempts=MANY))
    anna = game.player("anna")
    score(anna, 9)
    remove(game, "anna", board_id(game))
    score(anna, 4)
    assert places(game, board_id(game)) == [(1, "anna", 4)]


def test_a_removed_player_is_not_paid() -> None:
    """The next one is, for the rank that was freed."""
    game = with_events(event(rankRewards=[{"from": 1, "to": 1, "entries": [gold(1)]}]))
    score(game.player("anna"), 9)
    score(game.player("bert"), 5)
    remove(game, "anna", board_id(game))
    game.advance(minutes=30)
    assert [row["externalPlayerId"] for row in game.emitted("grant.created")] == ["bert"]


def test_nothing_is_taken_off_a_final_board() -> None:
    """409, also for somebody who is not on it; refusals come in their order."""
    game = with_events(event())
    score(game.player("anna"), 9)
    game.player("bert")
    id_ = board_id(game)
    game.advance(minutes=30)
    for name in ("anna", "bert"):
        assert remove(game, name, id_).refusal == (409, "leaderboard_finalized")
    assert remove(game, "anna", "lbd_nothing").refusal == (404, "leaderboard_not_found")
    assert remove(game, "nobody", id_).refusal == (404, "player_not_found")
    assert places(game, id_) == [(1, "anna", 9)]


def test_removal_is_told_as_the_end_of_a_running_attempt() -> None:
    """What was waiting to be told of its progress comes first."""
    game = with_events(event())
    score(game.player("anna"), 9)
    id_ = board_id(game)
    since = Since(game)
    remove(game, "anna", id_)
    assert since.kinds == ["event.expired", "event.progress_updated"]
    game.advance(seconds=20)
    assert since.kinds == ["event.expired", "event.progress_updated", "window.opened"]
