"""The ephemeral state: windows that run out, values that wait to be flushed, and bounds on both.

What holds whatever form the state has, and whether one process asks or two in turn, is in
`tests.server.test_ephemeral_states`.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.time import DAY, MINUTE
from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState, EphemeralValues

SCOPE, OTHER = Scope("gam_1", "test"), Scope("gam_1", "live")
KIND: EphemeralKind[str] = EphemeralKind("test.values", capacity=10)


def test_counters_are_bounded() -> None:
    """A flood of names makes room by forgetting windows, ended ones first."""
    ephemeral = EphemeralState(counters=100)
    for number in range(1_000):
        ephemeral.hit(f"n{number}", 1, MINUTE, number)
    assert 90 <= len(ephemeral._windows) <= 100
    ephemeral.hit("fresh", 1, MINUTE, 1_000)
    assert not ephemeral.hit("fresh", 1, MINUTE, 1_000).allowed


@pytest.mark.parametrize("learnt", [False, True], ids=["counted here", "learnt from others"])
def test_a_flood_of_short_windows_leaves_the_long_ones(learnt: bool) -> None:
    """Those that end first make room, whenever they began: otherwise a minute's flood would end the limits of a day."""
    ephemeral = EphemeralState(counters=100)
    for number in range(50):
        ephemeral.hit(f"day{number}", 1, DAY, 0)
    for number in range(2_000):
        if learnt:
            ephemeral._learn(f"short{number}", MINUTE, 1, 0)
        else:
            ephemeral.hit(f"short{number}", 1, MINUTE, 0)
        assert len(ephemeral._windows) <= 100
    assert not any(ephemeral.peek(f"day{number}", 1, DAY, 0).allowed for number in range(50))
    assert not ephemeral.peek("short1999", 1, MINUTE, 0).allowed


def test_where_all_windows_are_long_the_oldest_make_room() -> None:
    """A new one is counted all the same."""
    ephemeral = EphemeralState(counters=100)
    for number in range(101):
        ephemeral.hit(f"n{number}", 1, DAY, 0)
    assert list(ephemeral._windows) == [f"n{number}" for number in range(10, 101)]


def test_windows_that_have_ended_are_tidied_away() -> None:
    """Also where nobody else is counted: their names say who was, and from where."""
    ephemeral = EphemeralState()
    for number in range(3):
        ephemeral.hit(f"n{number}", 1, MINUTE, number * MINUTE)
    ephemeral.tidy(2 * MINUTE)
    assert list(ephemeral._windows) == ["n2"]


# -- values --------------------------------------------------------------------------------------------------------------


def test_values_are_kept_by_scope() -> None:
    """The same id in another environment is another value."""
    values = EphemeralState().values(KIND)
    values.put(SCOPE, "a", "one")
    values.put(OTHER, "a", "two")
    assert (values.get(SCOPE, "a"), values.get(OTHER, "a"), values.get(SCOPE, "b")) == ("one", "two", None)


def test_what_changed_is_taken_once() -> None:
    """Oldest change first, at most as many as asked for; what could not be written is given back."""
    values = EphemeralState().values(KIND)
    for name in "abc":
        values.put(SCOPE, name, name)
    values.put(SCOPE, "a", "later")
    values.put(SCOPE, "d", "silent", keep=False)
    taken = values.take_dirty(2)
    assert taken == [(SCOPE, "a", "later"), (SCOPE, "b", "b")]
    assert values.take_dirty(10) == [(SCOPE, "c", "c")]
    values.give_back(taken)
    assert values.take_dirty(10) == taken
    assert values.take_dirty(10) == []


def test_a_dropped_fact_is_gone() -> None:
    """Also from what waits to be flushed, and giving it back does not bring it back."""
    values = EphemeralState().values(KIND)
    values.put(SCOPE, "a", "one")
    taken = values.take_dirty(10)
    values.drop(SCOPE, "a")
    values.give_back(taken)
    assert values.get(SCOPE, "a") is None
    assert values.take_dirty(10) == []


@pytest.mark.parametrize("flushed", [False, True])
def test_values_are_bounded_but_never_lost(flushed: bool) -> None:
    """Where there are too many, the oldest flushed ones go; what is not flushed stays."""
    values = EphemeralState().values(KIND)
    for number in range(50):
        values.put(SCOPE, f"f{number}", str(number))
        if flushed:
            values.take_dirty(10)
    assert len(values) == (10 if flushed else 50)
    assert values.get(SCOPE, "f49") == "49"


def test_families_are_apart() -> None:
    """Each kind has values of its own, the same ones each time they are asked for."""
    ephemeral = EphemeralState()
    ephemeral.values(KIND).put(SCOPE, "a", "one")
    assert ephemeral.values(KIND).get(SCOPE, "a") == "one"
    assert ephemeral.values(EphemeralKind[str]("test.others")).get(SCOPE, "a") is None


def test_what_is_flushed_can_be_forgotten() -> None:
    """What still waits to be flushed is kept."""
    values = EphemeralState().values(KIND)
    values.put(SCOPE, "a", "flushed")
    values.take_dirty(10)
    values.put(SCOPE, "b", "waiting")
    values.forget_written()
    assert [values.get(SCOPE, name) for name in "ab"] == [None, "waiting"]
    assert values.take_dirty(10) == [(SCOPE, "b", "waiting")]


# -- many values ---------------------------------------------------------------------------------------------------------


def test_flushed_values_go_after_half_an_hour() -> None:
    """The host tidies every minute. What waits to be flushed stays, and so does what was put meanwhile."""
    ephemeral = EphemeralState()
    values = ephemeral.values(EphemeralKind[str]("test.many", capacity=100))
    for name in ("old", "again", "heard of"):
        values.put(SCOPE, name, name, keep=name != "heard of")
    values.take_dirty(10)
    values.put(SCOPE, "waiting", "waiting")
    for minute in range(30):
        ephemeral.tidy(minute * MINUTE)
    assert len(values) == 4
    values.put(SCOPE, "again", "later", keep=False)
    ephemeral.tidy(30 * MINUTE)
    known = [values.get(SCOPE, name) for name in ("old", "heard of", "again", "waiting")]
    assert known == [None, None, "later", "waiting"]
    assert values.take_dirty(10) == [(SCOPE, "waiting", "waiting")]


def test_many_flushed_values_go_over_some_minutes() -> None:
    """A tenth of the capacity at a time, so that nobody waits for it."""
    ephemeral = EphemeralState()
    values = ephemeral.values(EphemeralKind[str]("test.many", capacity=100))
    for number in range(100):
        values.put(SCOPE, f"f{number}", "value", keep=False)
    held = []
    for minute in range(41):
        ephemeral.tidy(minute * MINUTE)
        held.append(len(values))
    assert held == [100] * 30 + [*range(90, -1, -10), 0]


def test_what_failed_to_be_written_is_not_dropped() -> None:
    """Given back, it waits to be flushed again, however old it is."""
    ephemeral = EphemeralState()
    values = ephemeral.values(KIND)
    values.put(SCOPE, "a", "one")
    for minute in range(100):
        values.give_back(values.take_dirty(10))
        ephemeral.tidy(minute * MINUTE)
    assert values.take_dirty(10) == [(SCOPE, "a", "one")]


def test_a_full_memory_drops_one_value_for_each_new_one() -> None:
    """The oldest one that nobody has put since."""
    values = EphemeralState().values(EphemeralKind[str]("test.many", capacity=1_000))
    for number in range(1_000):
        values.put(SCOPE, f"f{number}", "value", keep=False)
    values.put(SCOPE, "f0", "again", keep=False)
    for number in range(1_000, 1_500):
        values.put(SCOPE, f"f{number}", "value")
        assert len(values) == 1_000
    kept = ["f0", *(f"f{number}" for number in range(501, 1_500))]
    assert all(values.get(SCOPE, name) is not None for name in kept)


def test_values_that_were_too_many_go_as_the_next_ones_are_taken() -> None:
    """A flush of many brings them back to the capacity, without a step that drops all of them."""
    values = EphemeralState().values(EphemeralKind[str]("test.many", capacity=100))
    for number in range(1_000):
        values.put(SCOPE, f"f{number}", "value")
    held = []
    while values.take_dirty(50):
        held.append(len(values))
    assert held == [1_000, *range(950, 99, -50), 100]


def _allocated(call: Callable[[], object]) -> int:
    """The most memory that a call had allocated at any time, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _with_changed(count: int) -> EphemeralValues[str]:
    values = EphemeralState().values(KIND)
    for number in range(count):
        values.put(SCOPE, f"f{number}", "value")
    return values


def test_taking_some_does_not_copy_all() -> None:
    """A copy of what waits, for each of many batches, makes a flush of a million values last minutes."""
    few, many = (_with_changed(count) for count in (500, 50_000))
    assert _allocated(lambda: many.take_dirty(100)) < 2 * _allocated(lambda: few.take_dirty(100))


def test_putting_into_a_full_memory_does_not_copy_it() -> None:
    """Also where nothing can be dropped, because everything waits to be flushed."""
    values = _with_changed(50_000)
    # One put of many may have the tables grow.
    least = min(_allocated(partial(values.put, SCOPE, name, "value")) for name in "abcd")
    assert least < 10_000
