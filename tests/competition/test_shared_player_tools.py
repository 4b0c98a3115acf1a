"""What merging, erasing and exporting players does to shared leaderboards."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.boards import ENTRIES
from livecore.leaderboards.divisions import MEMBERSHIPS
from livecore.world import World
from tests.competition.shared import board_of, divisions, reward, score, shared, shown
from tests.competition.test_shared_divisions import own, play, roll
from tests.worlds import ask, rows_of


def merge(game: World, source: str, target: str) -> None:
    """Make one player of two."""
    assert ask(game.server, "players.merge", external_id=source, to_external_id=target)["status"] == "merged"


@pytest.mark.parametrize(
    ("aggregation", "order", "expected"),
    [("sum", "desc", 12), ("best", "desc", 7), ("lowest", "asc", 5), ("last", "desc", 5)],
)
def test_two_entries_become_one_by_the_aggregation(aggregation: str, order: str, expected: int) -> None:
    """Bob's was written later; whoever is merged into whom."""
    for source, target in (("ann", "bob"), ("bob", "ann")):
        game = shared(aggregation=aggregation, order=order)
        play(game, ann=7)
        game.advance(seconds=1)
        play(game, bob=5)
        merge(game, source, target)
        assert shown(game) == [(1, target, expected)]
        (row,) = board_of(game).list("entries")
        second = {"sum": "01", "best": "00", "lowest": "01", "last": "01"}[aggregation]
        assert row["reachedAt"] == f"2026-01-04T12:00:{second}.000Z"


def test_a_sum_of_two_stays_at_the_largest_number() -> None:
    """A merge is not refused for a score."""
    game = shared(aggregation="sum")
    play(game, ann=MAX_AMOUNT, bob=1)
    merge(game, "ann", "bob")
    assert shown(game) == [(1, "bob", MAX_AMOUNT)]


def test_an_entry_alone_comes_to_the_target() -> None:
    """With its score, its time and its flag; further scores go on from it."""
    game = shared(aggregation="sum", validators=[{"key": "v", "kind": "max_rate", "limit": 0, "verdict": "flag"}])
    play(game, ann=7)
    game.player("bob")
    game.advance(seconds=5)
    merge(game, "ann", "bob")
    (row,) = board_of(game).list("entries")
    assert (row["externalPlayerId"], row["score"], row["reachedAt"]) == ("bob", 7, "2026-01-04T12:00:00.000Z")
    assert [entry.flagged for entry in rows_of(game, ENTRIES) if entry.sort_key is not None] == [True]
    play(game, bob=1)
    assert shown(game) == [(1, "bob", 8)]


def test_a_removed_entry_does_not_come_back_by_a_merge() -> None:
    """The cheater's score is gone for good."""
    game = shared()
    play(game, ann=7, bob=5)
    ask(game.server, "leaderboards.removeEntry", external_id="ann", key="weekly")
    merge(game, "ann", "bob")
    assert shown(game) == [(1, "bob", 5)]


def test_the_one_entry_is_on_the_targets_leaderboard() -> None:
    """Where the two were in different divisions."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)), aggregation="sum")
    play(game, ann=9, bob=8, cid=1)
    roll(game)
    play(game, ann=9, bob=8)
    merge(game, "ann", "bob")
    assert (shown(game), shown(game, division="gold")) == ([(1, "bob", 17)], [])
    assert own(game, "bob")["division"] == "bronze"


def test_the_place_in_the_later_period_stays() -> None:
    """Whoever has played last says where the one player stands; the other's entry of then is history."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)))
    play(game, ann=9, bob=8)
    roll(game)
    play(game, ann=3)
    merge(game, "ann", "bob")
    assert shown(game, division="gold") == [(1, "bob", 3)]
    assert [name for _, name, _ in shown(game, period="previous")][1:] == ["bob"]
    roll(game)
    play(game, bob=1)
    assert own(game, "bob")["division"] == "gold"


def test_what_was_earned_before_a_merge_counts_after_it() -> None:
    """The target, who had no place, enters where the source would have."""
    game = shared(divisions=divisions(("bronze", 1, 0), ("gold", 0, 0)))
    play(game, ann=9, cid=8)
    roll(game)
    game.player("bob")
    merge(game, "ann", "bob")
    assert own(game, "bob")["division"] == "gold"


def test_final_leaderboards_stay_as_they_were() -> None:
    """Both entries are there, and the ranks below them are unmoved."""
    game = shared()
    play(game, ann=9, bob=8, cid=7)
    roll(game)
    merge(game, "ann", "cid")
    assert [(rank, points) for rank, _, points in shown(game, period="previous")] == [(1, 9), (2, 8), (3, 7)]
    assert board_of(game, period="previous")["leaderboard.entryCount"] == 3


def test_a_merge_between_end_and_payment_loses_no_reward() -> None:
    """A period is over before its ranks are paid; what the source has won there is the target's."""
    game = shared(rankRewards=[reward(1, 1, 7), reward(2, 2, 5)])
    play(game, ann=9, bob=8)
    game.now += 86_400_000
    merge(game, "ann", "bob")
    assert [points for _, _, points in shown(game, period="previous")] == [9, 8]
    game.advance()
    grants: list[Any] = ask(game.player("bob"), "grants.listPending").list("grants")
    assert sorted(row["entries"][0]["amount"] for row in grants) == [5, 7]


def test_an_erased_player_stays_without_a_name_and_wins_nothing() -> None:
    """The entry shows the identity of the pool; the rank is not another's."""
    game = shared(rankRewards=[reward(1, 2, 7)])
    ann = game.player("ann")
    ask(ann, "players.setIdentity", name="Ann the Quick", avatar=None)
    play(game, ann=9, bob=8)
    ask(game.server, "players.erase", external_id="ann")
    first, second = board_of(game).list("entries")
    assert first["name"] == first["anonymizedName"] != "Ann the Quick"
    assert second["rank"] == 2
    assert rows_of(game, MEMBERSHIPS) == [row for row in rows_of(game, MEMBERSHIPS) if row.player_id != ann.player_id]
    roll(game)
    assert [told["externalPlayerId"] for told in game.emitted("grant.created")] == ["bob"]


def test_a_former_player_who_comes_back_is_new() -> None:
    """With an entry of their own."""
    game = shared()
    play(game, ann=9, bob=1)
    merge(game, "ann", "bob")
    game._players.pop("ann")
    score("ann", 3, world=game)
    assert shown(game) == [(1, "bob", 9), (2, "ann", 3)]
