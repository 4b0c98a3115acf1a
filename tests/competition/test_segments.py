"""Segments: which leaderboard of a window a player's attempts are on."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.competition.boards import BOARDS
from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import begin, gold, progress, score
from tests.worlds import ask, rows_of


@pytest.mark.parametrize(
    ("context", "segment"),
    [
        ({"league": "gold"}, "gold"),
        ({}, "none"),
        (None, "none"),
        ({"league": 7}, "none"),
        ({"league": None}, "none"),
        ({"league": ["gold"]}, "none"),
        ({"league": "x" * 64}, "x" * 64),
        ({"league": "x" * 65}, "none"),
        ({"league": "a\tb"}, "a\tb"),
        ({"league": ""}, ""),
        ({"league": "a\0b"}, "none"),
    ],
)
def test_a_segment_is_read_from_the_context(context: object, segment: str) -> None:
    """What is missing, no string or too long is the segment `none`."""
    game = with_events(event(board={"by": "segment", "segment": "league"}))
    given: dict[str, Any] = {} if context is None else {"player_context": context}
    reply = begin(game.player("anna"), **given)
    board = ask(game.player("anna"), "leaderboards.getEvent", leaderboard_id=reply["attempt.leaderboardId"])
    assert board["leaderboard.segment"] == segment


def test_a_segment_by_country_is_the_players_country() -> None:
    """As the start finds it: the operator's, the client's own word, or that of an earlier start."""
    game = with_events(event(board={"by": "segment", "segment": "country"}, target=1))
    anna = game.player("anna")

    def segment_of(**more: Any) -> object:  # noqa: ANN401 - JSON
        game.advance(hours=1)
        reply = begin(anna, **more)
        progress(anna, reply["attempt.attemptId"], points=1)
        board = ask(anna, "leaderboards.getEvent", leaderboard_id=reply["attempt.leaderboardId"])
        assert board["entries.0.country"] == (board["leaderboard.segment"] if country else None)
        return board["leaderboard.segment"]

    country = False
    assert segment_of() == "none"
    country = True
    assert segment_of(player_context={"country": "SE"}) == "SE"
    assert segment_of(player_context={"level": 2}) == "SE"
    ask(game.server, "players.setIdentity", external_id="anna", country="NO")
    assert segment_of(player_context={"country": "FI"}) == "NO"


def test_an_attempt_stays_where_it_began() -> None:
    """Another context later moves nobody to another board."""
    game = with_events(event(board={"by": "segment", "segment": "league"}))
    anna = game.player("anna")
    first = begin(anna, player_context={"league": "gold"})
    again = begin(anna, player_context={"league": "silver"})
    assert again["attempt.leaderboardId"] == first["attempt.leaderboardId"]


def leagues(**attempts: object) -> World:
    """A game whose event has a leaderboard for each league, and any number of attempts."""
    return with_events(
        event(
            board={"by": "segment", "segment": "league"},
            target=10,
            attempts={"maxPerWindow": None, **attempts},
            rankRewards=[{"from": 1, "to": 1, "entries": [gold(5)]}],
        )
    )


def test_one_player_is_ranked_in_one_segment_of_a_window() -> None:
    """That of the first attempt, also where it has expired; in the next window it may be another one."""
    game = leagues(durationSeconds=60)
    anna = game.player("anna")
    boards = {begin(anna, player_context={"league": "gold"}).text("attempt.leaderboardId")}
    game.advance(seconds=61)
    for league in (*(f"league-{number}" for number in range(5)), None):
        reply = begin(anna, player_context=None if league is None else {"league": league})
        boards.add(reply.text("attempt.leaderboardId"))
        progress(anna, reply["attempt.attemptId"], points=10)
    (board_id_,) = boards
    assert ask(anna, "leaderboards.getEvent", leaderboard_id=board_id_)["leaderboard.segment"] == "gold"
    assert len([row for row in rows_of(game, BOARDS) if row.kind == "event"]) == 1
    game.advance(hours=1)
    assert [row["externalPlayerId"] for row in game.emitted("grant.created")] == ["anna"]
    later = begin(anna, player_context={"league": "wood"})
    assert (
        ask(anna, "leaderboards.getEvent", leaderboard_id=later["attempt.leaderboardId"])["leaderboard.segment"]
        == "wood"
    )


@pytest.mark.parametrize(("source", "target"), [("anna", "bert"), ("bert", "anna")])
def test_after_a_merge_the_earlier_of_the_two_says_the_segment(source: str, target: str) -> None:
    """Whoever of the two is merged into the other, and however often each has played."""
    game = leagues()
    score(game.player("anna"), 10, player_context={"league": "gold"})
    game.advance(seconds=1)
    for _ in range(3):
        score(game.player("bert"), 10, player_context={"league": "wood"})
    ask(game.server, "players.merge", external_id=source, to_external_id=target)
    again = begin(game.player(target), player_context={"league": "tin"})
    assert (
        ask(game.player(target), "leaderboards.getEvent", leaderboard_id=again["attempt.leaderboardId"])[
            "leaderboard.segment"
        ]
        == "gold"
    )
    assert again["attempt.attemptCount"] == 5
