"""The memory store's ordered index against a sorted list: any mixture of adding, removing and looking."""

from __future__ import annotations

from bisect import insort
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.kernel.storage.sorted_run import SortedRun
from livecore.kernel.storage.tables import Key

Place = tuple[int, int]
NUMBERS = st.integers(0, 60)
PLACES = st.tuples(NUMBERS, NUMBERS)
BOUNDS = st.one_of(st.none(), PLACES, st.tuples(NUMBERS))


def _within(place: Key, start: Key | None, stop: Key | None) -> bool:
    return (start is None or place >= start) and (stop is None or place < stop)


def _compare(run: SortedRun, listed: list[Place], start: Key | None, stop: Key | None) -> None:
    expected = [place for place in listed if _within(place, start, stop)]
    assert list(run.between(start, None, stop, reverse=False)) == expected
    assert list(run.between(start, None, stop, reverse=True)) == expected[::-1]
    for most in (0, 1, 3, 600):
        assert run.between(start, None, stop, reverse=False, limit=most) == expected[:most]
        assert run.between(start, None, stop, reverse=True, limit=most) == expected[::-1][:most]
    assert run.count(start, stop) == len(expected)
    assert list(run.copy().between(None, None, None, reverse=False)) == listed


@given(st.lists(PLACES, max_size=80), BOUNDS, BOUNDS)
def test_a_run_is_a_sorted_list(changes: list[Place], start: Key | None, stop: Key | None) -> None:
    """A place is added when it is not there and removed when it is; every look agrees."""
    run, listed = SortedRun(), list[Place]()
    for place in changes:
        if place in listed:
            listed.remove(place)
            run.remove(place)
        else:
            insort(listed, place)
            run.add(place)
        assert bool(run) == bool(listed)
    _compare(run, listed, start, stop)
    for place in listed[:5]:
        assert list(run.between(None, place, None, reverse=False)) == [other for other in listed if other > place]


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1_000, 3_000))
def test_a_long_run_is_a_sorted_list(seed: int, size: int) -> None:
    """Beyond the size of one chunk, filled in any order and emptied by half."""
    numbers = [(number, 0) for number in range(size)]
    # From a seed, because Hypothesis would draw, and keep, each step of the shuffle: thousands for one example.
    Random(seed).shuffle(numbers)  # noqa: S311 - an order to try, and no secret
    run = SortedRun()
    for place in numbers:
        run.add(place)
    for place in numbers[: size // 2]:
        run.remove(place)
    rest = sorted(numbers[size // 2 :])
    _compare(run, rest, (size // 4,), (3 * size // 4,))
    _compare(run, rest, None, None)


def test_an_empty_run() -> None:
    """Holds nothing, in any bounds."""
    _compare(SortedRun(), [], (1,), (2,))
