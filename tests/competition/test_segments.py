"""Segments: which leaderboard of a window a player's attempts are on."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.leaderboards.boards import BOARDS
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


# -- erasure --------------------------------------------------------------------------------------------------------------


def _shown(here: World, board_id: str) -> object:
    return ask(here.player("reader"), "leaderboards.getEvent", leaderboard_id=board_id)["leaderboard.segment"]


def _erase(here: World, *names: str) -> None:
    for name in names:
        assert ask(here.server, "players.erase", external_id=name)["status"] == "erased"


@pytest.mark.parametrize("progressed", [False, True])
def test_an_erasure_takes_the_segment_along_in_which_nobody_else_is(progressed: bool) -> None:
    """A value of the context can say who somebody is; in no row of the board is anything left of it."""
    here = leagues()
    anna = here.player("anna")
    attempt = begin(anna, player_context={"league": "Anna 0160 555"})
    if progressed:
        progress(anna, attempt["attempt.attemptId"], points=5)
    board_id = attempt.text("attempt.leaderboardId")
    assert _shown(here, board_id) == "Anna 0160 555"
    _erase(here, "anna")
    assert _shown(here, board_id) is None
    assert "0160 555" not in repr(here.store.dump())


def test_a_segment_stays_while_somebody_else_stands_in_it() -> None:
    """Until the last of them is erased; a merged player is in it as the one into whom they were merged."""
    here = leagues()
    players = [here.player(name) for name in ("anna", "bert", "cleo")]
    begun = [begin(player, player_context={"league": "gold"}) for player in players]
    for player, attempt in zip(players, begun, strict=True):
        progress(player, attempt["attempt.attemptId"], points=5)
    board_id = begun[0].text("attempt.leaderboardId")
    here.player("dora")
    ask(here.server, "players.merge", external_id="cleo", to_external_id="dora")
    _erase(here, "anna", "bert")
    assert _shown(here, board_id) == "gold"
    _erase(here, "dora")
    assert _shown(here, board_id) is None


def test_a_segment_that_was_emptied_occurs_again() -> None:
    """With the next player in it, on the same board, and in all later attempts of theirs."""
    here = leagues()
    first = begin(here.player("anna"), player_context={"league": "gold"})
    _erase(here, "anna")
    bert = here.player("bert")
    again = begin(bert, player_context={"league": "gold"})
    assert again["attempt.leaderboardId"] == first["attempt.leaderboardId"]
    assert _shown(here, again.text("attempt.leaderboardId")) == "gold"
    progress(bert, again["attempt.attemptId"], points=10)
    later = begin(bert, player_context={"league": "silver"})
    assert later["attempt.leaderboardId"] == first["attempt.leaderboardId"]


def test_a_country_and_the_segment_of_those_without_a_value_stay() -> None:
    """Neither is a text of the player's."""
    here = with_events(event(board={"by": "segment", "segment": "country"}, target=1))
    by_country = begin(here.player("anna"), player_context={"country": "SE"}).text("attempt.leaderboardId")
    _erase(here, "anna")
    assert _shown(here, by_country) == "SE"
    here = leagues()
    without = begin(here.player("anna")).text("attempt.leaderboardId")
    _erase(here, "anna")
    assert _shown(here, without) == "none"
