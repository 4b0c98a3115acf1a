"""What every store must do where rows of many keys are asked for at once: give what one read after another gives."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.reads import Find, Get, Read, Sums
from livecore.kernel.storage.store import Store, Transaction, sums_of
from livecore.kernel.storage.tables import Value
from tests.stores.tables import BY_CODE, BY_LEVEL, BY_SEAT, HEROES, IN_GUILD, PAIRS, Hero, Pair

_MANY = 600
_READS: tuple[Read[Any], ...] = (
    *(Get(HEROES, (f"h{at:03}",)) for at in range(_MANY)),
    *(Get(PAIRS, (f"p{at:03}", "right")) for at in range(_MANY)),
    *(Find(BY_CODE, (f"c{at}",)) for at in reversed(range(_MANY))),
    *(Find(BY_SEAT, ("home", at)) for at in range(_MANY)),
    # Some of them again, others that no row has, and one more than a statement takes.
    *(Get(HEROES, (f"h{at % 7:03}",)) for at in range(257)),
    *(Get(HEROES, (f"nobody{at}",)) for at in range(8)),
    *(Get(PAIRS, ("right", f"p{at:03}")) for at in range(20)),
)

_SUMS = [
    Sums(BY_LEVEL, (), "level", by, start, stop)
    for start, stop in ((None, None), ((5,), None), ((5,), (30,)), (None, (2**62 + 30,)))
    for by in ("level", "id")
] + [Sums(BY_LEVEL, (), "level", "level", (3,))] * 2


def _agree(tx: Transaction) -> list[Any]:
    together = tx.read_all(_READS)
    assert together == [read.made_by(tx) for read in _READS]
    return together


def _change(tx: Transaction, at: int) -> None:
    """Change one row, remove one, add one, and move a unique value to another row."""
    tx.put(HEROES, Hero(id=f"h{at:03}", name="changed", code=f"c{at}", seat=at))
    tx.delete(HEROES, f"h{at + 2:03}")
    tx.put(HEROES, Hero(id=f"h{at + 1:03}", name="new", code=f"c{at + 1}", seat=at + 2))
    tx.put(PAIRS, Pair(left=f"p{at + 1:03}", right="right"))


class ManyKeys:
    """Reads of many rows in one call."""

    @pytest.fixture
    def crowd(self, store: Store, scope: Scope) -> Scope:
        """The test's own scope: every second of the heroes and pairs that are asked for, a third of them in one guild."""

        def fill(tx: Transaction) -> None:
            for at in range(0, _MANY, 2):
                guild = None if at % 3 else "g"
                tx.insert(HEROES, Hero(id=f"h{at:03}", code=f"c{at}", seat=at, guild=guild))
                tx.insert(PAIRS, Pair(left=f"p{at:03}", right="right", at=at))

        store.write(scope, fill)
        return scope

    def test_many_reads_give_what_each_gives(self, store: Store, crowd: Scope) -> None:
        """In their order, with `None` where there is no row; asked again, the same."""
        first, again = store.read(crowd, _agree), store.read(crowd, _agree)
        assert first == again
        assert sum(row is not None for row in first[: 4 * _MANY]) == 2 * _MANY

    def test_many_reads_follow_every_write(self, store: Store, crowd: Scope) -> None:
        """Those of units before, and the unit's own, whether it had asked before them or not."""

        def unit(tx: Transaction, at: int, *, asks: bool) -> None:
            before = _agree(tx) if asks else None
            _change(tx, at)
            assert _agree(tx) != before

        for at, asks in ((0, False), (8, True), (250, False), (500, True)):
            store.write(crowd, partial(unit, at=at, asks=asks))
            changed = store.read(crowd, _agree)
            assert (changed[at].name, changed[at + 1].name, changed[at + 2]) == ("changed", "new", None)

    def test_many_reads_follow_bulk_writes(self, store: Store, crowd: Scope) -> None:
        """Of the unit itself and of units before it."""

        def unit(tx: Transaction) -> None:
            _agree(tx)
            tx.rewrite(IN_GUILD, ("g",), {"code": None})
            _change(tx, 0)
            _agree(tx)

        store.write(crowd, unit)
        found = store.read(crowd, _agree)
        assert found[6].code is None
        store.write(crowd, lambda tx: tx.clear(IN_GUILD, "g"))
        assert store.read(crowd, _agree)[6] is None

    def test_sums_that_are_asked_for_together_are_what_each_gives(self, store: Store, crowd: Scope) -> None:
        """Also where units before have changed the rows, where the unit itself has, and where a sum needs 65 bits."""

        def asked(tx: Transaction) -> list[dict[Value, int]]:
            together = tx.read_all(_SUMS)
            for read, found in zip(_SUMS, together, strict=True):
                rows: list[Hero] = tx.scan(BY_LEVEL, start=read.start, stop=read.stop)
                assert found == sums_of(rows, "level", read.by)
            return together

        def change(tx: Transaction, level: int) -> None:
            asked(tx)
            for at in range(0, 40, 2):
                tx.put(HEROES, Hero(id=f"h{at:03}", level=level + at % 8))
            asked(tx)

        known = [store.read(crowd, asked)]
        for level in (1, 2, 3, 2**62):
            store.write(crowd, partial(change, level=level))
            known.append(store.read(crowd, asked))
            assert known[-1] == store.read(crowd, asked) != known[-2]
