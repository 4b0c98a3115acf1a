"""The caches are bounded by bytes, keep what is in use, and forget exactly what they are told to."""

from __future__ import annotations

import tracemalloc
from typing import Any, Final

import pytest

from livecore.api.requests.idempotency import ANSWERS, IdempotentAnswer
from livecore.kernel.scope import DIRECTORY
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.sqlite.cache import RowCache, ScanCache
from livecore_server.storage.sqlite.statements import plan_of
from livecore_server.storage.sqlite.weights import ENTRY_BYTES, weigh, weigh_all
from tests.stores.tables import BY_LEVEL, HEROES, IN_GUILD, Hero

KIB: Final = 1024
FEW: Final = 20 * ENTRY_BYTES
"""Room for about ten small rows in a generation."""
LONG: Final = "x" * 15_900 + "\U0001f3ae"
"""A text that takes 16 KiB on the wire, and 64 in Python."""


def test_rows_are_bounded_and_those_in_use_stay() -> None:
    """At most two generations are held; a row that is asked for again and again is never forgotten."""
    cache = RowCache(FEW)
    cache.put(("s", HEROES, ("used",)), "row")
    for at in range(1_000):
        cache.put(("s", HEROES, (at,)), at)
        assert cache.recall(("s", HEROES, ("used",))) == "row" or ("s", HEROES, ("used",)) in cache.young
        assert len(cache) <= 22
    assert cache.recall(("s", HEROES, (1,))) is MISSING


def test_a_row_put_again_hides_its_older_self() -> None:
    """Also when the older one is in the older generation."""
    cache = RowCache(5 * ENTRY_BYTES)
    place = ("s", HEROES, ("a",))
    cache.put(place, "old")
    for at in range(2):
        cache.put(("s", HEROES, (at,)), at)
    cache.put(place, "new")
    assert cache.young[place] == "new"
    for at in range(2, 5):
        cache.put(("s", HEROES, (at,)), at)
        remembered = cache.young.get(place, MISSING)
        assert remembered == "new" or cache.recall(place) in ("new", MISSING)


@pytest.mark.parametrize("size", [0, 800, 15_900])
def test_the_bound_is_one_of_memory(size: int) -> None:
    """However long the texts of rows are, and whatever they hold, the memory that the cache takes is about what it may."""
    limit, cache = 2 * KIB * KIB, RowCache(2 * KIB * KIB)
    plan_of(HEROES)
    tracemalloc.start()
    try:
        for at in range(12_000):
            name = "x" * size + "\U0001f3ae"
            cache.put(("s", HEROES, (f"hero-{at}",)), Hero(id=f"hero-{at}", code=f"code-{at}", name=name))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bool(len(cache)) == (size < 1_000)
    assert taken < 1.25 * limit


def test_a_row_that_is_written_again_and_again_is_counted_once() -> None:
    """A busy row does not push out the others, and one that grows is counted as it is now."""
    cache = RowCache(FEW)
    cache.put(("s", HEROES, ("other",)), "other")
    for at in range(1_000):
        cache.put(("s", HEROES, ("busy",)), str(at))
    assert cache.young[("s", HEROES, ("other",))] == "other"


def test_long_rows_and_answers_are_not_kept() -> None:
    """A row that becomes long is forgotten as it was; a stored answer is never kept, a row of the directory always."""
    cache, place = RowCache(64 * KIB * KIB), ("s", HEROES, ("a",))
    for table in (HEROES, ANSWERS):
        plan_of(table)
    cache.put(place, Hero(id="a", code="x"))
    cache.put(place, Hero(id="a", code="x", name=LONG))
    assert cache.recall(place) is cache.young.get(place, MISSING) is MISSING
    answer = IdempotentAnswer(
        owner="o", idempotency_key="k", player_id=None, fingerprint="", status=200, body="{}", expires_at=0
    )
    for scope in ("s", DIRECTORY.id):
        cache.put((scope, ANSWERS, ("o", "k")), answer)
    assert len(cache) == 0
    cache.put((DIRECTORY.id, HEROES, ("a",)), Hero(id="a", code="x", name=LONG))
    assert len(cache) == 1


def test_scans_are_bounded_by_their_rows() -> None:
    """Long answers, and many shapes under one prefix, do not pile up."""
    cache = ScanCache[list[Any]](400 * ENTRY_BYTES)
    for at in range(1_000):
        cache.put(("s", IN_GUILD, (str(at),)), (at,), [at] * 9, 4 * ENTRY_BYTES)
        cache.put(("s", BY_LEVEL, ()), (at,), [at], 0)
    kept = [at for at in range(1_000) if cache.get(("s", IN_GUILD, (str(at),)), (at,)) is not None]
    assert 0 < len(kept) <= 80
    assert kept[-1] == 999
    assert sum(cache.get(("s", BY_LEVEL, ()), (at,)) is not None for at in range(1_000)) <= 8
    cache.put(("s", BY_LEVEL, ("long",)), (), [0] * 10_000, 0)
    cache.put(("s", BY_LEVEL, ("heavy",)), (), [0], 20 * ENTRY_BYTES)
    assert [cache.get(("s", BY_LEVEL, (name,)), ()) for name in ("long", "heavy")] == [None, None]


def test_a_scan_weighs_as_much_as_its_rows() -> None:
    """Two rows as much as both; a long text at its real size."""
    plan_of(HEROES)
    small, large = Hero(id="a", code="x"), Hero(id="b", code="y", name=LONG)
    assert weigh_all([small, large]) == weigh(small) + weigh(large)
    assert weigh(large) > 4 * 15_900


def test_dropping_a_prefix_forgets_all_of_its_scans() -> None:
    """And no others; an empty answer is an answer."""
    cache = ScanCache[list[Any]](1_000 * ENTRY_BYTES)
    for prefix in ("a", "b"):
        cache.put(("s", IN_GUILD, (prefix,)), (1,), [], 0)
        cache.put(("s", IN_GUILD, (prefix,)), (2,), [prefix], 0)
    cache.drop(("s", IN_GUILD, ("a",)))
    assert [cache.get(("s", IN_GUILD, ("a",)), (shape,)) for shape in (1, 2)] == [None, None]
    assert [cache.get(("s", IN_GUILD, ("b",)), (shape,)) for shape in (1, 2)] == [[], ["b"]]


def test_it_knows_whether_there_is_anything_to_forget() -> None:
    """Also when all there is has grown old."""
    cache = ScanCache[dict[str, int]](3 * ENTRY_BYTES, most=10, share=1.0)
    assert not cache
    cache.put(("s", IN_GUILD, ("a",)), ("level", "name"), {"x": 1}, 0)
    assert cache
    assert cache.get(("s", IN_GUILD, ("a",)), ("level", "name")) == {"x": 1}
    cache.drop(("s", IN_GUILD, ("a",)))
    assert not cache
