"""A ranking that is loaded while rows change: whatever comes in whatever order, the newest version of each stands.

The rows are a small model of a store: each commit counts the participant's version, and a row that is removed is kept.
"""

from __future__ import annotations

import tracemalloc
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.ranking.replica import Change, LiveRanking

Notice: TypeAlias = "tuple[str, int, Place | None]"
Scored: TypeAlias = "tuple[str, int | None]"
"""A participant, and a score or a removal."""
FIRST = 7_000_000

PARTICIPANTS = st.sampled_from(["a", "ba", "c", "d" * 32])
# Few scores and one instant, so that a participant comes back to a place where it has been.
SCORED = st.tuples(PARTICIPANTS, st.one_of(st.none(), st.integers(0, 3)))
STEPS = st.one_of(
    SCORED.map(lambda scored: ("commit", scored)),
    st.integers(1, 3).map(lambda limit: ("page", limit)),
    st.integers(0, 50).map(lambda number: ("deliver", number)),
    st.just(("removed", 0)),
)


def _place(participant: str, score: int | None) -> Place | None:
    return None if score is None else Place(score, 5, participant)


class Rows:
    """The committed rows, and every notice of them in the order of the commits."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[int, Place | None]] = {}
        self.published: list[Notice] = []

    def commit(self, participant: str, score: int | None) -> None:
        """Change a row, with a notice of it."""
        version = self.rows.get(participant, (0, None))[0] + 1
        self.rows[participant] = (version, _place(participant, score))
        self.published.append((participant, *self.rows[participant]))

    def board(self) -> list[Place]:
        """The committed places in their order."""
        return sorted(place for _, place in self.rows.values() if place is not None)

    def page(self, after: Place | None, limit: int) -> list[tuple[Place, int]]:
        """Places and versions in the order of the board."""
        places = [place for place in self.board() if after is None or place > after]
        return [(place, self.rows[place.participant][0]) for place in places[:limit]]

    def removed(self) -> list[Notice]:
        """The rows of who was removed."""
        return [(participant, *row) for participant, row in self.rows.items() if row[1] is None]


class Loader:
    """Loads a ranking page after page, and keeps beside it the newest version of each participant that it was told of."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.live = LiveRanking(FIRST)
        self.last: Place | None = None
        self.told: dict[str, tuple[int, Place | None]] = {}

    def page(self, limit: int) -> None:
        """Load one page more; an empty one is the end."""
        if self.live.state != "loading":
            return
        page = self.rows.page(self.last, limit)
        for place, version in page:
            self._tell(place.participant, version, place)
        self.live.load(page)
        if page:
            self.last = page[-1][0]
        else:
            self.live.finish()

    def deliver(self, notice: Notice) -> None:
        """Tell the ranking of a change."""
        self._tell(*notice)
        self.live.apply(*notice)

    def finish(self) -> None:
        """Load all pages that are left."""
        while self.live.state == "loading":
            self.page(2)

    def check(self) -> None:
        """The board is that of the newest versions told of."""
        expected = sorted(place for _, place in self.told.values() if place is not None)
        assert self.live.ranking.page(1, 100) == expected
        for participant, (version, place) in self.told.items():
            assert self.live.newest(participant) == (version, place)
            assert self.live.place(participant) == place

    def _tell(self, participant: str, version: int, place: Place | None) -> None:
        if version > self.told.get(participant, (0, None))[0]:
            self.told[participant] = (version, place)


@settings(max_examples=300)
@given(
    before=st.lists(SCORED, max_size=10),
    steps=st.lists(STEPS, max_size=30),
    late=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_the_newest_version_of_each_stands(
    before: list[Scored], steps: list[tuple[str, int | Scored]], late: bool, seed: int
) -> None:
    """Pages of different moments and notices in any order, with repetitions, give the board of the committed rows.

    At every moment the board is that of the newest versions told of so far. With `late`, notices of changes from before the
    subscription come too; who was removed before it is then known from the rows that the store keeps.
    """
    rows = Rows()
    for scored in before:
        rows.commit(*scored)
    subscribed = len(rows.published)
    loader = Loader(rows)
    for kind, what in steps:
        delivered = rows.published[0 if late else subscribed :]
        if not isinstance(what, int):
            rows.commit(*what)
        elif kind == "page":
            loader.page(what)
        elif kind == "removed":
            for notice in rows.removed():
                loader.deliver(notice)
        elif delivered:
            loader.deliver(delivered[what % len(delivered)])
        loader.check()
    loader.finish()
    for notice in rows.removed():
        loader.deliver(notice)
    rest = rows.published[0 if late else subscribed :] * 2
    # From a seed, because Hypothesis would draw, and keep, each step of the shuffle.
    Random(seed).shuffle(rest)  # noqa: S311 - an order to try, and no secret
    for notice in rest:
        loader.deliver(notice)
        loader.check()
    assert loader.live.ranking.page(1, 100) == rows.board()


@given(st.lists(SCORED, max_size=30), st.integers(0, 30), st.integers(1, 30))
def test_a_reader_who_comes_back_catches_up(commits: list[Scored], seen: int, logged: int) -> None:
    """What is told since a revision turns the board of that revision into the present one, or is said to be unknown."""
    rows, live = Rows(), LiveRanking(FIRST, most_logged=logged)
    boards: list[dict[str, Place]] = [{}]
    for scored in commits:
        rows.commit(*scored)
        if live.apply(*rows.published[-1]) is not None:
            boards.append({place.participant: place for place in live.ranking.page(1, 100)})
    assert live.revision == FIRST + len(boards) - 1
    seen %= len(boards) + 1
    changes = live.since(FIRST + seen)
    missed = len(boards) - 1 - seen
    assert (changes is not None) == (0 <= missed <= logged)
    if changes is None:
        return
    revisions = [change.revision for change in changes]
    assert revisions == sorted(revisions)
    assert set(revisions) <= set(range(FIRST + seen + 1, live.revision + 1))
    assert len({change.participant for change in changes}) == len(changes)
    board = dict(boards[seen])
    for change in changes:
        board.pop(change.participant, None)
        if change.place is not None:
            board[change.participant] = change.place
    assert board == boards[-1]


@given(st.lists(SCORED, max_size=30))
def test_a_change_says_what_it_did(commits: list[Scored]) -> None:
    """The place and the rank until then, and nothing where nobody was removed."""
    rows, live = Rows(), LiveRanking(FIRST)
    for scored in commits:
        board, before = rows.board(), rows.rows.get(scored[0], (0, None))[1]
        rows.commit(*scored)
        moved = live.apply(*rows.published[-1])
        after = _place(*scored)
        if before is None and after is None:
            assert moved is None
            continue
        assert moved is not None
        assert moved.change == Change(live.revision, scored[0], after)
        assert moved.before == before
        assert moved.previous_rank == (None if before is None else board.index(before) + 1)
        assert live.apply(*rows.published[-1]) is None


def test_other_revisions_are_recognised() -> None:
    """A revision of the future, of a time before, and of a ranking with another first revision."""
    live = LiveRanking(FIRST)
    live.apply("a", 1, _place("a", 1))
    assert live.since(FIRST + 1) == []
    assert live.since(FIRST) == [Change(FIRST + 1, "a", _place("a", 1))]
    assert [live.since(revision) for revision in (FIRST - 1, FIRST + 2, 2 * FIRST)] == [None, None, None]


def test_states() -> None:
    """Loading until it is said to have finished, then current; stale for good once notices were missed."""
    live = LiveRanking(FIRST)
    states = [live.state]
    live.finish()
    states.append(live.state)
    with pytest.raises(RuntimeError, match="loaded already"):
        live.load([(Place(1, 0, "a"), 1)])
    live.miss()
    live.finish()
    live.load([(Place(1, 0, "a"), 1)])
    states.append(live.state)
    assert states == ["loading", "current", "stale"]
    assert live.since(FIRST) is None


def test_what_does_not_fit_is_refused() -> None:
    """A place of somebody else, and a version that is no count; nothing has changed then."""
    live = LiveRanking(FIRST)
    with pytest.raises(ValueError, match="another participant"):
        live.apply("a", 1, Place(0, 0, "b"))
    with pytest.raises(ValueError, match="version"):
        live.apply("a", -1, Place(0, 0, "a"))
    with pytest.raises(ValueError, match="version"):
        live.load([(Place(0, 0, "a"), 2**64)])
    assert (len(live.ranking), live.newest("a"), live.revision) == (0, (0, None), FIRST)


def test_a_page_may_show_somebody_twice() -> None:
    """The newer row stands, whichever comes first."""
    rows = [(Place(1, 0, "a"), 1), (Place(1, 0, "b"), 2), (Place(2, 0, "a"), 2), (Place(2, 0, "b"), 1)]
    live = LiveRanking(FIRST)
    live.load(rows)
    assert live.ranking.page(1, 10) == [Place(1, 0, "b"), Place(2, 0, "a")]


def test_rows_before_a_refused_one_stand() -> None:
    """What is known of a participant and the board agree also after an error in the middle of a page."""
    live = LiveRanking(FIRST)
    with pytest.raises(ValueError, match="id"):
        live.load([(Place(1, 0, "a"), 1), (Place(2, 0, ""), 1)])
    assert (live.place("a"), live.ranking.page(1, 10)) == (Place(1, 0, "a"), [Place(1, 0, "a")])


def test_many_participants() -> None:
    """Thousands are loaded out of order, some of them twice, and each is known by its newest version."""
    numbers = list(range(5_000))
    Random(1).shuffle(numbers)  # noqa: S311 - an order to try, and no secret
    live = LiveRanking(FIRST)
    rows = [(Place(number % 50, number, f"plr_{number}"), 1) for number in numbers]
    live.load(rows + [(Place(-1, place.reached_at, place.participant), 2) for place, _ in rows[:100]])
    for place, _ in rows[100:200]:
        assert live.apply(place.participant, 3, None) is not None
    expected = {place.participant: place for place, _ in rows}
    expected |= {place.participant: Place(-1, place.reached_at, place.participant) for place, _ in rows[:100]}
    for place, _ in rows[100:200]:
        del expected[place.participant]
    assert live.ranking.page(1, 5_000) == sorted(expected.values())
    assert all(live.place(participant) == place for participant, place in expected.items())
    assert live.place(rows[150][0].participant) is None
    assert 50 < live.memory_bytes / 5_000 < 66
    # The table has grown with them: a search reads a few hundred bytes at most.
    assert max(map(len, live._numbers._marks)) < 400


def test_a_participant_takes_at_most_64_bytes() -> None:
    """After loading, and after many changes; and the estimate is near what is allocated."""
    chance, size = Random(1), 20_000  # noqa: S311 - scores to try, and no secret
    ids = [f"plr_{number:026}" for number in range(size)]
    scores = [chance.randrange(10**6) for _ in range(3 * size)]
    tracemalloc.start()
    try:
        live = LiveRanking(FIRST, most_logged=1)
        live.load((Place(score, 0, participant), 1) for participant, score in zip(ids, scores, strict=False))
        live.finish()
        loaded, _ = tracemalloc.get_traced_memory()
        for at, score in enumerate(scores[size:]):
            live.apply(ids[at % size], 2 + at // size, Place(score, at, ids[at % size]))
        changed, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert loaded <= 64 * size
    assert changed <= 64 * size
    assert 0.9 < live.memory_bytes / changed < 1.1


def test_an_id_inside_another_is_not_taken_for_it() -> None:
    """The packed record of `ba` contains the bytes of the id `a` and the null bytes behind it."""
    live = LiveRanking(FIRST)
    live.apply("ba", 1, _place("ba", 1))
    assert live.place("a") is None
    live.apply("a", 1, _place("a", 2))
    assert (live.place("a"), live.place("ba")) == (_place("a", 2), _place("ba", 1))
