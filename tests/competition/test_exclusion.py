"""Exclusion: a player who is taken off a leaderboard for good does not come back to it until it is final."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.kernel.storage.records import evolve
from livecore.leaderboards.boards import ENTRIES
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.competition.games import event, leaderboard, with_events
from tests.competition.playing import begin, board_id, gold, places, progress, score, started
from tests.competition.shared import divisions, shared, shown, with_boards
from tests.competition.shared import score as submit
from tests.worlds import Reply, Since, ask, put, rows_of

EXCLUDED = (403, "excluded_from_board")
REWARDS: list[Any] = [{"from": 1, "to": 3, "entries": [gold(10)]}]
SURFACES = ["backend", "operator"]


def take_off(game: World, name: str, board: object, surface: str = "backend", **more: object) -> Reply:
    """Take a player off the leaderboard of an event for good."""
    more = {"exclude": True, **more}
    if surface == "operator":
        return ask(game.operator(), "leaderboards.removeEntry", external_id=name, leaderboard_id=board, **more)
    return ask(game.server, "leaderboards.removeEventEntry", external_id=name, leaderboard_id=board, **more)


def take_off_shared(game: World, name: str, surface: str = "backend", key: str = "weekly") -> Reply:
    """Take a player off a shared leaderboard for good."""
    if surface == "operator":
        return ask(game.operator(), "leaderboards.removeEntry", external_id=name, leaderboard_id=key, exclude=True)
    return ask(game.server, "leaderboards.removeEntry", external_id=name, key=key, exclude=True)


def sound(game: World) -> None:
    """Nothing contradicts itself."""
    assert found_wrong(game) == []


# -- events ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("most", [1, None])
def test_who_is_excluded_neither_starts_nor_reports(surface: str, most: int | None) -> None:
    """Until the window is over; whatever attempts are left. Without `exclude` the next attempt is on the board again."""
    game = with_events(event(attempts={"maxPerWindow": most}, rankRewards=REWARDS))
    anna, id_ = game.player("anna"), board_id(game)
    attempt = score(anna, 9)
    score(game.player("bert"), 1)
    assert take_off(game, "anna", id_, surface).data == {"removed": True}
    assert take_off(game, "anna", id_, surface).data == {"removed": False}
    for refused in (begin(anna), progress(anna, attempt, points=1)):
        assert refused.refusal == EXCLUDED
        assert refused["details"] == {"leaderboardId": id_}
    assert places(game, id_) == [(1, "bert", 1)]
    assert begin(game.player("carl")).status == 201
    sound(game)
    game.advance(minutes=30)
    assert [row["externalPlayerId"] for row in game.emitted("grant.created")] == ["bert"]
    assert progress(anna, attempt, points=1).refusal == (409, "attempt_not_in_progress")
    game.advance(minutes=31)
    score(anna, 3)
    sound(game)


def test_removing_without_exclusion_lets_the_player_back() -> None:
    """As before: `exclude` is false by default, and may be said to be."""
    game = with_events(event(attempts={"maxPerWindow": None}, target=9))
    anna, id_ = game.player("anna"), board_id(game)
    for more in ({}, {"exclude": False}):
        score(anna, 9)
        assert ask(game.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=id_, **more)[
            "removed"
        ]
    score(anna, 9)
    assert places(game, id_) == [(1, "anna", 9)]


@pytest.mark.parametrize("surface", SURFACES)
def test_who_is_not_on_the_board_is_excluded_too(surface: str) -> None:
    """With a running attempt, which ends, and before any attempt; the answer says that there was no entry."""
    game = with_events(event())
    anna, id_ = game.player("anna"), board_id(game)
    running = started(anna)
    game.player("bert")
    for name in ("anna", "bert"):
        assert take_off(game, name, id_, surface).data == {"removed": False}
        assert begin(game.player(name)).refusal == EXCLUDED
    assert progress(anna, running, points=1).refusal == EXCLUDED
    assert ask(anna, "events.getAttempt", key="race", attempt_id=running)["attempt.status"] == "expired"
    sound(game)


def test_a_repetition_under_its_key_answers_the_same() -> None:
    """And another value of `exclude` is another request."""
    game = with_events(event())
    id_ = board_id(game)
    score(game.player("anna"), 9)
    for _ in range(2):
        assert take_off(game, "anna", id_, idempotency_key="k").data == {"removed": True}
    assert take_off(game, "anna", id_, idempotency_key="k", exclude=False).refusal == (409, "idempotency_conflict")


def test_an_exclusion_is_of_a_segment() -> None:
    """Where the player's attempts in the window are; others in it, and those of other segments, play on."""
    game = with_events(event(board={"by": "segment", "segment": "league"}, attempts={"maxPerWindow": None}))
    anna = game.player("anna")
    reply = begin(anna, player_context={"league": "gold"})
    progress(anna, reply["attempt.attemptId"], points=9)
    take_off(game, "anna", reply["attempt.leaderboardId"])
    for context in ({"league": "gold"}, {"league": "wood"}, None):
        assert begin(anna, player_context=context).refusal == EXCLUDED
    assert begin(game.player("bert"), player_context={"league": "gold"}).status == 201


def arena(**session: object) -> World:
    """An event in lobbies of two, any number of attempts in each."""
    rules: dict[str, Any] = {
        "lobby": {"capacity": 2, "fillSeconds": 60},
        "attempts": {"maxPerWindow": None},
        "target": 10,
    }
    if session:
        rules["session"] = session
    return with_events(event(**rules))


def in_lobby(game: World, *names: str) -> list[tuple[WorldPlayer, str, str]]:
    """Players with an attempt in one lobby: each with the attempt's and the board's id."""
    players = [game.player(name) for name in names]
    for player in players:
        begin(player)
    found = [begin(player) for player in players]
    return [
        (player, reply.text("attempt.attemptId"), reply.text("attempt.leaderboardId"))
        for player, reply in zip(players, found, strict=True)
    ]


def test_an_exclusion_is_of_a_lobby() -> None:
    """While it is open; once it is closed, the player may play in another one."""
    game = arena(triggers=[{"label": "won", "type": "first_to_target"}], resolution="close")
    (anna, attempt, id_), (bert, other, _) = in_lobby(game, "anna", "bert")
    progress(anna, attempt, points=9)
    assert take_off(game, "anna", id_).data == {"removed": True}
    assert begin(anna).refusal == EXCLUDED
    sound(game)
    progress(bert, other, points=10)
    assert begin(anna).refusal == (202, "lobby_forming")
    assert progress(anna, attempt, points=1).refusal == (409, "attempt_not_in_progress")
    sound(game)


def test_who_cannot_start_any_more_is_not_waited_for() -> None:
    """A session ends when so many seats are still in play; an excluded player's who has not started is none of them."""
    game = arena(triggers=[{"label": "one", "type": "remaining", "value": 1}], resolution="close")
    for name in ("anna", "bert"):
        begin(game.player(name))
    id_ = begin(game.player("bert")).text("attempt.leaderboardId")
    assert game.emitted("session.terminated") == []
    take_off(game, "anna", id_)
    assert [row["leaderboardId"] for row in game.emitted("session.terminated")] == [id_]
    sound(game)


def test_a_board_of_teams_has_nobody_to_exclude() -> None:
    """A player is not on it: excluding is refused, and without `exclude` nothing happens."""
    game = with_events(event(teams={"formation": "open", "size": {"max": 2}}))
    anna = game.player("anna")
    ask(anna, "teams.create", key="race")
    score(anna, 5)
    (row,) = ask(anna, "events.list").list("events")
    of_teams: Any = row["window"]
    for surface in SURFACES:
        id_ = of_teams["teamLeaderboardId"]
        assert take_off(game, "anna", id_, surface).refusal == (404, "leaderboard_entry_not_found")
        assert take_off(game, "anna", id_, surface, exclude=False).data == {"removed": False}
    assert len(rows_of(game, ENTRIES)) == 2
    assert begin(anna).status == 200


def test_a_final_board_excludes_nobody() -> None:
    """It says so, and changes nothing."""
    game = with_events(event())
    id_ = board_id(game)
    score(game.player("anna"), 9)
    game.advance(minutes=30)
    for surface in SURFACES:
        assert take_off(game, "anna", id_, surface).refusal == (409, "leaderboard_finalized")


@pytest.mark.parametrize(("source", "target"), [("anna", "bert"), ("bert", "anna")])
@pytest.mark.parametrize("both", [True, False])
def test_a_merge_carries_the_exclusion_over(source: str, target: str, *, both: bool) -> None:
    """Whoever of the two was excluded, the one player is, and the other's score comes off."""
    game = with_events(event(attempts={"maxPerWindow": None}, target=9))
    id_ = board_id(game)
    score(game.player("anna"), 9)
    if both:
        score(game.player("bert"), 9)
    game.player("bert")
    take_off(game, "anna", id_)
    ask(game.server, "players.merge", external_id=source, to_external_id=target)
    assert begin(game.player(target)).refusal == EXCLUDED
    assert places(game, id_) == []
    sound(game)
    # And once more, into somebody who has never played.
    game.player("zoe")
    ask(game.server, "players.merge", external_id=target, to_external_id="zoe")
    assert begin(game.player("zoe")).refusal == EXCLUDED
    sound(game)


@pytest.mark.parametrize("into_excluded", [True, False])
@pytest.mark.parametrize("played", [True, False])
def test_a_merge_ends_the_run_of_whoever_is_excluded_then(*, into_excluded: bool, played: bool) -> None:
    """Whichever of the two was excluded, and whether the other one's attempt has made progress or not."""
    game = with_events(event(attempts={"maxPerWindow": None}))
    id_, bert = board_id(game), game.player("bert")
    game.player("anna")
    attempt = score(bert, 5) if played else started(bert)
    take_off(game, "anna", id_)
    source, target = ("bert", "anna") if into_excluded else ("anna", "bert")
    since = Since(game)
    assert ask(game.server, "players.merge", external_id=source, to_external_id=target).status == 200
    assert [row["attemptId"] for row in since.of("event.expired")] == [attempt]
    assert begin(game.player(target)).refusal == EXCLUDED
    assert progress(game.player(target), attempt, points=1).refusal == EXCLUDED
    forced = ask(game.operator(), "attempts.forceComplete", attempt_id=attempt, score=7, reason="lost")
    assert forced.refusal == (409, "attempt_not_in_progress")
    assert places(game, id_) == []
    sound(game)


def test_a_merge_ends_a_session_in_which_the_excluded_were_awaited() -> None:
    """The attempt that the merge ends was one of those that are still in play."""
    game = arena(triggers=[{"label": "one", "type": "remaining", "value": 1}], resolution="close")
    (_, _, id_), _ = in_lobby(game, "anna", "bert")
    game.player("zoe")
    take_off(game, "zoe", id_)
    assert game.emitted("session.terminated") == []
    ask(game.server, "players.merge", external_id="zoe", to_external_id="anna")
    assert [row["leaderboardId"] for row in game.emitted("session.terminated")] == [id_]
    sound(game)


# -- shared leaderboards --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("played", [True, False])
def test_no_score_is_taken_for_the_rest_of_the_period(surface: str, *, played: bool) -> None:
    """From the game or from the backend, of who had an entry and of who had none; the next period is open to all."""
    game = shared()
    anna = game.player("anna")
    if played:
        submit(anna, 9)
    assert take_off_shared(game, "anna", surface).data == {"removed": played}
    assert submit(anna, 10).refusal == EXCLUDED
    assert ask(game.server, "leaderboards.submit", external_id="anna", key="weekly", score=1).refusal == EXCLUDED
    assert shown(game) == []
    submit("bert", 1, world=game)
    sound(game)
    ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")
    assert submit(anna, 2).status == 200
    sound(game)


def test_a_period_that_is_over_keeps_its_exclusions_to_itself() -> None:
    """An exclusion after its end, before due work has noted that, is one of the next period."""
    game = shared()
    submit("anna", 9, world=game)
    game.now += 7 * 86_400_000
    assert take_off_shared(game, "anna").data == {"removed": False}
    assert submit("anna", 1, world=game).refusal == EXCLUDED
    assert shown(game, period="previous") == [(1, "anna", 9)]
    sound(game)


def test_what_an_event_feeds_leaves_the_player_out() -> None:
    """The attempts go on, and only the shared leaderboard does not get them."""
    boards = [leaderboard("fed", source="event", event="race", reset="never", aggregation="sum")]
    game = with_events(event(), leaderboards=boards)
    anna = game.player("anna")
    attempt = score(anna, 5)
    take_off_shared(game, "anna", key="fed")
    assert progress(anna, attempt, points=4)["rank"] == 1
    assert shown(game, "fed") == []
    assert places(game, board_id(game)) == [(1, "anna", 9)]
    sound(game)


@pytest.mark.parametrize(("source", "target"), [("anna", "bert"), ("bert", "anna")])
@pytest.mark.parametrize("both", [True, False])
def test_a_merge_carries_it_over_on_shared_leaderboards(source: str, target: str, *, both: bool) -> None:
    """The same."""
    game = with_boards(leaderboard())
    submit("anna", 9, world=game)
    game.player("bert")
    if both:
        submit("bert", 8, world=game)
    take_off_shared(game, "anna")
    ask(game.server, "players.merge", external_id=source, to_external_id=target)
    assert submit(target, 3, world=game).refusal == EXCLUDED
    assert shown(game) == []
    sound(game)


def test_who_is_excluded_stays_in_the_own_division() -> None:
    """As who had no score."""
    game = shared(divisions=divisions(("low", 1, 0), ("mid", 0, 1)))
    for name, points in (("anna", 9), ("bert", 8)):
        submit(name, points, world=game)
    take_off_shared(game, "anna")
    ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")
    found = [
        ask(game.player(name), "leaderboards.getOwn", key="weekly")["leaderboard.division"] for name in ("anna", "bert")
    ]
    assert found == ["low", "mid"]


def test_excluding_by_the_id_of_a_board_that_is_not_the_players_is_refused() -> None:
    """The board of another division; on the own one it is done, with or without an entry."""
    game = shared(divisions=divisions(("low", 1, 0), ("mid", 0, 1)))
    for name, points in (("anna", 9), ("bert", 8)):
        submit(name, points, world=game)
    ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")
    boards = {}
    for name in ("anna", "bert"):
        submit(name, 1, world=game)
        boards[name] = ask(game.player(name), "leaderboards.getOwn", key="weekly").text("leaderboard.leaderboardId")
    assert boards["anna"] != boards["bert"]
    missed = take_off(game, "anna", boards["bert"], "operator")
    assert missed.refusal == (404, "leaderboard_entry_not_found")
    assert take_off(game, "anna", boards["bert"], "operator", exclude=False).data == {"removed": False}
    assert submit("anna", 5, world=game).status == 200
    assert take_off(game, "anna", boards["anna"], "operator").data == {"removed": True}
    assert submit("anna", 6, world=game).refusal == EXCLUDED
    sound(game)


def test_one_who_stands_where_they_are_excluded_is_found() -> None:
    """By the checker."""
    game = with_events(event())
    score(game.player("anna"), 9)
    (entry,) = rows_of(game, ENTRIES)
    put(game, ENTRIES, evolve(entry, excluded_at=1))
    assert "is of a player who is excluded from the board" in str(found_wrong(game))
