"""What every store must do, once: a store's test module subclasses `StoreSuite` and provides the fixture `store`.

Each test has a scope of its own, so one store may serve the whole class.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any, NoReturn, Protocol

import pytest

from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.reads import Count
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Store, StoreConflict, Transaction, UniqueViolation, sums_of
from livecore.kernel.storage.tables import Index, Key, Value
from tests.stores.many_keys import ManyKeys
from tests.stores.tables import (
    BY_CODE,
    BY_LEVEL,
    BY_SEAT,
    BY_SEEN,
    COUNTERS,
    HEROES,
    IN_GUILD,
    OF_LEFT,
    PAIRS,
    Counter,
    Hero,
    Pair,
)

_numbers = itertools.count(1)


class StoreUnderTest(Store, Protocol):
    """A store, with the two methods by which whole states are compared."""

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope."""

    def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""


def fresh_scope() -> Scope:
    """A scope that no other test uses."""
    return Scope(f"gam_{next(_numbers):026d}", "test")


class Refused(Exception):
    """What a unit raises in these tests."""


def names(rows: list[Hero]) -> list[str]:
    """The ids of some heroes."""
    return [row.id for row in rows]


def _delete_counter(tx: Transaction, key: str) -> None:
    tx.delete(COUNTERS, key)


def _replace(tx: Transaction, gone: str, new: Hero) -> None:
    tx.insert(HEROES, new)
    tx.delete(HEROES, gone)


def _put_two(tx: Transaction, hero: Hero) -> None:
    tx.put(COUNTERS, Counter(key="k"))
    tx.put(HEROES, hero)


def _page(tx: Transaction, after: Key | None) -> list[Hero]:
    return tx.scan(BY_LEVEL, after=after, limit=2)


class StoreSuite(ManyKeys):
    """The behaviour of the storage port."""

    @pytest.fixture
    def scope(self) -> Scope:
        """The test's own scope."""
        return fresh_scope()

    @pytest.fixture
    def leveled(self, store: StoreUnderTest, scope: Scope) -> Scope:
        """The test's own scope with six heroes: a, b, c of level 1, d, e of level 2, f of level 3, all in one guild."""

        def fill(tx: Transaction) -> None:
            for at, name in enumerate("fedcba"):
                tx.insert(HEROES, Hero(id=name, name=name, level=(3, 2, 2, 1, 1, 1)[at], guild="g"))

        store.write(scope, fill)
        return scope

    # -- keys

    def test_a_row_comes_back_as_it_was_put(self, store: StoreUnderTest, scope: Scope) -> None:
        """Every kind of column keeps its value and its type, through the store and not only through a memory of it."""
        full = Hero(
            id="full",
            name="Zoë \U0001f600\x00end",
            level=2**53 - 1,
            code="c",
            seat=-1,
            guild="",
            seen_at=0,
            rank="knight",
            active=False,
            famous=True,
            notes=JsonText('{"a":[1,"é"]}'),
        )
        empty = Hero(id="empty")
        store.write(scope, lambda tx: (tx.insert(HEROES, full), tx.insert(HEROES, empty)))
        assert store.dump()[scope.id][HEROES.name] == [empty, full]
        read = store.read(scope, lambda tx: tx.get(HEROES, "full"))
        assert read == full
        assert isinstance(read, Hero)
        assert read.active is False
        assert read.famous is True

    def test_a_missing_row_is_none(self, store: StoreUnderTest, scope: Scope) -> None:
        """Neither a missing key nor a missing unique value is an error."""
        assert store.read(scope, lambda tx: tx.get(HEROES, "nobody")) is None
        assert store.read(scope, lambda tx: tx.find(BY_CODE, "nothing")) is None

    def test_put_replaces_and_delete_removes(self, store: StoreUnderTest, scope: Scope) -> None:
        """The last write of a row stands; deleting what is not there does nothing."""
        store.write(scope, lambda tx: tx.put(COUNTERS, Counter(key="k", order=1)))
        store.write(scope, lambda tx: tx.put(COUNTERS, Counter(key="k", order=2)))
        assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=2)
        for key in ("k", "never"):
            store.write(scope, partial(_delete_counter, key=key))
        assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) is None

    def test_a_key_of_two_columns_finds_one_row(self, store: StoreUnderTest, scope: Scope) -> None:
        """Both columns count, in their order."""
        store.write(
            scope, lambda tx: (tx.insert(PAIRS, Pair(left="a", right="b")), tx.insert(PAIRS, Pair(left="b", right="a")))
        )
        assert store.read(scope, lambda tx: tx.get(PAIRS, "a", "b")) == Pair(left="a", right="b")
        assert store.read(scope, lambda tx: tx.get(PAIRS, "a", "a")) is None

    def test_inserting_a_taken_key_is_a_violation(self, store: StoreUnderTest, scope: Scope) -> None:
        """An insert never overwrites."""
        store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="k", order=1)))
        with pytest.raises(UniqueViolation) as caught:
            store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="k", order=2)))
        assert (caught.value.table, caught.value.columns) == (COUNTERS.name, ("key",))
        assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=1)

    def test_what_is_put_back_as_it_was_changes_nothing(self, store: StoreUnderTest, scope: Scope) -> None:
        """A write of equal values is no conflict and no change."""
        hero = Hero(id="a", code="x")
        store.write(scope, lambda tx: tx.insert(HEROES, hero))
        store.write(scope, lambda tx: tx.put(HEROES, evolve(hero)))
        assert store.dump()[scope.id] == {HEROES.name: [hero]}

    # -- uniques

    def test_unique_values_find_their_row(self, store: StoreUnderTest, scope: Scope) -> None:
        """A look-up follows a row as its unique values come, change and go."""

        def by_code(code: str) -> str | None:
            row = store.read(scope, lambda tx: tx.find(BY_CODE, code))
            return None if row is None else row.id

        store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", seat=4)))
        assert store.read(scope, lambda tx: tx.find(BY_SEAT, "home", 4)) == Hero(id="a", seat=4)
        store.write(scope, lambda tx: tx.put(HEROES, Hero(id="a", code="x")))
        assert (by_code("x"), by_code("y")) == ("a", None)
        store.write(scope, lambda tx: tx.put(HEROES, Hero(id="a", code="y")))
        assert (by_code("x"), by_code("y")) == (None, "a")
        store.write(scope, lambda tx: tx.delete(HEROES, "a"))
        assert (by_code("x"), by_code("y")) == (None, None)

    def test_a_found_row_is_the_latest(self, store: StoreUnderTest, scope: Scope) -> None:
        """A change of other columns shows through the unique look-up."""
        store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", code="x")))
        store.read(scope, lambda tx: tx.find(BY_CODE, "x"))
        store.write(scope, lambda tx: tx.put(HEROES, Hero(id="a", code="x", level=9)))
        assert store.read(scope, lambda tx: tx.find(BY_CODE, "x")) == Hero(id="a", code="x", level=9)

    def test_a_taken_unique_value_is_a_violation(self, store: StoreUnderTest, scope: Scope) -> None:
        """Insert and update are refused alike, and name the columns."""
        store.write(
            scope, lambda tx: (tx.insert(HEROES, Hero(id="a", seat=1)), tx.insert(HEROES, Hero(id="b", seat=2)))
        )
        before = store.dump()
        for row in (Hero(id="c", seat=1), Hero(id="b", seat=1)):
            with pytest.raises(UniqueViolation) as caught:
                store.write(scope, partial(_put_two, hero=row))
            assert caught.value.columns == ("realm", "seat")
        assert store.dump() == before

    def test_two_new_rows_of_one_unit_may_not_share_a_unique_value(self, store: StoreUnderTest, scope: Scope) -> None:
        """A unit can conflict with itself."""
        with pytest.raises(UniqueViolation):
            store.write(
                scope, lambda tx: (tx.insert(HEROES, Hero(id="a", code="x")), tx.insert(HEROES, Hero(id="b", code="x")))
            )

    def test_nulls_are_not_unique_and_not_found(self, store: StoreUnderTest, scope: Scope) -> None:
        """Any number of rows may lack a unique value, and a look-up by null finds none of them."""
        store.write(scope, lambda tx: (tx.insert(HEROES, Hero(id="a")), tx.insert(HEROES, Hero(id="b"))))
        assert store.read(scope, lambda tx: tx.find(BY_CODE, None)) is None
        assert store.read(scope, lambda tx: tx.find(BY_SEAT, "home", None)) is None

    def test_rows_may_swap_unique_values_in_one_unit(self, store: StoreUnderTest, scope: Scope) -> None:
        """Only the outcome of a unit has to be unique, in whatever order it wrote."""
        store.write(
            scope, lambda tx: (tx.insert(HEROES, Hero(id="a", code="x")), tx.insert(HEROES, Hero(id="b", code="y")))
        )
        store.write(scope, lambda tx: (tx.put(HEROES, Hero(id="a", code="y")), tx.put(HEROES, Hero(id="b", code="x"))))
        assert store.read(scope, lambda tx: tx.find(BY_CODE, "y")) == Hero(id="a", code="y")
        store.write(scope, lambda tx: (tx.insert(HEROES, Hero(id="c", code="x")), tx.put(HEROES, Hero(id="b"))))
        assert store.read(scope, lambda tx: tx.find(BY_CODE, "x")) == Hero(id="c", code="x")
        store.write(scope, partial(_replace, gone="c", new=Hero(id="d", code="x")))
        assert store.read(scope, lambda tx: tx.find(BY_CODE, "x")) == Hero(id="d", code="x")

    # -- scans

    def test_a_scan_is_ordered_by_its_columns_and_then_the_key(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Rows of one place come in the order of their keys; reversal turns all of it round."""
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL))) == list("abcdef")
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL, reverse=True))) == list("fedcba")

    @pytest.mark.parametrize("reverse", [False, True])
    @pytest.mark.parametrize(
        ("bounds", "expected"),
        [
            ({"start": (2,)}, "def"),
            ({"start": (1, "c")}, "cdef"),
            ({"stop": (2,)}, "abc"),
            ({"stop": (2, "e")}, "abcd"),
            ({"after": (1, "b")}, "cdef"),
            ({"after": (1, "bb")}, "cdef"),
            ({"start": (2,), "stop": (3,)}, "de"),
            ({"start": (1, "b"), "stop": (2, "e")}, "bcd"),
            ({"after": (1, "c"), "stop": (3,)}, "de"),
            ({"start": (1,), "after": (2, "d")}, "ef"),
            ({"start": (3,), "stop": (2,)}, ""),
            ({"start": (4,)}, ""),
        ],
    )
    def test_bounds(
        self,
        store: StoreUnderTest,
        leveled: Scope,
        bounds: dict[str, tuple[int | str, ...]],
        expected: str,
        reverse: bool,
    ) -> None:
        """`start` is inclusive, `after` and `stop` exclusive; `start` and `stop` may name the first columns only."""
        start, after, stop = bounds.get("start"), bounds.get("after"), bounds.get("stop")
        found = store.read(leveled, lambda tx: tx.scan(BY_LEVEL, start=start, after=after, stop=stop, reverse=reverse))
        assert names(found) == (list(expected)[::-1] if reverse else list(expected))
        if after is None:
            assert store.read(leveled, lambda tx: tx.count(BY_LEVEL, start=start, stop=stop)) == len(expected)

    def test_a_limit_takes_the_first_of_the_direction(self, store: StoreUnderTest, leveled: Scope) -> None:
        """A limit of nought gives nothing, one beyond the end everything."""
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL, limit=2))) == ["a", "b"]
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL, limit=2, reverse=True))) == ["f", "e"]
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL, limit=0))) == []
        assert len(store.read(leveled, lambda tx: tx.scan(BY_LEVEL, limit=99))) == 6

    def test_pages_joined_equal_the_list(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Going on after the last row of each page meets every row once."""
        met: list[Hero] = []
        while True:
            after = BY_LEVEL.position_of(met[-1]) if met else None
            page = store.read(leveled, partial(_page, after=after))
            if not page:
                break
            met += page
        assert names(met) == list("abcdef")

    def test_a_prefix_selects_its_rows_only(self, store: StoreUnderTest, scope: Scope) -> None:
        """Rows under other prefixes are neither scanned nor counted."""
        pairs = [Pair(left=left, right=right, at=9 - at) for left in "ab" for at, right in enumerate("xyz")]
        store.write(scope, lambda tx: [tx.insert(PAIRS, pair) for pair in pairs])
        found = store.read(scope, lambda tx: tx.scan(OF_LEFT, "a"))
        assert [(pair.left, pair.right) for pair in found] == [("a", "z"), ("a", "y"), ("a", "x")]
        assert store.read(scope, lambda tx: tx.count(OF_LEFT, "a")) == 3
        assert store.read(scope, lambda tx: tx.count(OF_LEFT, "c")) == 0

    def test_a_count_ends_at_its_limit(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Also where several counts are asked for in one call, and where the unit has added and removed rows."""
        limits = (0, 1, 5, 6, 7, None)

        def counts(tx: Transaction) -> list[int]:
            within = [Count(BY_LEVEL, (), start=(level,), limit=2) for level in (1, 2, 3)]
            return tx.read_all([*(Count(BY_LEVEL, (), limit=limit) for limit in limits), *within])

        def one_by_one(tx: Transaction) -> list[int]:
            return [tx.count(BY_LEVEL, limit=limit) for limit in limits]

        def changed(tx: Transaction) -> list[int]:
            tx.delete(HEROES, "a")
            tx.delete(HEROES, "b")
            tx.insert(HEROES, Hero(id="n", level=2))
            return counts(tx)

        everything = [min(limit, 6) if limit is not None else 6 for limit in limits]
        assert store.read(leveled, one_by_one) == everything
        assert store.read(leveled, counts) == [*everything, 2, 2, 1]
        assert store.read(leveled, changed)[: len(limits)] == [0, 1, 5, 5, 5, 5]
        assert store.write(leveled, changed)[: len(limits)] == [0, 1, 5, 5, 5, 5]

    def test_rows_with_a_null_are_in_no_index_of_that_column(self, store: StoreUnderTest, scope: Scope) -> None:
        """Null is no place in an order and no prefix; a row comes into the index when its value does."""
        store.write(
            scope,
            lambda tx: [tx.insert(HEROES, Hero(id=name, seen_at=at)) for name, at in (("a", 5), ("b", None), ("c", 3))],
        )
        assert names(store.read(scope, lambda tx: tx.scan(BY_SEEN, "home", True))) == ["c", "a"]  # noqa: FBT003 - a value
        assert names(store.read(scope, lambda tx: tx.scan(BY_SEEN, "home", True, stop=(4,)))) == ["c"]  # noqa: FBT003 - a value
        assert store.read(scope, lambda tx: tx.count(BY_SEEN, "home", True)) == 2
        assert store.read(scope, lambda tx: tx.scan(IN_GUILD, None)) == []
        store.write(scope, lambda tx: tx.put(HEROES, Hero(id="b", seen_at=4)))
        assert names(store.read(scope, lambda tx: tx.scan(BY_SEEN, "home", True))) == ["c", "b", "a"]  # noqa: FBT003 - a value

    def test_text_is_ordered_by_code_point(self, store: StoreUnderTest, scope: Scope) -> None:
        """No locale and no case folding: the order is the same on every store."""
        words = ["Z", "a", "z", "é", "\uff41", "\U0001f600", "", "a\x00b"]
        store.write(
            scope,
            lambda tx: [tx.insert(HEROES, Hero(id=f"h{at}", name=word, guild="g")) for at, word in enumerate(words)],
        )
        assert [row.name for row in store.read(scope, lambda tx: tx.scan(IN_GUILD, "g"))] == sorted(words)

    def test_sums_are_what_the_scan_adds_up_to(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Of all rows, of a prefix's, within bounds, by a value that is not there, and asked again after every write."""

        def put(tx: Transaction, hero: Hero) -> None:
            tx.put(HEROES, hero)

        def added_up(tx: Transaction) -> list[dict[Value, int]]:
            found = []
            places: list[tuple[Index[Any], Key]] = [(IN_GUILD, ("g",)), (IN_GUILD, ("h",)), (BY_LEVEL, ())]
            bounds: list[tuple[Key | None, Key | None]] = [(None, None), ((2,), None), ((1,), (3,))]
            for (index, prefix), (start, stop), by in itertools.product(places, bounds, ("rank", "code")):
                sums = tx.sums(index, *prefix, start=start, stop=stop, of="level", by=by)
                assert sums == sums_of(tx.scan(index, *prefix, start=start, stop=stop), "level", by)
                found.append(sums)
            return found

        first = store.read(leveled, added_up)
        assert first[0] == {"page": 10}
        assert first[1] == {None: 10}
        assert store.read(leveled, added_up) == first
        for hero in (
            Hero(id="a", level=5, guild="g", rank="knight", code="c"),
            Hero(id="b", level=5, guild="h"),
            Hero(id="g", level=7, guild="g", rank="knight", code="d"),
        ):
            store.write(leveled, partial(put, hero=hero))
            assert store.read(leveled, added_up) != first
        assert store.read(leveled, added_up)[0] == {"page": 8, "knight": 12}

    def test_sums_may_be_changed_by_their_caller(self, store: StoreUnderTest, leveled: Scope) -> None:
        """The next one gets what is so."""
        for _ in range(2):
            sums = store.read(leveled, lambda tx: tx.sums(IN_GUILD, "g", of="level", by="rank"))
            assert sums.pop("page") == 10

    def test_sums_have_the_units_own_writes(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Rows that it put, changed, deleted and rewrote; a refused unit leaves the sums as they were."""

        def asked(tx: Transaction) -> dict[Value, int]:
            return tx.sums(IN_GUILD, "g", of="level", by="rank")

        def work(tx: Transaction) -> NoReturn:
            assert asked(tx) == {"page": 10}
            tx.delete(HEROES, "f")
            tx.put(HEROES, Hero(id="new", level=4, guild="g", rank="knight"))
            assert asked(tx) == {"page": 7, "knight": 4}
            tx.rewrite(IN_GUILD, ("g",), {"rank": "page"})
            assert asked(tx) == {"page": 11}
            tx.clear(IN_GUILD, "g")
            assert asked(tx) == {}
            raise Refused

        with pytest.raises(Refused):
            store.write(leveled, work)
        assert store.read(leveled, asked) == {"page": 10}

    def test_a_scan_may_be_changed_by_its_caller(self, store: StoreUnderTest, leveled: Scope) -> None:
        """The list belongs to whoever asked."""
        store.read(leveled, lambda tx: tx.scan(BY_LEVEL).clear())
        assert len(store.read(leveled, lambda tx: tx.scan(BY_LEVEL))) == 6

    def test_a_scan_follows_every_kind_of_write(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Changed, moved, new and deleted rows show in the next scan and count."""
        assert store.read(leveled, lambda tx: (tx.count(BY_LEVEL), len(tx.scan(BY_LEVEL)))) == (6, 6)

        def change(tx: Transaction) -> None:
            tx.put(HEROES, Hero(id="a", level=9))
            tx.put(HEROES, Hero(id="b", level=1, name="renamed"))
            tx.delete(HEROES, "c")
            tx.insert(HEROES, Hero(id="n", level=0))

        store.write(leveled, change)
        found = store.read(leveled, lambda tx: tx.scan(BY_LEVEL))
        assert [(row.id, row.name) for row in found][:3] == [("n", "nobody"), ("b", "renamed"), ("d", "d")]
        assert names(found) == list("nbdefa")
        assert store.read(leveled, lambda tx: tx.count(BY_LEVEL)) == 6

    # -- units of work

    def test_a_unit_sees_its_own_writes(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Get, find, scan and count show what the unit has written so far, merged in order with what was there."""

        def work(tx: Transaction) -> None:
            tx.put(HEROES, Hero(id="b", level=3, guild="g"))
            tx.insert(HEROES, Hero(id="n", level=2, code="new", guild="g"))
            tx.delete(HEROES, "a")
            found = tx.find(BY_CODE, "new")
            assert found is not None
            assert found.id == "n"
            assert tx.get(HEROES, "a") is None
            assert names(tx.scan(BY_LEVEL)) == list("cdenbf")
            assert names(tx.scan(BY_LEVEL, limit=3)) == list("cde")
            assert names(tx.scan(BY_LEVEL, start=(2,), stop=(3,), reverse=True)) == list("ned")
            assert tx.count(BY_LEVEL) == 6
            assert tx.count(BY_LEVEL, start=(3,)) == 2

        store.write(leveled, work)
        assert names(store.read(leveled, lambda tx: tx.scan(BY_LEVEL))) == list("cdenbf")

    def test_a_refused_unit_changes_nothing(self, store: StoreUnderTest, leveled: Scope) -> None:
        """Whatever a unit wrote before it raised is gone."""
        before = store.dump()

        def work(tx: Transaction) -> NoReturn:
            tx.put(HEROES, Hero(id="a", level=99))
            tx.delete(HEROES, "b")
            tx.insert(COUNTERS, Counter(key="k"))
            raise Refused

        with pytest.raises(Refused):
            store.write(leveled, work)
        assert store.dump() == before

    def test_writes_of_a_read_are_dropped(self, store: StoreUnderTest, scope: Scope) -> None:
        """Reading never changes a store."""
        store.read(scope, lambda tx: tx.put(COUNTERS, Counter(key="k")))
        assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) is None

    def test_the_result_of_the_work_is_returned(self, store: StoreUnderTest, scope: Scope) -> None:
        """Whether the unit wrote or not."""
        assert store.read(scope, lambda _: "read") == "read"
        assert store.write(scope, lambda _: "nothing written") == "nothing written"
        assert store.write(scope, lambda tx: tx.put(COUNTERS, Counter(key="k")).key) == "k"

    def test_a_conflict_runs_the_unit_again(self, store: StoreUnderTest, scope: Scope) -> None:
        """A unit that conflicts once and then finds another way succeeds."""
        store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="1")))
        attempts = itertools.count(1)
        store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key=str(next(attempts)))))
        assert store.read(scope, lambda tx: tx.get(COUNTERS, "2")) is not None

    def test_a_lasting_conflict_is_raised(self, store: StoreUnderTest, scope: Scope) -> None:
        """A unit that always conflicts does not run for ever."""
        store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="k")))
        with pytest.raises(StoreConflict):
            store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="k")))

    # -- scopes

    def test_scopes_do_not_see_each_other(self, store: StoreUnderTest, scope: Scope) -> None:
        """The same keys, unique values and prefixes live side by side in two scopes."""
        other = Scope(scope.game_id, "live")
        store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", code="x", level=1)))
        assert store.read(other, lambda tx: (tx.get(HEROES, "a"), tx.find(BY_CODE, "x"), tx.scan(BY_LEVEL))) == (
            None,
            None,
            [],
        )
        store.write(other, lambda tx: tx.insert(HEROES, Hero(id="a", code="x", level=2)))
        store.write(scope, lambda tx: tx.delete(HEROES, "a"))
        assert store.read(other, lambda tx: tx.count(BY_LEVEL)) == 1
        assert store.read(scope, lambda tx: tx.count(BY_LEVEL)) == 0

    def test_scopes_are_listed_while_they_hold_rows(self, store: StoreUnderTest, scope: Scope) -> None:
        """The directory is a scope like any other."""
        assert scope not in store.scopes()
        store.write(scope, lambda tx: tx.insert(COUNTERS, Counter(key="k")))
        store.write(DIRECTORY, lambda tx: tx.put(COUNTERS, Counter(key="k")))
        assert {scope, DIRECTORY} <= set(store.scopes())
        store.write(scope, lambda tx: tx.delete(COUNTERS, "k"))
        assert scope not in store.scopes()
