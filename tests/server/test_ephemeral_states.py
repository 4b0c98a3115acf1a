"""The ephemeral state obeys one law in every form: in the process, in a shared file, in PostgreSQL.

Each test plays two processes, which take turns; where there is but one, it plays both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from livecore.kernel.scope import Scope
from livecore.kernel.time import MINUTE
from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState
from tests.ephemeral_states import FORMS, KIND, Note, Together

SCOPE, OTHER = Scope("gam_1", "test"), Scope("gam_1", "live")
PLAIN: EphemeralKind[str] = EphemeralKind("test.plain", capacity=10)
_names = itertools.count(1)


@pytest.fixture(scope="module", params=list(FORMS))
def together(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    """Two processes with one state, for all tests of a form: names tell them apart."""
    folder: Path = tmp_path_factory.mktemp("memories")
    with FORMS[request.param](folder, (KIND, PLAIN)) as running:
        yield running


def _name() -> str:
    return f"n{next(_names)}"


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.integers(1, 20), st.lists(st.tuples(st.booleans(), st.integers(0, 30_000)), max_size=40))
def test_no_window_lets_more_through_than_its_limit(
    together: Together, limit: int, steps: list[tuple[bool, int]]
) -> None:
    """Whatever the rhythm, and whoever is asked: within any window at most `limit` pass, and remaining never lies."""
    name = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        now, window_ends, used = 0, 0, 0
        for first, wait in steps:
            now += wait
            if now >= window_ends:
                window_ends, used = now + MINUTE, 0
            state = (one if first else other).hit(name, limit, MINUTE, now)
            assert state.allowed == (used < limit)
            used += state.allowed
            assert (state.limit, state.remaining) == (limit, limit - used)
            assert state.reset_seconds == max(1, -(-(window_ends - now) // 1000))

    together(scenario)


def test_a_request_counts_in_several_windows_at_once(together: Together) -> None:
    """Once in each, whatever the others say, and in both processes."""
    tight, wide = _name(), _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        for used, ephemeral in enumerate((one, other, one), 1):
            found = ephemeral.hit_several({tight: 2, wide: 5}, MINUTE, 0)
            assert (found[tight].allowed, found[tight].remaining) == (used <= 2, max(0, 2 - used))
            assert (found[wide].allowed, found[wide].remaining) == (True, 5 - used)

    together(scenario)


def test_peeking_counts_nothing(together: Together) -> None:
    """And says what `hit` would, for a window that there is and one that there is not."""
    name = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        assert one.peek(name, 2, MINUTE, 0) == one.peek(name, 2, MINUTE, 0)
        assert one.peek(name, 2, MINUTE, 0).remaining == 2
        one.hit_published({name: 2}, MINUTE, 0)
        one.hit_published({name: 2}, MINUTE, 0)
        other.refresh()
        for ephemeral in (one, other):
            assert not ephemeral.peek(name, 2, MINUTE, MINUTE - 1).allowed
            states = [ephemeral.peek(name, 2, MINUTE, now) for now in (0, 1_000, 1_001, MINUTE - 1, MINUTE)]
            shown = [(state.remaining, state.reset_seconds) for state in states]
            assert shown == [(0, 60), (0, 59), (0, 59), (0, 1), (2, 60)]
            assert ephemeral.peek(name, 2, MINUTE, MINUTE).allowed
            assert not ephemeral.peek("unknown", 0, MINUTE, 0).allowed

    together(scenario)


def test_misses_add_up(together: Together) -> None:
    """What each has counted, all have counted: the last one that is allowed may be anybody's."""
    name = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        for ephemeral in (one, other, one):
            ephemeral.refresh()
            assert ephemeral.peek(name, 3, MINUTE, 5).allowed
            ephemeral.hit_published({name: 3}, MINUTE, 5)
        other.refresh()
        assert [ephemeral.peek(name, 3, MINUTE, 5).allowed for ephemeral in (one, other)] == [False, False]
        assert other.hit_published({name: 3}, MINUTE, MINUTE + 5)[name].allowed
        one.refresh()
        assert [ephemeral.peek(name, 3, MINUTE, MINUTE + 5).remaining for ephemeral in (one, other)] == [2, 2]

    together(scenario)


def test_windows_of_different_names_are_apart(together: Together) -> None:
    """One caller's window is not another's."""
    name, another = _name(), _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        assert one.hit(name, 1, MINUTE, 0).allowed
        assert one.hit(another, 1, MINUTE, 0).allowed
        assert not other.hit(name, 1, MINUTE, 0).allowed

    together(scenario)


def test_a_clock_that_was_set_back_frees_a_window(together: Together) -> None:
    """A window that lies much further ahead than its own length counts as over."""
    name = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        one.hit(name, 1, MINUTE, 100 * MINUTE)
        assert other.hit(name, 1, MINUTE, 10 * MINUTE).allowed

    together(scenario)


# -- values --------------------------------------------------------------------------------------------------------------


def test_values_are_kept_by_scope_and_family(together: Together) -> None:
    """The same id in another environment, or another family, is another value."""
    ref = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        one.values(KIND).put(SCOPE, ref, Note(1, "one"), at_once=True)
        other.values(KIND).put(OTHER, ref, Note(2, None), at_once=True)
        one.values(PLAIN).put(OTHER, ref, "plain", at_once=True)
        for ephemeral in (one, other):
            ephemeral.refresh()
            notes = ephemeral.values(KIND)
            assert [notes.get(scope, ref) for scope in (SCOPE, OTHER)] == [Note(1, "one"), Note(2, None)]
            assert notes.get(SCOPE, "nobody") is None
            assert (ephemeral.values(PLAIN).get(SCOPE, ref), ephemeral.values(PLAIN).get(OTHER, ref)) == (None, "plain")

    together(scenario)


def test_whoever_puts_a_value_flushes_it(together: Together) -> None:
    """And nobody who has only heard of it."""
    ref = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        for ephemeral in (one, other):
            ephemeral.values(KIND).take_dirty(10_000)
        one.values(KIND).put(SCOPE, ref, Note(1, "one"), at_once=True)
        other.refresh()
        assert other is one or other.values(KIND).take_dirty(10) == []
        assert one.values(KIND).take_dirty(10) == [(SCOPE, ref, Note(1, "one"))]

    together(scenario)


def test_two_that_note_different_things_come_to_one(together: Together) -> None:
    """In whatever order they hear of each other; what waits to be flushed is what they came to."""
    ref = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        for ephemeral in (one, other):
            ephemeral.values(KIND).take_dirty(10_000)
        one.values(KIND).put(SCOPE, ref, Note(1, "early"), at_once=True)
        other.values(KIND).put(SCOPE, ref, Note(2, "late"), at_once=True)
        for ephemeral in (one, other, one):
            ephemeral.refresh()
        for ephemeral in {id(ephemeral): ephemeral for ephemeral in (one, other)}.values():
            assert ephemeral.values(KIND).get(SCOPE, ref) == Note(2, "late")
            assert ephemeral.values(KIND).take_dirty(10) == [(SCOPE, ref, Note(2, "late"))]

    together(scenario)


def test_a_forgotten_value_is_gone_everywhere(together: Together) -> None:
    """Also from what waits to be flushed, and giving it back does not bring it back."""
    ref = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        values = one.values(KIND)
        values.put(SCOPE, ref, Note(1, "one"), at_once=True)
        other.refresh()
        taken = values.take_dirty(10_000)
        one.forget(SCOPE, ref)
        values.give_back(taken)
        values.put(SCOPE, "another", Note(1, None), keep=False, at_once=True)
        other.refresh()
        assert [ephemeral.values(KIND).get(SCOPE, ref) for ephemeral in (one, other)] == [None, None]
        assert [ephemeral.values(KIND).take_dirty(10) for ephemeral in (one, other)] == [[], []]

    together(scenario)


def test_what_is_noted_before_the_forgetting_is_heard_of_is_forgotten_as_well(together: Together) -> None:
    """It was published after the order to forget, so whoever has noted it has it forgotten once more, everywhere."""
    ref = _name()

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        if one is other:
            return  # one process hears of it at once
        one.values(KIND).put(SCOPE, ref, Note(1, "one"), at_once=True)
        one.forget(SCOPE, ref)
        other.values(KIND).put(SCOPE, ref, Note(2, "late"), at_once=True)
        for ephemeral in (other, one, other, one):
            ephemeral.refresh()
        assert [ephemeral.values(KIND).get(SCOPE, ref) for ephemeral in (one, other)] == [None, None]
        assert [ephemeral.values(KIND).take_dirty(10) for ephemeral in (one, other)] == [[], []]

    together(scenario)


def test_forgetting_an_id_forgets_the_windows_that_count_for_it(together: Together) -> None:
    """Everywhere; those of others, whose ids may begin or end likewise, go on."""
    ref = _name()
    about, beside, longer = f"throttle:1.2.3.0:{ref}", f"throttle:{ref}:1.2.3.0", f"throttle:1.2.3.0:a{ref}"

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        for name in (about, beside, longer):
            one.hit_published({name: 5}, MINUTE, 0)
        other.refresh()
        other.forget(SCOPE, ref)
        one.refresh()
        for ephemeral in (one, other):
            left = [ephemeral.peek(name, 5, MINUTE, 0).remaining for name in (about, beside, longer)]
            assert left == [5, 4, 4]
        assert other.hit_published({about: 5}, MINUTE, 0)[about].remaining == 4

    together(scenario)


def test_windows_are_forgotten_also_if_the_key_of_their_names_was_not_known(together: Together) -> None:
    """By a command that erases a player, for instance: a process that has the key and hears of it removes them."""
    ref = _name()
    about = f"throttle:1.2.3.0:{ref}"

    def scenario(one: EphemeralState, other: EphemeralState) -> None:
        one.hide_names(b"a key of thirty-two bytes length")
        one.hit_published({about: 5}, MINUTE, 0)
        other.hide_names(b"")
        other.forget(SCOPE, ref)
        if one is not other:
            one.refresh()
            one.refresh()
            assert one.hit_published({about: 5}, MINUTE, 0)[about].remaining == 4
        one.hide_names(b"")

    together(scenario)
