"""A transaction's overlay: a unit sees its own writes in every read, and the store sees none before the end."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key, Table
from livecore.kernel.values import keyword_value as record

SCOPE = Scope("gam_transactions", "test")
NAMES = st.sampled_from("abcdefgh")


@record
class Card:
    """A card with a number, in a suit, perhaps with a unique mark."""

    name: str
    suit: str
    number: int
    mark: str | None = None


CARDS = Table("test_cards", Card, key=("name",))
BY_MARK = CARDS.unique("mark")
IN_SUIT = CARDS.index("in_suit", prefix=("suit",), order=("number",))

ROWS = st.builds(
    lambda name, suit, number, marked: Card(
        name=name, suit=suit, number=number, mark=f"mark of {name}" if marked else None
    ),
    NAMES,
    st.sampled_from("xy"),
    st.integers(0, 4),
    st.booleans(),
)
CHANGES = st.lists(st.one_of(NAMES, ROWS), max_size=12)
BOUNDS = st.one_of(st.none(), st.tuples(st.integers(0, 4)), st.tuples(st.integers(0, 4), NAMES))


def _apply(tx: Transaction, model: dict[str, Card], change: str | Card) -> None:
    if isinstance(change, str):
        tx.delete(CARDS, change)
        model.pop(change, None)
    else:
        tx.put(CARDS, change)
        model[change.name] = change


def _listed(model: dict[str, Card], suit: str) -> list[Card]:
    return sorted((row for row in model.values() if row.suit == suit), key=lambda row: (row.number, row.name))


def _agree(tx: Transaction, model: dict[str, Card], start: Key | None, stop: Key | None, limit: int | None) -> None:
    for name in "abcdefgh":
        assert tx.get(CARDS, name) == model.get(name)
        marked = next((row for row in model.values() if row.mark == f"mark of {name}"), None)
        assert tx.find(BY_MARK, f"mark of {name}") == marked
    for suit, reverse in itertools.product("xy", (False, True)):
        inside = [
            row
            for row in _listed(model, suit)
            if (start is None or (row.number, row.name) >= start) and (stop is None or (row.number, row.name) < stop)
        ]
        found = tx.scan(IN_SUIT, suit, start=start, stop=stop, reverse=reverse, limit=limit)
        assert found == (inside[::-1] if reverse else inside)[:limit]
        assert tx.count(IN_SUIT, suit, start=start, stop=stop) == len(inside)


@given(CHANGES, CHANGES, BOUNDS, BOUNDS, st.one_of(st.none(), st.integers(1, 4)))
def test_reads_see_the_units_own_writes(
    committed: list[str | Card], own: list[str | Card], start: Key | None, stop: Key | None, limit: int | None
) -> None:
    """Get, find, scan and count over committed rows and pending writes agree with a dictionary; so does the store after."""
    store, model = MemoryStore(), dict[str, Card]()

    def commit(tx: Transaction) -> None:
        for change in committed:
            _apply(tx, model, change)

    def overlay(tx: Transaction) -> None:
        for change in own:
            _apply(tx, model, change)
            _agree(tx, model, start, stop, limit)

    store.write(SCOPE, commit)
    before = dict(model)
    store.read(SCOPE, lambda tx: _agree(tx, before, start, stop, limit))
    store.write(SCOPE, overlay)
    store.read(SCOPE, lambda tx: _agree(tx, model, start, stop, limit))


def test_another_scope_sees_nothing() -> None:
    """A transaction cannot name another scope; its rows are its own."""
    store = MemoryStore()
    store.write(SCOPE, lambda tx: tx.insert(CARDS, Card(name="a", suit="x", number=1)))
    other = Scope("gam_transactions", "live")
    assert store.read(other, lambda tx: (tx.get(CARDS, "a"), tx.scan(IN_SUIT, "x"))) == (None, [])


def test_what_a_read_writes_is_dropped() -> None:
    store = MemoryStore()
    store.read(SCOPE, lambda tx: tx.insert(CARDS, Card(name="a", suit="x", number=1)))
    assert store.dump().get(SCOPE.id, {}) == {}


def test_several_lists_of_reads_come_back_list_by_list() -> None:
    """Each in its order, also an empty one, and with what the unit has written."""
    one, two, three = (Card(name=name, suit="x", number=number) for number, name in enumerate("abc"))

    def work(tx: Transaction) -> None:
        tx.insert(CARDS, one)
        tx.insert(CARDS, two)
        nothing: list[Get[Card]] = []
        rows, none, scans = tx.read_lists(
            (Get(CARDS, (name,)) for name in "bca"), nothing, [Scan(IN_SUIT, ("x",)), Scan(IN_SUIT, ("y",))]
        )
        assert (rows, none, scans) == ([two, None, one], [], [[one, two], []])
        tx.insert(CARDS, three)
        assert tx.read_lists([Count(IN_SUIT, ("x",))], [Get(CARDS, ("c",))]) == ([3], [three])

    MemoryStore().write(SCOPE, work)
