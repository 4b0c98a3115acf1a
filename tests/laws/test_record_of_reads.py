"""The record of reads: what its entries mean, what may stand in the file, and how it is learned."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

import attrs
import pytest

from livecore.api.operations import OPERATIONS
from livecore.guilds.guild import WORDS, WORDS_BY_TEXT
from livecore.kernel.scope import Scope
from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.store import Transaction
from livecore.kernel.words import sought
from livecore_server import known_request
from livecore_server.storage.known import UNKNOWN, ExpectingReader
from livecore_server.storage.postgres.reads.expected_reads import Record, entry_from, expected_reads
from tests.laws.crowd import KEYS
from tests.laws.drawing import PLAYERS
from tests.laws.far_store import CountedUnit, FarStore
from tests.laws.recording import Entries, record_of
from tests.laws.rounds import WORDS as MADE_UP
from tests.stores.tables import BY_CODE, BY_LEVEL, COUNTERS, HEROES, IN_GUILD, PAIRS, Counter, Hero, Pair

_SCOPE: Final = Scope("gam_recorded", "test")
_OPERATION: Final = "sdk:heroes.look"
_HERO, _IN_GUILD, _BY_LEVEL = HEROES.name, f"{HEROES.name}.{IN_GUILD.name}", f"{HEROES.name}.{BY_LEVEL.name}"


@attrs.define
class _Arguments:
    """As those of a request."""

    code: str | None = None
    other: str | None = None
    limit: int = 5
    heroes: tuple[str, ...] = ()
    mode: Literal["fast", "slow"] | None = None
    q: str | None = None


@attrs.define
class _Known:
    """What is known of a unit."""

    arguments: _Arguments
    now: int = 1_772_404_200_000
    operation: str = _OPERATION

    def value(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """A value by its name."""
        found = {"argument": self.arguments, "now": self.now}.get(name.partition(".")[0], UNKNOWN)
        if "." in name:
            found = getattr(found, name.partition(".")[2], None)
        return UNKNOWN if found is None else found

    def hidden(self, owner: str) -> Any:  # noqa: ANN401 - of any type
        """Something that nobody guesses."""
        return f"hidden {owner}"


class _Values:
    """What entries are given here: a request, and a row and rows that others have read."""

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401 - of any type
        request = _Known(_Arguments(**arguments))
        self.known, self.hidden = request.value, request.hidden

    def field(self, name: str, field: str) -> Any:  # noqa: ANN401 - of any type
        """Only `a` has read a row."""
        return {"id": "hero_1", "level": 7}.get(field, UNKNOWN) if name == "a" else UNKNOWN

    def rows(self, name: str) -> Sequence[Any] | None:
        """Only `b` has read rows."""
        return [Hero(id="x", guild="g"), Hero(id="y")] if name == "b" else None


# -- what entries mean ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "reads"),
    [
        ({"get": _HERO, "by": ["argument.other"]}, [Get(HEROES, ("hero_2",))]),
        ({"get": _HERO, "by": ["a.id"]}, [Get(HEROES, ("hero_1",))]),
        ({"get": _HERO, "by": ["z.id"]}, None),
        ({"get": _HERO, "by": ["argument.mode"]}, None),
        ({"get": _HERO, "by": ["hidden('server')"]}, [Get(HEROES, ("hidden server",))]),
        ({"get": _HERO, "by": ["text('of:{}!', a.id)"]}, [Get(HEROES, ("of:hero_1!",))]),
        ({"get": _HERO, "by": ["sought(argument.other)"]}, [Get(HEROES, ("hero 2",))]),
        (
            {"get": PAIRS.name, "by": ["low(argument.other, a.id)", "high(argument.other, a.id)"]},
            [Get(PAIRS, ("hero_1", "hero_2"))],
        ),
        ({"find": f"{_HERO}.{BY_CODE.name}", "by": ["argument.code"]}, [Find(BY_CODE, ("c",))]),
        (
            {"scan": _IN_GUILD, "by": ["'g'"], "start": ["3"], "reverse": True, "limit": "argument.limit + 1"},
            [Scan(IN_GUILD, ("g",), start=(3,), reverse=True, limit=6)],
        ),
        ({"count": _BY_LEVEL, "by": [], "stop": ["a.level - 2"]}, [Count(BY_LEVEL, (), stop=(5,))]),
        ({"count": _BY_LEVEL, "by": [], "stop": ["(a.level + 1) * 10"]}, [Count(BY_LEVEL, (), stop=(80,))]),
        (
            {"sums": _IN_GUILD, "by": ["'g'"], "of": "level", "per": "name"},
            [Sums(IN_GUILD, ("g",), of="level", by="name")],
        ),
        ({"for": "argument.heroes", "get": _HERO, "by": ["each"]}, [Get(HEROES, ("h",)), Get(HEROES, ("i",))]),
        ({"for": "b", "scan": _IN_GUILD, "by": ["each.guild"]}, [Scan(IN_GUILD, ("g",))]),
        ({"for": "c", "get": _HERO, "by": ["each.id"]}, None),
        ({"if": "argument.limit == 5", "get": _HERO, "by": ["'x'"]}, [Get(HEROES, ("x",))]),
        ({"if": "argument.limit == 6", "get": _HERO, "by": ["'x'"]}, []),
        ({"if": "argument.mode", "get": _HERO, "by": ["'x'"]}, []),
        ({"if": "not argument.mode", "get": _HERO, "by": ["'x'"]}, [Get(HEROES, ("x",))]),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_an_entry_makes_reads_of_what_is_known(entry: Mapping[str, Any], reads: list[AnyRead] | None) -> None:
    """And none while a value is missing."""
    found = entry_from(entry).reads(_Values(code="c", other="hero_2", heroes=("h", "i")))
    assert (None if found is None else list(found)) == reads


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"get": "no_such_table", "by": []}, KeyError),
        ({"get": _HERO, "by": ["__import__('os')"]}, ValueError),
        ({"get": _HERO, "by": ["a.id / 2"]}, ValueError),
        ({"get": _HERO, "by": ["[1]"]}, ValueError),
    ],
)
def test_what_is_no_entry_is_refused(entry: Mapping[str, Any], fault: type[Exception]) -> None:
    """When the file is read: an entry becomes a function, and nothing else may become one."""
    with pytest.raises(fault):
        entry_from(entry)


# -- the file -------------------------------------------------------------------------------------------------------------


def test_the_file_is_about_operations_that_there_are() -> None:
    """Most of them; all entries are of tables that there are, or reading them would fail."""
    record = expected_reads()
    assert record.written.keys() <= {entry.id for entry in OPERATIONS}
    assert [operation for operation in record.written if record.of(operation) is None] == []
    assert len(record.written) > 200


def _texts() -> set[str]:
    """The texts that stand in the entries."""
    entries = (entry for held in expected_reads().written.values() for entry in held)
    return {text for entry in entries for text in re.findall(r"'([^']*)'", str(entry))}


def test_the_file_has_no_word_that_a_configuration_has_made_up() -> None:
    """It is for every game, not for those of the tests."""
    texts = _texts()
    assert texts
    assert sorted({*MADE_UP, *KEYS} & texts) == []


def test_the_file_has_no_word_that_a_request_has_said() -> None:
    """What somebody searches for stands in it as little: a word is one of the code, such as the state of a gift."""
    assert sorted({*PLAYERS, "crowd", "bert", "da"} & {text.rstrip("\U0010ffff") for text in _texts()}) == []


def test_the_file_says_only_what_a_request_knows() -> None:
    """Each name is that of a row that another entry of the operation reads, or of a request."""
    for operation, entries in expected_reads().written.items():
        rows = {entry["as"] for entry in entries if "as" in entry}
        texts = [str(text) for entry in entries for part in _VALUES & entry.keys() for text in _listed(entry[part])]
        trees = [node for text in texts for node in ast.walk(ast.parse(text))]
        called = {node.func.id for node in trees if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        names = {node.id for node in trees if isinstance(node, ast.Name)}
        assert names - called - rows - {*known_request._FOUND, "each"} == set(), operation


_VALUES: Final = {"by", "start", "after", "stop", "limit", "if"}


def _listed(part: object) -> list[object]:
    return part if isinstance(part, list) else [part]


# -- how it is learned ----------------------------------------------------------------------------------------------------


def _played(
    work: Callable[[Transaction, _Arguments], object],
    requests: Sequence[_Arguments],
    given: Mapping[str, list[dict[str, Any]]] = MappingProxyType({}),
) -> Entries:
    """What is learned from units that do this work for these requests."""

    def plays(record: Entries) -> list[CountedUnit]:
        store = FarStore(record=Record(record))
        store.write(_SCOPE, _fill)
        units: list[CountedUnit] = []
        for number, arguments in enumerate(requests):
            store.units = []
            store.read(_SCOPE, partial(_begun, work=work, arguments=arguments, number=number))
            units += store.units
        return units

    return record_of(plays, frozenset({"gold", "silver"}), given)


def _fill(tx: Transaction) -> None:
    for at in range(6):
        tx.insert(HEROES, Hero(id=f"hero_number_{at}", code=f"code_{at}", guild=f"guild_{at % 2}", level=100 + at))
        tx.insert(PAIRS, Pair(left="hero_number_0", right=f"hero_number_{at}"))
    for name in ("all", "gold", "silver"):
        tx.insert(COUNTERS, Counter(key=name))


def _begun(
    tx: Transaction, work: Callable[[Transaction, _Arguments], object], arguments: _Arguments, number: int
) -> object:
    assert isinstance(tx.reader, ExpectingReader)
    tx.reader.expect(_Known(arguments, now=1_772_404_200_000 + 7_777 * number))
    return work(tx, arguments)


_REQUESTS: Final = [
    _Arguments(code=f"code_{at}", limit=3 + at % 2, mode="slow" if at % 2 else "fast") for at in range(6)
]


def _reads_of(record: Entries) -> list[dict[str, Any]]:
    return [{name: part for name, part in entry.items() if name != "as"} for entry in record.get(_OPERATION, [])]


def test_values_are_written_by_what_holds_them() -> None:
    """An argument, a field of a row that another entry reads, a limit, a constant of the code."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        hero = tx.find(BY_CODE, arguments.code)
        assert hero is not None
        tx.scan(IN_GUILD, hero.guild, limit=arguments.limit + 1)
        tx.get(COUNTERS, "all")

    record = _played(work, _REQUESTS)
    assert _reads_of(record) == [
        {"find": f"{_HERO}.code", "by": ["argument.code"]},
        {"get": COUNTERS.name, "by": ["'all'"]},
        {"scan": _IN_GUILD, "by": ["a.guild"], "limit": "argument.limit + 1"},
    ]


def test_a_word_of_a_configuration_is_no_constant() -> None:
    """Although every unit has read it."""
    assert _reads_of(_played(lambda tx, _: tx.get(COUNTERS, "gold"), _REQUESTS)) == []


def test_what_few_units_read_is_expected_where_something_known_decides() -> None:
    """Every second one reads it, for the reason that the entry gives; of two in six nothing says when."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        tx.find(BY_CODE, arguments.code)
        if arguments.mode == "fast":
            tx.scan(BY_LEVEL, limit=2)
        if arguments.code in {"code_1", "code_4"}:
            tx.get(COUNTERS, "all")

    found = _reads_of(_played(work, _REQUESTS))
    assert {"scan": _BY_LEVEL, "by": [], "limit": "2"} in [
        {name: part for name, part in entry.items() if name != "if"} for entry in found
    ]
    assert [entry for entry in found if "get" in entry and "when" not in entry] == []


def test_what_belongs_to_a_branch_is_expected_once_the_unit_has_waited_in_it() -> None:
    """One unit in three goes there, and what it reads besides is asked for with the first read that it waits for."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        hero = tx.find(BY_CODE, arguments.code)
        assert hero is not None
        if hero.level % 3 == 0:
            tx.get(COUNTERS, "all")
            tx.scan(BY_LEVEL, limit=2)

    found = _reads_of(_played(work, _REQUESTS))
    assert {"scan": _BY_LEVEL, "by": [], "limit": "2", "when": COUNTERS.name} in found


def test_what_only_some_requests_ask_for_is_expected_of_these() -> None:
    """Although most units read it: those that do not say so in their arguments."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        tx.find(BY_CODE, arguments.code)
        if arguments.other is not None:
            tx.scan(BY_LEVEL, limit=2)

    requests = [_Arguments(code=f"code_{at}", other="asked" if at else None) for at in range(6)]
    assert {"scan": _BY_LEVEL, "by": [], "limit": "2", "if": "argument.other"} in _reads_of(_played(work, requests))


def test_a_count_is_expected_only_where_that_saves_a_round() -> None:
    """One that units ask for at once is in no entry, and one for which they would have to wait is."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        tx.read_together(Find(BY_CODE, (arguments.code,)), Count(BY_LEVEL, ()))
        tx.count(IN_GUILD, "guild")

    found = _reads_of(_played(work, _REQUESTS))
    assert [entry for entry in found if "count" in entry] == [{"count": _IN_GUILD, "by": ["'guild'"]}]


def test_the_bound_of_a_search_is_what_is_sought() -> None:
    """Also where nobody has searched for a text that differs from it, such as one with a capital letter."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        tx.get(COUNTERS, "all")
        query = sought(arguments.q or "")
        assert query is not None
        tx.scan(WORDS_BY_TEXT, start=(query,), stop=(f"{query}~",), limit=9)

    texts = {"start": ["sought(argument.q)"], "stop": ["text('{}~', sought(argument.q))"]}
    found = _reads_of(_played(work, [_Arguments(q=text) for text in ("ab", "cde", "fghijk")]))
    assert {"scan": f"{WORDS.name}.by_text", "by": [], **texts, "limit": "9"} in found


def test_what_is_given_is_not_learned_again() -> None:
    """And what is learned may use its rows."""

    def work(tx: Transaction, arguments: _Arguments) -> None:
        hero = tx.find(BY_CODE, arguments.code)
        assert hero is not None
        tx.get(COUNTERS, hero.name)
        tx.scan(IN_GUILD, hero.guild)

    given = [
        {"as": "row0", "find": f"{_HERO}.code", "by": ("argument.code",)},
        {"as": "row1", "get": COUNTERS.name, "by": ("row0.name",)},
    ]
    assert _reads_of(_played(work, _REQUESTS, {_OPERATION: given})) == [
        {"find": f"{_HERO}.code", "by": ["argument.code"]},
        {"get": COUNTERS.name, "by": ["a.name"]},
        {"scan": _IN_GUILD, "by": ["a.guild"]},
    ]
