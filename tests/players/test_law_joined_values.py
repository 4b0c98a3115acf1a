"""Law: what processes know of a player comes to the same, in whatever order and however often they hear of each other."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import livecore
from livecore.access.audit import KeyUsage, later_use
from livecore.api.areas import AREAS
from livecore.kernel.storage.records import columns_of
from livecore.kernel.time import DAY
from livecore.kernel.units.ephemeral import EphemeralKind
from livecore.kernel.units.unit import Origin
from livecore.players.seen import Seen, joined, observe

_FEW = st.integers(0, 2)
_TEXT = st.sampled_from([None, "", "a", "b"])
SEEN_VALUES = st.builds(
    Seen,
    last_seen_at=_FEW,
    platform=_TEXT,
    app_version=_TEXT,
    sessions=_FEW,
    streak=_FEW,
    best_streak=_FEW,
    streak_day=st.none() | _FEW,
    beat_at=st.none() | _FEW,
    presence_status=_TEXT,
    epoch=st.integers(0, 1),
)
USES = st.builds(KeyUsage, key_id=st.just("key_1"), at=_FEW, operation=st.sampled_from(["a", "b"]), sdk=_TEXT)


@given(SEEN_VALUES, SEEN_VALUES, SEEN_VALUES)
def test_the_order_of_hearing_does_not_matter(one: Seen, two: Seen, three: Seen) -> None:
    """Nor who hears whom, nor hearing the same twice."""
    assert joined(one, one) == one
    assert joined(one, two) == joined(two, one)
    assert joined(joined(one, two), three) == joined(one, joined(two, three))
    assert joined(joined(one, two), two) == joined(one, two)


@given(USES, USES, USES)
def test_the_later_use_of_a_key_is_the_same_to_all(one: KeyUsage, two: KeyUsage, three: KeyUsage) -> None:
    """As above."""
    assert later_use(one, two) == later_use(two, one)
    assert later_use(later_use(one, two), three) == later_use(one, later_use(two, three))


@given(SEEN_VALUES, st.integers(0, 3 * DAY), st.integers(0, 1000))
def test_a_visit_that_two_processes_noticed_is_one(known: Seen, at: int, later: int) -> None:
    """Both counted on from the same values: together they have what one alone would have had."""
    origin = Origin()
    alone = observe(observe(known, at, origin), at + later, origin)
    together = joined(observe(known, at, origin), observe(known, at + later, origin))
    same = ("sessions", "last_seen_at", "beat_at")
    assert [getattr(together, name) for name in same] == [getattr(alone, name) for name in same]


def test_every_family_of_values_is_listed_and_can_travel() -> None:
    """Or else a process would not hear of it: an area names each, and its fields are texts and numbers."""
    declared: dict[int, EphemeralKind[Any]] = {}
    for module in pkgutil.walk_packages(livecore.__path__, "livecore."):
        if not module.name.startswith("livecore.testing"):
            found = vars(importlib.import_module(module.name)).values()
            declared |= {id(value): value for value in found if isinstance(value, EphemeralKind)}
    assert sorted(kind.name for kind in declared.values()) == sorted(kind.name for kind in AREAS.ephemeral)
    for kind in AREAS.ephemeral:
        assert kind.record is not None
        assert columns_of(kind.record)
