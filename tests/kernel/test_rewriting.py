"""Bulk writes: what a unit reads after one is what everybody reads once the unit has been applied."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import Transaction, UniqueViolation
from livecore.kernel.storage.tables import Index, Key, Value
from tests.stores.law import Step, changes, questions
from tests.stores.tables import BY_LEVEL, BY_SEEN, HEROES, IN_GUILD, OF_LEFT, Hero

SCOPE = Scope("gam_rewriting", "test")


@settings(max_examples=300)
@given(before=changes(), now=changes(), asked=questions())
def test_a_unit_reads_what_it_will_have_written(before: list[Step], now: list[Step], asked: list[Step]) -> None:
    """Gets, finds, scans and counts, through any number of rewrites between other writes."""
    store = MemoryStore()

    def prepare(tx: Transaction) -> None:
        for step in before:
            step(tx)

    def work(tx: Transaction) -> list[object]:
        for step in now:
            step(tx)
        return [question(tx) for question in asked]

    try:
        store.write(SCOPE, prepare)
        answers = store.write(SCOPE, work)
    except UniqueViolation:
        return
    assert answers == store.read(SCOPE, lambda tx: [question(tx) for question in asked])


def test_rows_that_leave_an_index_are_counted_nowhere_in_it() -> None:
    """A row whose prefix becomes null is in the index no more, so the null prefix has no rows."""
    store = MemoryStore()
    store.write(SCOPE, lambda tx: tx.insert(HEROES, Hero(id="a", guild="g")))

    def work(tx: Transaction) -> list[object]:
        tx.rewrite(IN_GUILD, ("g",), {"guild": None})
        return [(tx.count(IN_GUILD, guild), tx.scan(IN_GUILD, guild)) for guild in ("g", None)]

    assert store.write(SCOPE, work) == [(0, []), (0, [])]


@pytest.mark.parametrize(
    ("index", "prefix", "values"),
    [
        (IN_GUILD, ("g",), {"id": "x"}),
        (IN_GUILD, ("g",), {"unknown": "x"}),
        (IN_GUILD, ("g",), {"name": None}),
        (IN_GUILD, ("g",), {"code": "x"}),
        (IN_GUILD, ("g",), {"level": 2}),
        (BY_LEVEL, (), {"guild": "g"}),
        (BY_SEEN, ("home", True), {"seen_at": 5}),
        (OF_LEFT, ("a",), {"left": "b"}),
    ],
    ids=[
        "key",
        "no column",
        "null in a column that has none",
        "unique",
        "order",
        "unknown origin",
        "order or null",
        "part",
    ],
)
def test_what_cannot_be_rewritten(index: Index[object], prefix: Key, values: dict[str, Value]) -> None:
    """Keys, unique values and places in an order are each row's own; and nobody must have to guess where rows came from."""
    with pytest.raises(ValueError, match=next(iter(values))):
        Rewrite(index, prefix, values)


def test_a_refused_batch_undoes_its_rewrites() -> None:
    """The store in memory rewrites before it finds that a row cannot be written."""
    store = MemoryStore()
    store.write(SCOPE, lambda tx: [tx.insert(HEROES, Hero(id=name, code=name, guild="g")) for name in "ab"])
    before = store.dump()

    def work(tx: Transaction) -> None:
        tx.rewrite(IN_GUILD, ("g",), {"guild": "h", "rank": "knight"})
        tx.clear(IN_GUILD, "none")
        tx.insert(HEROES, Hero(id="c", code="a"))

    with pytest.raises(UniqueViolation):
        store.write(SCOPE, work)
    assert store.dump() == before
