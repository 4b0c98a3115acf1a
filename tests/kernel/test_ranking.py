"""Exact ranks against a sorted list: any mixture of adding, removing, loading and looking."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.leaderboards.ranking import order as module
from livecore.leaderboards.ranking.order import MOST_SORT_KEY, Place, Ranking, pack, unpack

LONGEST = "z" * 32
KEYS = st.sampled_from([-MOST_SORT_KEY, -1_000, -1, 0, 1, MOST_SORT_KEY])
INSTANTS = st.sampled_from([0, 1, 1_760_000_000_000, 2**53])
IDS = st.sampled_from(["\x01", "a", "ab", "b", LONGEST[:-1], LONGEST])
PLACES = st.builds(Place, KEYS, INSTANTS, IDS)
CHANGES = st.one_of(
    st.tuples(st.just("insert"), PLACES),
    st.tuples(st.just("remove"), PLACES),
    st.tuples(st.just("load"), st.lists(PLACES, max_size=20)),
    st.tuples(st.just("load"), st.lists(PLACES, max_size=20).map(sorted)),
)


@pytest.fixture(scope="class")
def _short_runs() -> Iterator[None]:
    """Runs of at most 8 places, so that a few dozen places divide and join them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST", 8)
        patch.setattr(module, "_DIVIDED", 6)
        patch.setattr(module, "_FEW", 2)
        yield


def _compare(ranking: Ranking, listed: list[Place], asked: list[Place]) -> None:
    """Every look agrees with the sorted list; `asked` are places that may be in or not."""
    size = len(listed)
    assert len(ranking) == size
    assert [ranking.at(rank) for rank in range(1, size + 1)] == listed
    for first in {1, 2, 7, size, size + 1}:
        for limit in (0, 1, 10, size + 1):
            assert first < 1 or ranking.page(first, limit) == listed[first - 1 : first - 1 + limit]
    for place in [*listed, *asked]:
        assert ranking.rank(place) == 1 + sum(other < place for other in listed)
        behind = [other for other in listed if other > place]
        assert ranking.after(place, 3) == behind[:3]
        assert ranking.after(place, size + 1) == behind


@pytest.mark.usefixtures("_short_runs")
class TestLaw:
    """The laws, on short runs."""

    @given(st.lists(CHANGES, max_size=40), st.lists(PLACES, max_size=3))
    def test_a_ranking_is_a_sorted_list(
        self, changes: list[tuple[str, Place | list[Place]]], asked: list[Place]
    ) -> None:
        """By score, then by who reached it first, then by id, after any changes; each says whether it changed anything."""
        ranking, held = Ranking(), set[Place]()
        for kind, what in changes:
            if not isinstance(what, Place):
                ranking.load(what)
                held.update(what)
            elif kind == "insert":
                assert ranking.insert(what) == (what not in held)
                held.add(what)
            else:
                assert ranking.remove(what) == (what in held)
                held.discard(what)
            assert len(ranking) == len(held)
        _compare(ranking, sorted(held), asked)

    @settings(max_examples=30)
    @given(st.integers(0, 2**32))
    def test_moves_and_looks_in_turn(self, seed: int) -> None:
        """After every move of one of sixty players each rank is that of the sorted list."""
        chance = Random(seed)  # noqa: S311 - an order to try, and no secret
        held = {f"plr_{number}": Place(0, 0, f"plr_{number}") for number in range(60)}
        ranking = Ranking()
        ranking.load(sorted(held.values()))
        for now in range(100):
            player = chance.choice(sorted(held))
            assert ranking.remove(held[player])
            held[player] = Place(chance.randrange(-5, 5), now, player)
            assert ranking.insert(held[player])
            assert len(ranking._runs) > 60 // 8
            listed = sorted(held.values())
            assert ranking.rank(held[player]) == listed.index(held[player]) + 1
            asked = chance.randrange(60)
            assert ranking.at(asked + 1) == listed[asked]
        _compare(ranking, sorted(held.values()), [])

    @pytest.mark.parametrize("held", [0, 3])
    def test_a_piece_of_any_length(self, held: int) -> None:
        """Is divided into runs without losing a place, on an empty board and between the places of another."""
        for length in range(60):
            places = [Place(number, 0, "p") for number in range(length)]
            others = [Place(number - 1, 0, "q") for number in range(held)]
            ranking = Ranking()
            ranking.load(others)
            ranking.load(places)
            assert ranking.page(1, 100) == sorted(places + others)

    @pytest.mark.parametrize("backwards", [False, True])
    def test_short_runs_are_joined(self, backwards: bool) -> None:
        """A board that is thinned out does not keep a run for each few places."""
        places = [Place(number, 0, "p") for number in range(400)]
        ranking = Ranking()
        ranking.load(places)
        for place in reversed(places) if backwards else places:
            if place.sort_key % 10:
                ranking.remove(place)
        assert len(ranking._runs) <= 20
        _compare(ranking, places[::10], places[:3])

    def test_a_board_can_be_emptied(self) -> None:
        """And filled again."""
        places = [Place(number, 0, "p") for number in range(100)]
        ranking = Ranking()
        for _ in range(2):
            ranking.load(places)
            for place in places:
                assert ranking.remove(place)
            _compare(ranking, [], places[:2])


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_a_long_board_is_a_sorted_list(seed: int) -> None:
    """With runs of their real length: half of it loaded, half of it inserted in any order, then some removed."""
    chance = Random(seed)  # noqa: S311 - an order to try, and no secret
    places = [Place(chance.randrange(-500, 500), chance.randrange(10), f"plr_{number}") for number in range(4_000)]
    ranking = Ranking()
    ranking.load(sorted(places[:2_000]))
    for place in places[2_000:]:
        ranking.insert(place)
    for place in places[1_000:2_500]:
        ranking.remove(place)
    left = sorted(places[:1_000] + places[2_500:])
    assert ranking.page(1, 4_000) == left
    assert [ranking.at(rank) for rank in range(1, 2_501)] == left
    assert [ranking.rank(place) for place in left] == list(range(1, 2_501))


@given(PLACES, PLACES)
def test_packed_places_sort_as_places(one: Place, other: Place) -> None:
    """The order of the bytes is that of the places, and nothing is lost."""
    assert (pack(one) < pack(other)) == (one < other)
    assert unpack(pack(one)) == one


@pytest.mark.parametrize(
    "place",
    [
        Place(MOST_SORT_KEY + 1, 0, "a"),
        Place(-MOST_SORT_KEY - 1, 0, "a"),
        Place(0, -1, "a"),
        Place(0, 2**53 + 1, "a"),
        Place(0, 0, ""),
        Place(0, 0, LONGEST + "z"),
        Place(0, 0, "a\0"),
        Place(0, 0, "é"),
    ],
)
def test_what_does_not_fit_is_refused(place: Place) -> None:
    """Rather than ranked wrongly; nothing is added."""
    ranking = Ranking()
    with pytest.raises(ValueError, match=r"sort key|instant|id"):
        ranking.insert(place)
    assert len(ranking) == 0


@pytest.mark.parametrize("rank", [0, 2, -1])
def test_no_place_beyond_the_board(rank: int) -> None:
    """Ranks count from 1 to the length."""
    ranking = Ranking()
    ranking.insert(Place(0, 0, "a"))
    with pytest.raises(IndexError):
        ranking.at(rank)


def test_a_page_begins_at_a_rank() -> None:
    """Rank 0 is a mistake of the caller."""
    with pytest.raises(ValueError, match="count from 1"):
        Ranking().page(0, 10)


def test_memory_is_told() -> None:
    """The estimate is near what is allocated, and no object is kept for each place."""
    tracemalloc.start()
    try:
        ranking = Ranking()
        ranking.load(Place(number, 0, f"plr_{number}") for number in range(20_000))
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.8 < ranking.memory_bytes / allocated < 1.25
    assert allocated < 60 * 20_000
