"""Generated units of work, and the law that a store answers them exactly as the store in memory does.

A unit is a list of steps; each step reads or writes a little over a handful of keys, so that keys, unique values, places in
indexes and prefixes collide all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import JsonText
from livecore.kernel.storage.store import Transaction, UniqueViolation
from livecore.kernel.storage.tables import Index, Key, Value
from livecore_server.storage.postgres import PostgresStore
from tests.stores.suite import StoreUnderTest, fresh_scope
from tests.stores.tables import BY_CODE, BY_LEVEL, BY_SEAT, BY_SEEN, HEROES, IN_GUILD, OF_LEFT, PAIRS, Hero, Pair

Step: TypeAlias = "Callable[[Transaction], object]"
Sequence: TypeAlias = "list[tuple[list[Step], bool]]"
"""Units: their steps, and whether they raise at the end."""

_IDS = st.sampled_from("abcd")
_LEVELS = st.integers(0, 2)
_NAMES = st.sampled_from(["", "x", "y"])
_GUILDS = st.none() | st.sampled_from(["g", "h"])


class Refused(Exception):
    """What a unit raises in the end, when it is refused."""


_heroes = st.builds(
    Hero,
    id=_IDS,
    name=_NAMES,
    level=_LEVELS,
    code=st.none() | st.sampled_from(["p", "q"]),
    seat=st.none() | _LEVELS,
    guild=_GUILDS,
    seen_at=st.none() | _LEVELS,
    rank=st.sampled_from(["page", "knight"]),
    active=st.booleans(),
)
_pairs = st.builds(Pair, left=_IDS, right=_IDS, at=_LEVELS)


def _step(name: str, step: Step) -> Step:
    step.__name__ = name
    step.__qualname__ = name
    return step


def _writes() -> st.SearchStrategy[Step]:
    return _puts() | _heroes.map(lambda row: _step(f"insert({row})", lambda tx: tx.insert(HEROES, row)))


def _puts() -> st.SearchStrategy[Step]:
    """Writes that need no look at what is there."""
    return st.one_of(
        _heroes.map(lambda row: _step(f"put({row})", lambda tx: tx.put(HEROES, row))),
        _IDS.map(lambda name: _step(f"delete({name})", lambda tx: tx.delete(HEROES, name))),
        _pairs.map(lambda row: _step(f"put({row})", lambda tx: tx.put(PAIRS, row))),
        st.tuples(_IDS, _IDS).map(lambda key: _step(f"delete{key}", lambda tx: tx.delete(PAIRS, *key))),
    )


def _rewrites() -> st.SearchStrategy[Step]:
    places = st.one_of(
        st.tuples(st.just(IN_GUILD), st.tuples(_GUILDS), st.sampled_from(_IN_GUILD_REWRITES)),
        st.tuples(st.just(BY_SEEN), st.tuples(st.just("home"), st.booleans()), st.sampled_from(_BY_SEEN_REWRITES)),
        st.tuples(st.just(OF_LEFT), st.tuples(_IDS), st.none()),
    )
    return places.map(lambda place: _step(f"rewrite({place[0].name}, {place[1]}, {place[2]})", _rewrite(*place)))


def _rewrite(index: Index[Any], prefix: Key, values: dict[str, Value] | None) -> Step:
    if values is None:
        return lambda tx: tx.clear(index, *prefix)
    return lambda tx: tx.rewrite(index, prefix, values)


_IN_GUILD_REWRITES: list[dict[str, Value] | None] = [
    {"guild": "h"},
    {"guild": None, "code": None},
    {"rank": "knight", "seat": None, "notes": JsonText("{}")},
    None,
]
_BY_SEEN_REWRITES: list[dict[str, Value] | None] = [{"active": False}, {"seen_at": None}, {"famous": True}, None]


def _lookups() -> st.SearchStrategy[Step]:
    return st.one_of(
        _IDS.map(lambda name: _step(f"get({name})", lambda tx: tx.get(HEROES, name))),
        st.sampled_from(["p", "q"]).map(lambda code: _step(f"find({code})", lambda tx: tx.find(BY_CODE, code))),
        _LEVELS.map(lambda seat: _step(f"find(home, {seat})", lambda tx: tx.find(BY_SEAT, "home", seat))),
    )


_INDEXES: list[tuple[Index[Any], st.SearchStrategy[Key], tuple[st.SearchStrategy[Any], ...]]] = [
    (BY_LEVEL, st.just(()), (_LEVELS, _IDS)),
    (IN_GUILD, st.tuples(_GUILDS), (_LEVELS, _NAMES, _IDS)),
    (BY_SEEN, st.tuples(st.just("home"), st.booleans()), (_LEVELS, _IDS)),
    (OF_LEFT, st.tuples(_IDS), (_LEVELS, _IDS)),
]


_SUMMED: dict[str, tuple[str, list[str]]] = {
    HEROES.name: ("level", ["name", "guild", "rank", "seat", "level"]),
    PAIRS.name: ("at", ["right", "left"]),
}
"""Of each table a column to add up, and columns by which to do so."""


@st.composite
def _scans(draw: st.DrawFn) -> Step:
    index, prefixes, places = draw(st.sampled_from(_INDEXES))
    of, groups = _SUMMED[index.table.name]
    by = draw(st.sampled_from(groups))
    prefix = draw(prefixes)
    place = st.tuples(*places)
    part = st.none() | st.builds(lambda whole, width: whole[:width], place, st.integers(1, len(places)))
    start, stop, after = draw(part), draw(part), draw(st.none() | place)
    reverse, limit = draw(st.booleans()), draw(st.none() | st.integers(0, 3))

    def step(tx: Transaction) -> object:
        counted = tx.count(index, *prefix, start=start, stop=stop), tx.count(index, *prefix, start=start, limit=limit)
        sums = tx.sums(index, *prefix, start=start, stop=stop, of=of, by=by)
        rows = tx.scan(index, *prefix, start=start, after=after, stop=stop, reverse=reverse, limit=limit)
        return counted, sums, rows

    return _step(f"scan({index.name}, {prefix}, {start=}, {after=}, {stop=}, {reverse=}, {limit=}, {by=})", step)


def changes() -> st.SearchStrategy[list[Step]]:
    """Writes of rows and of many rows at once."""
    return st.lists(st.one_of(_puts(), _puts(), _rewrites()), max_size=12)


def questions() -> st.SearchStrategy[list[Step]]:
    """Reads of every kind."""
    return st.lists(st.one_of(_lookups(), _scans()), min_size=1, max_size=8)


def sequences() -> st.SearchStrategy[Sequence]:
    """Up to eight units of up to six steps, bulk writes among them, one in eight of them refused."""
    steps = st.one_of(_writes(), _writes(), _lookups(), _scans(), _rewrites())
    unit = st.tuples(st.lists(steps, max_size=6), st.integers(0, 7).map(lambda dice: dice == 0))
    return st.lists(unit, max_size=8)


def agrees_with_memory(store: StoreUnderTest, sequence: Sequence) -> None:
    """Both stores give the same answers, refuse the same units, and end with the same rows."""
    scope = fresh_scope()
    memory = MemoryStore()
    for steps, refused in sequence:

        def work(tx: Transaction, steps: list[Step] = steps, refused: bool = refused) -> list[object]:
            answers = [_outcome(step, tx) for step in steps]
            if refused:
                raise Refused
            return answers

        assert _run(store, scope, work) == _run(memory, scope, work)
        assert _rows(store, scope) == _rows(memory, scope)


def _rows(store: StoreUnderTest, scope: Scope) -> dict[str, list[Any]]:
    """What a store holds in one scope, by table; the scopes of earlier examples in the same database are not read."""
    if isinstance(store, PostgresStore):
        held = {table.name: store._rows_of(scope.id, table) for table in store.tables}
        return {name: rows for name, rows in held.items() if rows}
    return store.dump().get(scope.id, {})


def _outcome(step: Step, tx: Transaction) -> object:
    try:
        return step(tx)
    except UniqueViolation as error:
        return str(error)


def _run(store: StoreUnderTest, scope: Scope, work: Callable[[Transaction], list[object]]) -> object:
    try:
        return store.write(scope, work)
    except UniqueViolation:
        return UniqueViolation
    except Refused:
        return Refused
