"""Operators list the attempts of a window by state, flag and player, by time or by score, and pages join to the whole."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from livecore.world import World
from tests.competition.games import event, with_events
from tests.competition.playing import progress, score, started
from tests.worlds import Reply, ask, ask_all_pages

FLAG: dict[str, Any] = {"key": "much", "kind": "range", "max": 6, "verdict": "flag"}


@pytest.fixture(scope="module")
def game() -> World:
    """Players with up to three attempts each: completed, expired and running, some flagged, some without a score."""
    here = with_events(
        event(target=9, attempts={"maxPerWindow": 3, "durationSeconds": 60}, validators=[FLAG]), event("other")
    )
    for number, name in enumerate("abcd"):
        score(here.player(name), 9)
        here.advance(seconds=1)
        score(here.player(name), number + 4)
        here.advance(seconds=61)
    for name in "abd":
        attempt = started(here.player(name))
        if name != "d":
            progress(here.player(name), attempt, points=8 if name == "a" else 1)
        here.advance(seconds=1)
    started(here.player("a"), "other")
    return here


def window(game: World) -> object:
    """The id of the window that is open."""
    return ask(game.player("a"), "events.list")["events.0.window.eventWindowId"]


def look(game: World, **query: object) -> Reply:
    """Ask for a page."""
    return ask(game.operator(), "attempts.listOfWindow", event_key="race", window_id=window(game), **query)


def whole(game: World, limit: int = 200, **query: object) -> list[dict[str, Any]]:
    """All pages of a list."""
    return ask_all_pages(
        game.operator(), "attempts.listOfWindow", "attempts",
        event_key="race", window_id=window(game), limit=limit, **query,
    )  # fmt: skip


@pytest.mark.parametrize("sort", ["startedAt", "score"])
def test_every_filter_gives_what_it_says(game: World, sort: str) -> None:
    """In every combination, in pages of every size; the order is that of the whole list."""
    everything = whole(game, sort=sort)
    assert len(everything) == (11 if sort == "startedAt" else 10)
    if sort == "startedAt":
        assert everything == sorted(everything, key=lambda row: str(row["startedAt"]), reverse=True)
    else:
        assert [row["score"] for row in everything] == sorted((row["score"] for row in everything), reverse=True)
    for state, flagged, player in product(
        (None, "in_progress", "completed", "expired"), (None, True, False), (None, "a", "d")
    ):
        query = {
            name: given
            for name, given in {"state": state, "flagged": flagged, "player": player}.items()
            if given is not None
        }
        expected = [
            row
            for row in everything
            if state in {None, row["status"]}
            and flagged in {None, row["flagged"]}
            and player in {None, row["externalPlayerId"]}
        ]
        for limit in (1, 2, 200):
            assert whole(game, limit, sort=sort, **query) == expected, (query, limit)


def test_the_flagged_and_the_running_are_among_them(game: World) -> None:
    """The fixture has something of each kind, or the test above would say nothing."""
    kinds = {(row["status"], row["flagged"]) for row in whole(game)}
    assert kinds == {(state, flag) for state in ("in_progress", "expired") for flag in (True, False)} | {
        ("completed", True)
    }


def test_a_state_has_two_names(game: World) -> None:
    """Which must not disagree."""
    assert whole(game, status="completed") == whole(game, state="completed", status="completed")
    assert look(game, status="completed", state="expired").fields == ["status"]


def test_a_player_whom_there_is_not_has_none(game: World) -> None:
    """An empty list; a filter is no path."""
    assert look(game, player="nobody").data == {"attempts": [], "nextCursor": None}


@pytest.mark.parametrize(
    "query", [{"sort": "name"}, {"state": "frozen"}, {"flagged": "perhaps"}, {"player": ""}, {"limit": 0}], ids=str
)
def test_what_there_is_not_is_refused(game: World, query: dict[str, object]) -> None:
    """By its name."""
    assert look(game, **query).fields == list(query)


def test_a_cursor_is_of_one_order(game: World) -> None:
    """That of a list by time is none of a list by score."""
    cursor = look(game, limit=1)["nextCursor"]
    assert look(game, sort="score", cursor=cursor).fields == ["cursor"]
