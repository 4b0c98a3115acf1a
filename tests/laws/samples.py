"""What units of work knew and read, as samples for the record of reads (`tests.laws.recording`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, get_type_hints

import attrs

from livecore.kernel.storage.reads import AnyRead, Find, Get, Scan
from livecore.kernel.storage.tables import Table, Value
from livecore.kernel.wire.shapes import ABSENT
from livecore.kernel.words import sought
from livecore_server.storage.known import UNKNOWN, Known
from tests.laws.far_store import CountedUnit

_NO_ID: Final = 50
"""Numbers up to here are equal by chance."""
_ALIKE: Final = 4
"""How many letters the names of an area and of its settings have in common."""
_SEARCHED: Final = ("argument.q", "argument.query")
_OF_ONE: Final = (1, 2)
"""Limits of scans for one row: that row alone, and whether there is another."""
SOUGHT: Final = tuple(f"sought({argument})" for argument in _SEARCHED)
"""What is sought by the texts of searches."""
_WORD: Final = re.compile(r"[a-z_]{1,30}\Z")
_PLAIN: Final = ("externalId", "key", "now", "day", "game", "studio", "actor")


@attrs.define(eq=False)
class Sample:
    """A unit of a request: what was known, what it read, and what came back."""

    known: Known
    needed: dict[AnyRead, int]
    """The reads that were sent, with their rounds."""
    rows: dict[AnyRead, Sequence[Any]]
    """Every read that was made."""
    waits: dict[object, int]
    """The sources of the reads for which it waited after its first round, with the round in which they came."""
    index: Holders
    """Who holds which value."""
    read_by: dict[str, AnyRead] = attrs.field(factory=dict)
    """What the accepted entries read, by their names."""

    def take(self, name: str, read: AnyRead) -> None:
        """Entry `name` makes this read: others may use the row that it finds, or each of its rows."""
        self.read_by[name] = read
        rows = self.rows.get(read, ())
        if rows and (not isinstance(read, Scan) or read.limit in _OF_ONE):
            self.index.add_fields(name, rows[0])
        if isinstance(read, Scan) and read.limit != 1:
            self.index.add_parts(name, rows)


class Holders:
    """The names that hold a value in a unit of an operation, and the lists of which a part holds it."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.names: defaultdict[tuple[type, Value], list[str]] = defaultdict(list)
        self.texts: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.parts: defaultdict[tuple[type, Value], list[tuple[str, Any]]] = defaultdict(list)
        self.words: frozenset[str] = frozenset()
        """The keys that its game's configuration has made up."""
        self.facts: set[str] = set()
        """What is so of what is known, as conditions of entries."""

    def add(self, name: str, value: object) -> None:
        """What is known under a name."""
        if isinstance(value, str):
            self.names[str, value].append(name)
            self.texts[name] = value
        elif isinstance(value, int) and not isinstance(value, bool):
            self.names[int, value].append(name)
            self.numbers[name] = value

    def add_fields(self, name: str, row: object) -> None:
        """A row that an entry reads; its small numbers are not ids of anything."""
        for field, value in fields_of(row):
            if isinstance(value, str):
                self.add(f"{name}.{field}", value)
            elif isinstance(value, int) and abs(value) > _NO_ID:
                self.names[int, value].append(f"{name}.{field}")

    def add_parts(self, name: str, parts: Sequence[Any]) -> None:
        """A list."""
        for part in parts:
            held = [one for _, one in fields_of(part)] or [part]
            for value in {one for one in held if isinstance(one, str | int)}:
                if isinstance(value, str) or (isinstance(value, int) and abs(value) > _NO_ID):
                    self.parts[type(value), value].append((name, part))


class Values:
    """What an entry's values are made of in a sample."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def known(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """What was known."""
        return self._sample.known.value(name)

    def hidden(self, owner: str) -> Any:  # noqa: ANN401 - of any type
        """The hash of the idempotency key."""
        return self._sample.known.hidden(owner)

    def field(self, name: str, field: str) -> Any:  # noqa: ANN401 - of any type
        """A field of the row that an entry has read."""
        read = self._sample.read_by.get(name)
        rows = () if read is None else self._sample.rows.get(read, ())
        value = getattr(rows[0], field) if rows else None
        return UNKNOWN if value is None else value

    def rows(self, name: str) -> Sequence[Any] | None:
        """The rows that an entry has read."""
        read = self._sample.read_by.get(name)
        return None if read is None else self._sample.rows.get(read)


def samples_of(units: Iterable[CountedUnit]) -> dict[str, list[Sample]]:
    """The units of requests, by operation."""
    found: defaultdict[str, list[Sample]] = defaultdict(list)
    for unit in units:
        if unit.known is not None and unit.made:
            found[unit.known.operation].append(_sample(unit, unit.known))
    return dict(found)


def _sample(unit: CountedUnit, known: Known) -> Sample:
    rows: dict[AnyRead, Sequence[Any]] = {}
    for read, found in unit.made:
        rows.setdefault(read, found)
    needed = {_read_of(item): sent.round for item, sent in unit.sent.items() if sent.used}
    waits: dict[object, int] = {}
    for number, source in enumerate(unit.waits, 1):
        if number > 1:
            waits.setdefault(source, number)
    return Sample(known, needed, rows, waits, _index_of(known))


def _read_of(item: tuple[str, Any]) -> AnyRead:
    kind, read = item
    if kind != "row":
        found: AnyRead = read
        return found
    source, key = read
    return Get(source, key) if isinstance(source, Table) else Find(source, key)


def _index_of(known: Known) -> Holders:
    index = Holders(known.operation)
    for name in _PLAIN:
        value = known.value(name)
        if value is not UNKNOWN:
            index.add(name, value)
    index.words = _keys_of(known.value("config"))
    for root in ("argument", "config"):
        _walk(root, known.value(root), index)
    return index


_CHOSEN: Final[dict[type[Any], frozenset[str]]] = {}


def _is_chosen(kind: type[Any], field: str) -> bool:
    """Whether a field holds one of a few words of the API."""
    if kind not in _CHOSEN:
        hints = get_type_hints(kind, include_extras=True)
        _CHOSEN[kind] = frozenset(name for name, hint in hints.items() if "Literal" in repr(hint))
    return field in _CHOSEN[kind]


_KEYS: Final[dict[int, tuple[object, frozenset[str]]]] = {}


def _keys_of(config: object) -> frozenset[str]:
    """The keys that a configuration has made up; it is kept, so that no other has its place in memory."""
    if id(config) not in _KEYS:
        _KEYS[id(config)] = config, frozenset(_keys_in(config))
    return _KEYS[id(config)][1]


def _keys_in(part: object) -> Iterator[str]:
    if isinstance(part, list | tuple):
        for one in part:
            yield from _keys_in(one)
    for name, held in fields_of(part):
        if name == "key" and isinstance(held, str):
            yield held
        yield from _keys_in(held)


def _walk(path: str, value: object, index: Holders, *, chosen: bool = False) -> None:
    """Take in a value; `chosen` from a list of words that the API has."""
    if value is None or value is ABSENT or isinstance(value, str | int):
        so = value not in {None, ABSENT, False, ""}
        index.facts.add(path if so else f"not {path}")
        if so and isinstance(value, str) and _WORD.match(value) and chosen:
            index.facts.add(f"{path} == {value!r}")
    if isinstance(value, str | int) and path.startswith("config") and not is_near(index.operation, path):
        return
    if isinstance(value, str | int):
        index.add(path, value)
        if path in _SEARCHED and isinstance(value, str):
            index.add(f"sought({path})", sought(value))
    elif isinstance(value, tuple | list):
        # What a list of the configuration declares has a key; others only mention what is declared elsewhere.
        if path.startswith("argument") or (path.count(".") == 1 and value and "key" in names_in(type(value[0]))):
            index.add_parts(path, value)
    else:
        for field, held in fields_of(value):
            _walk(f"{path}.{field}", held, index, chosen=_is_chosen(type(value), field))


def is_near(operation: str, setting: str) -> bool:
    """Whether a setting is one of the operation's own area: `config.gifting` of `sdk:gifts.send`."""
    return setting.startswith(f"config.{operation.partition(':')[2][:_ALIKE]}")


def fields_of(row: object) -> list[tuple[str, Any]]:
    """The names and values of a record's fields; none for what is no record."""
    return [(name, getattr(row, name)) for name in names_in(type(row))]


def names_in(kind: type[Any]) -> tuple[str, ...]:
    """The names of a class's fields."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in attrs.fields(kind)) if attrs.has(kind) else ()
    return _NAMES[kind]


_NAMES: Final[dict[type[Any], tuple[str, ...]]] = {}
