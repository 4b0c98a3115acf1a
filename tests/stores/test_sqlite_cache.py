"""The caches are bounded, keep what is in use, and forget exactly what they are told to."""

from __future__ import annotations

from typing import Any

from livecore_server.storage.sqlite.cache import MISSING, RowCache, ScanCache
from tests.stores.tables import BY_LEVEL, HEROES, IN_GUILD


def test_rows_are_bounded_and_those_in_use_stay() -> None:
    """At most two generations are held; a row that is asked for again and again is never forgotten."""
    cache = RowCache(10)
    cache.put(("s", HEROES, ("used",)), "row")
    for at in range(1_000):
        cache.put(("s", HEROES, (at,)), at)
        assert cache.recall(("s", HEROES, ("used",))) == "row" or ("s", HEROES, ("used",)) in cache.young
        assert len(cache) <= 22
    assert cache.recall(("s", HEROES, (1,))) is MISSING


def test_a_row_put_again_hides_its_older_self() -> None:
    """Also when the older one is in the older generation."""
    cache = RowCache(2)
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


def test_scans_are_bounded_by_their_rows() -> None:
    """Long answers, and many shapes under one prefix, do not pile up."""
    cache = ScanCache[list[Any]](100)
    for at in range(1_000):
        cache.put(("s", IN_GUILD, (str(at),)), (at,), [at] * 9)
        cache.put(("s", BY_LEVEL, ()), (at,), [at])
    kept = [at for at in range(1_000) if cache.get(("s", IN_GUILD, (str(at),)), (at,)) is not None]
    assert 0 < len(kept) <= 20
    assert kept[-1] == 999
    assert sum(cache.get(("s", BY_LEVEL, ()), (at,)) is not None for at in range(1_000)) <= 8
    cache.put(("s", BY_LEVEL, ("long",)), (), [0] * 10_000)
    assert cache.get(("s", BY_LEVEL, ("long",)), ()) is None


def test_dropping_a_prefix_forgets_all_of_its_scans() -> None:
    """And no others; an empty answer is an answer."""
    cache = ScanCache[list[Any]](100)
    for prefix in ("a", "b"):
        cache.put(("s", IN_GUILD, (prefix,)), (1,), [])
        cache.put(("s", IN_GUILD, (prefix,)), (2,), [prefix])
    cache.drop(("s", IN_GUILD, ("a",)))
    assert [cache.get(("s", IN_GUILD, ("a",)), (shape,)) for shape in (1, 2)] == [None, None]
    assert [cache.get(("s", IN_GUILD, ("b",)), (shape,)) for shape in (1, 2)] == [[], ["b"]]


def test_it_knows_whether_there_is_anything_to_forget() -> None:
    """Also when all there is has grown old."""
    cache = ScanCache[dict[str, int]](1, most=10)
    assert not cache
    cache.put(("s", IN_GUILD, ("a",)), ("level", "name"), {"x": 1})
    assert cache
    assert cache.get(("s", IN_GUILD, ("a",)), ("level", "name")) == {"x": 1}
    cache.drop(("s", IN_GUILD, ("a",)))
    assert not cache
