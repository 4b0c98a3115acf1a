"""Divisions and cohorts: who enters where, who moves up and down, and what each board pays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.errors import JsonObject
from livecore.leaderboards import entering as entering_module
from livecore.leaderboards.definition import Division
from livecore.leaderboards.divisions import COHORTS, next_division
from livecore.world import World
from tests.competition.games import leaderboard
from tests.competition.shared import board_of, divisions, ranks, reward, score, shared, shown
from tests.worlds import ask, befriend, config, rows_of

THREE = divisions(("bronze", 2, 0), ("silver", 1, 1), ("gold", 0, 1))


def play(game: World, **points: int) -> None:
    """Submit a score for each player, by name."""
    for name, given_ in points.items():
        score(name, given_, world=game)


def roll(game: World) -> None:
    """End the present period."""
    assert ask(game.server, "dev.rolloverNow", leaderboard_key="weekly")["rolledOver"] is True


def own(game: World, name: str) -> JsonObject:
    """The leaderboard on which a player stands or would."""
    found = ask(game.player(name), "leaderboards.getOwn", key="weekly")["leaderboard"]
    assert isinstance(found, dict)
    return found


def stands(game: World, *names: str) -> list[object]:
    """The division of each player."""
    return [own(game, name)["division"] for name in names]


PARTS = (
    Division(key="low", promote=2, relegate=3),
    Division(key="mid", promote=1, relegate=2),
    Division(key="top", promote=5, relegate=1),
)


@pytest.mark.parametrize(
    ("key", "rank", "count", "expected"),
    [
        ("low", 1, 10, "mid"), ("low", 2, 10, "mid"), ("low", 3, 10, "low"), ("low", 10, 10, "low"),
        ("mid", 1, 10, "top"), ("mid", 2, 10, "mid"), ("mid", 8, 10, "mid"), ("mid", 9, 10, "low"),
        ("mid", 10, 10, "low"), ("top", 1, 10, "top"), ("top", 6, 10, "top"), ("top", 10, 10, "mid"),
        ("mid", None, 10, "mid"), ("mid", 1, 1, "top"), ("mid", 2, 2, "low"), ("top", 1, 1, "mid"), ("top", 5, 5, "mid"),
    ],
)  # fmt: skip
def test_the_best_move_up_and_the_last_move_down(key: str, rank: int | None, count: int, expected: str) -> None:
    """On a small board up wins over down, where there is a higher division; without a score nobody moves."""
    (own_,) = (part for part in PARTS if part.key == key)
    is_best, is_last = rank is not None and rank <= own_.promote, rank is not None and rank > count - own_.relegate
    assert next_division(PARTS, key, is_best=is_best, is_last=is_last) == expected


@pytest.mark.parametrize("most_read", [0, 200])
@pytest.mark.parametrize(("up", "down"), [(2, 1), (0, 3), (4, 4), (3, 0), (9, 9)])
def test_ranks_say_who_moves(monkeypatch: pytest.MonkeyPatch, most_read: int, up: int, down: int) -> None:
    """However many move: their entries are read, or counted."""
    monkeypatch.setattr(entering_module, "_MOST_READ", most_read)
    game = shared(divisions=divisions(("low", 9, 0), ("mid", up, down), ("top", 0, 0)))
    names = ["ann", "bob", "cid", "dan", "eve"]
    play(game, **dict.fromkeys(names, 1))
    roll(game)
    play(game, **{name: 10 - place for place, name in enumerate(names)})
    roll(game)
    ups = names[:up]
    downs = [name for name in names[max(0, 5 - down) :] if name not in ups]
    assert stands(game, *names) == ["top" if name in ups else "low" if name in downs else "mid" for name in names]


def test_who_is_new_enters_the_lowest_division() -> None:
    """Which is what is read without naming one."""
    game = shared(divisions=THREE)
    play(game, ann=5)
    assert own(game, "ann")["division"] == "bronze"
    assert own(game, "ann")["cohort"] is None
    assert shown(game) == shown(game, division="bronze") == [(1, "ann", 5)]
    assert shown(game, division="gold") == []
    assert board_of(game, division="gold")["leaderboard.division"] == "gold"
    assert board_of(game, division="iron").fields == ["division"]
    assert board_of(game, division="gold", cohort=1).fields == ["cohort"]


def test_players_move_between_divisions_over_several_periods() -> None:
    """By the last period in which they had a score, whenever that was."""
    game = shared(divisions=THREE)
    play(game, ann=50, bob=40, cid=30, dan=20)
    roll(game)
    assert stands(game, "ann", "bob", "cid", "dan", "eve") == ["silver", "silver", "bronze", "bronze", "bronze"]
    play(game, ann=1, bob=9, cid=1)
    assert shown(game, division="silver") == [(1, "bob", 9), (2, "ann", 1)]
    assert shown(game) == [(1, "cid", 1)]
    roll(game)
    assert shown(game, division="silver", period="previous") == [(1, "bob", 9), (2, "ann", 1)]
    assert stands(game, "ann", "bob", "cid", "dan") == ["bronze", "gold", "silver", "bronze"]
    play(game, cid=1)
    roll(game)
    assert stands(game, "ann", "bob", "cid") == ["bronze", "gold", "gold"]
    play(game, bob=1, cid=2)
    assert ranks(board_of(game, division="gold")) == [(1, "cid", 2), (2, "bob", 1)]
    roll(game)
    assert stands(game, "bob", "cid") == ["silver", "gold"]
    game.advance(days=30)
    assert stands(game, "ann", "bob", "cid", "dan") == ["bronze", "silver", "gold", "bronze"]


def test_who_was_removed_had_no_score_and_stays() -> None:
    """In the division where the entry was."""
    game = shared(divisions=THREE)
    play(game, ann=5, bob=4, cid=3)
    roll(game)
    assert stands(game, "ann") == ["silver"]
    play(game, ann=5)
    ask(game.server, "leaderboards.removeEntry", external_id="ann", key="weekly")
    play(game, bob=1)
    roll(game)
    assert stands(game, "ann", "bob") == ["silver", "gold"]


def test_each_division_pays_its_own_rewards() -> None:
    """And one that declares none pays those of the leaderboard."""
    game = shared(
        divisions=divisions(("bronze", 1, 0), ("gold", 0, 0), gold=[reward(1, 1, 500)]), rankRewards=[reward(1, 2, 5)]
    )
    play(game, ann=9, bob=8, cid=7)
    roll(game)
    play(game, ann=9, bob=8)
    roll(game)

    def won(name: str) -> list[Any]:
        rows: list[Any] = ask(game.player(name), "grants.listPending").list("grants")
        return sorted(row["entries"][0]["amount"] for row in rows)

    assert (won("ann"), won("bob"), won("cid")) == ([5, 500], [5, 5], [])


def test_the_event_counts_all_and_names_the_best_of_the_highest_division() -> None:
    """Of those that somebody has entered."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)))
    play(game, ann=9, bob=8)
    roll(game)
    play(game, ann=3, bob=8)
    roll(game)
    first: Any
    second: Any
    first, second = (seen.data for seen in game.events if seen.kind == "leaderboard.period_finalized")
    assert first["entryCount"] == 2
    assert [row["externalPlayerId"] for row in first["topRanks"]] == ["ann", "bob"]
    assert second["entryCount"] == 2
    assert [row["externalPlayerId"] for row in second["topRanks"]] == ["ann"]
    assert second["leaderboardId"] == board_of(game, division="gold", period="previous")["leaderboard.leaderboardId"]


def test_the_event_names_a_cohort_that_has_entries() -> None:
    """Its leaderboard can be read, also where the first cohort has lost its entries."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)), cohortSize=2)
    play(game, ann=9, bob=8, cid=7)
    for name in ("ann", "bob"):
        ask(game.server, "leaderboards.removeEntry", external_id=name, key="weekly")
    roll(game)
    told: Any
    (told,) = (seen.data for seen in game.events if seen.kind == "leaderboard.period_finalized")
    assert (told["entryCount"], [row["externalPlayerId"] for row in told["topRanks"]]) == (1, ["cid"])
    assert told["leaderboardId"] == board_of(game, cohort=2, period="previous")["leaderboard.leaderboardId"]


def test_the_event_of_an_empty_period_names_the_lowest_division() -> None:
    """There is none that is better."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)))
    board = board_of(game, division="bronze")["leaderboard.leaderboardId"]
    game.advance(days=1)
    told: Any
    (told,) = (
        seen.data for seen in game.events if (seen.kind, seen.environment) == ("leaderboard.period_finalized", "test")
    )
    assert (told["leaderboardId"], told["entryCount"], told["topRanks"]) == (board, 0, [])


def test_a_division_that_is_no_longer_declared_is_left_for_the_lowest() -> None:
    """In the next period; the present one still has it."""
    game = shared(divisions=THREE)
    play(game, ann=9, bob=1, cid=0)
    roll(game)
    play(game, ann=9)
    fewer = divisions(("iron", 0, 0), ("silver", 1, 0))
    game.configure({**config(), "leaderboards": [leaderboard(divisions=fewer)]})
    assert stands(game, "ann", "bob", "cid") == ["silver", "silver", "bronze"]
    roll(game)
    assert stands(game, "ann", "bob", "cid") == ["iron", "silver", "iron"]
    assert board_of(game, division="bronze").fields == ["division"]
    assert shown(game, division="silver", period="previous") == [(1, "ann", 9)]
    game.configure({**config(), "leaderboards": [leaderboard()]})
    play(game, ann=1)
    roll(game)
    assert stands(game, "ann", "bob") == [None, None]


# -- cohorts --------------------------------------------------------------------------------------------------------------


def test_a_division_is_filled_into_cohorts() -> None:
    """Each of so many, one after another, numbered from 1; each is a leaderboard of its own."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)), cohortSize=2)
    play(game, ann=1, bob=2, cid=3)
    assert shown(game) == shown(game, cohort=1) == [(1, "bob", 2), (2, "ann", 1)]
    assert shown(game, cohort=2) == [(1, "cid", 3)]
    assert board_of(game, cohort=3).fields == ["cohort"]
    assert [own(game, name)["cohort"] for name in ("ann", "bob", "cid", "dan")] == [1, 1, 2, 2]
    play(game, dan=4, ann=5)
    assert own(game, "eve")["cohort"] == 3
    assert shown(game, division="gold", cohort=1) == []
    roll(game)
    assert stands(game, "ann", "bob", "cid", "dan") == ["gold", "bronze", "bronze", "gold"]
    assert shown(game, cohort=2, period="previous") == [(1, "dan", 4), (2, "cid", 3)]
    play(game, dan=1, ann=1, bob=1)
    assert [own(game, name)["cohort"] for name in ("dan", "ann", "bob")] == [1, 1, 1]


def test_friends_of_another_cohort_stand_on_another_leaderboard() -> None:
    """And are not shown among those of one's own."""
    game = shared(divisions=divisions(("bronze", 0, 0)), cohortSize=2)
    ann, bob, cid = (game.player(name) for name in ("ann", "bob", "cid"))
    befriend(ann, bob)
    befriend(ann, cid)
    play(game, ann=1, bob=2, cid=3)
    assert ranks(ask(ann, "leaderboards.friends", key="weekly")) == [(1, "bob", 2), (2, "ann", 1)]


@given(st.integers(2, 4), st.lists(st.integers(0, 11), min_size=1, max_size=25))
def test_a_cohort_never_has_more_than_its_size(size: int, players: list[int]) -> None:
    """And all but the last are full, whoever comes and comes again."""
    game = shared(divisions=divisions(("bronze", 0, 0)), cohortSize=size)
    for number in players:
        play(game, **{f"p{number}": number})
    cohorts: dict[Any, int] = {}
    for number in set(players):
        cohort = own(game, f"p{number}")["cohort"]
        cohorts[cohort] = cohorts.get(cohort, 0) + 1
    assert sorted(cohorts) == list(range(1, len(cohorts) + 1))
    assert all(count == size for cohort, count in cohorts.items() if cohort != len(cohorts))
    assert cohorts[len(cohorts)] <= size
    (row,) = rows_of(game, COHORTS)
    assert (row.cohort, row.entered) == (len(cohorts), cohorts[len(cohorts)])
