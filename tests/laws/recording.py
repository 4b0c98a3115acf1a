"""Learns the record of reads from units of work that were played: see `livecore_server.storage.postgres.expected_reads`.

For every operation it looks for entries, beginning with the one that would have saved the most reads. Candidates are made of
the reads themselves: each value of a key or a bound is written by whatever has this value in the same unit, such as the time,
an argument, a field of a row that an accepted entry reads, or by a constant. A candidate is accepted if enough of what it
makes, over all units of the operation, was really read. Words that a configuration has made up are no constants.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.tables import Index, Table, Unique, Value
from livecore_server.storage.known import UNKNOWN, Known
from livecore_server.storage.postgres.expected_reads import entry_from
from tests.laws.far_store import CountedUnit

__all__ = ["Record", "Sample", "further_entries", "learned", "name_of", "samples_of"]

Entry: TypeAlias = "dict[str, Any]"
Record: TypeAlias = "dict[str, list[Entry]]"
_Place: TypeAlias = "tuple[int, AnyRead]"
"""A sample by its number, and a read of it."""
_Template: TypeAlias = "tuple[tuple[str, Any], ...]"
"""An entry without its name, as something that can be counted."""

PRECISE: Final = 0.7
"""Which share of what an entry makes must have been read."""
_MOST_OF_A_VALUE: Final = 5
_MOST_OF_A_READ: Final = 60
_WORD: Final = re.compile(r"[A-Za-z_.:~\-]{0,40}\Z")
_SMALL: Final = 2_000
_LONG: Final = 5
"""How long a value is at least that is looked for inside another text."""
_DAYS: Final = 400
_DAY: Final = 86_400_000


@attrs.define(eq=False)
class Sample:
    """A unit of a request: what was known, what it read, and what came back."""

    known: Known
    needed: dict[AnyRead, int]
    """The reads that were sent, with their rounds."""
    rows: dict[AnyRead, Sequence[Any]]
    """Every read that was made."""
    waits: list[object]
    """The sources of the reads for which it waited after its first round, in their order."""
    names: dict[str, Any]
    """What was known, by name."""
    lists: dict[str, Sequence[Any]]
    read_by: dict[str, AnyRead] = attrs.field(factory=dict)
    """What the accepted entries read, by their names."""

    def value_of(self, name: str) -> Any:  # noqa: ANN401 - as `Values`
        """A value by its name."""
        return self.known.value(name)


class _Values:
    """What an entry's values are made of in a sample."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def known(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """What was known."""
        return self._sample.known.value(name)

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


# -- samples --------------------------------------------------------------------------------------------------------------


def samples_of(units: Iterable[CountedUnit]) -> dict[str, list[Sample]]:
    """The units of requests, by operation."""
    found: defaultdict[str, list[Sample]] = defaultdict(list)
    for unit in units:
        if unit.known is not None and unit.made:
            found[unit.known.operation].append(_sample(unit, unit.known))
    return dict(found)


def _sample(unit: CountedUnit, known: Known) -> Sample:
    rows: dict[AnyRead, Sequence[Any]] = {}
    for made in unit.made:
        rows.setdefault(made.read, made.rows)
    needed = {_read_of(item): sent.round for item, sent in unit.sent.items() if sent.used}
    waits = [made.read[0] for made in unit.made if made.waited][1:]
    names, lists = _names_of(known)
    return Sample(known, needed, rows, waits, names, lists)


def _read_of(item: tuple[str, Any]) -> AnyRead:
    kind, read = item
    if kind != "row":
        found: AnyRead = read
        return found
    source, key = read
    return Get(source, key) if isinstance(source, Table) else Find(source, key)


_PLAIN: Final = ("externalId", "key", "hiddenKey", "now", "day", "game", "studio", "actor")


def _names_of(known: Known) -> tuple[dict[str, Any], dict[str, Sequence[Any]]]:
    names = {name: value for name in _PLAIN if (value := known.value(name)) is not UNKNOWN}
    lists: dict[str, Sequence[Any]] = {}
    for root in ("argument", "config"):
        value = known.value(root)
        if value is not UNKNOWN:
            _walk(root, value, names if root == "argument" else {}, lists)
    return names, lists


def _walk(path: str, value: object, names: dict[str, Any], lists: dict[str, Sequence[Any]]) -> None:
    if isinstance(value, str | int) and not isinstance(value, bool):
        names[path] = value
    elif isinstance(value, tuple | list):
        lists[path] = value
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            _walk(f"{path}.{field.name}", getattr(value, field.name), names, lists)


# -- entries --------------------------------------------------------------------------------------------------------------


def learned(samples: Sequence[Sample], words: frozenset[str]) -> list[Entry]:
    """The entries that count from the beginning of an operation's units; `words` are no constants."""
    return _Learning(samples, words).entries([], [set(sample.needed) for sample in samples], None)


def further_entries(samples: Sequence[Sample], known: Sequence[Entry], words: frozenset[str]) -> Iterator[Entry]:
    """The entries that count once a unit has waited for a certain read, beyond those that are known."""
    sources = Counter(source for sample in samples for source in set(sample.waits))
    before = list(known)
    for source, _ in sorted(sources.items(), key=lambda held: (-held[1], name_of(held[0]))):
        chosen = [sample for sample in samples if source in sample.waits]
        left = [_after(sample, source) for sample in chosen]
        found = _Learning(chosen, words).entries(before, left, name_of(source))
        before += found
        yield from found


def _after(sample: Sample, source: object) -> set[AnyRead]:
    """The reads that were sent later than the first one of this source for which the unit waited."""
    first = min(number for read, number in sample.needed.items() if read[0] is source and number > 1)
    return {read for read, number in sample.needed.items() if number > first}


class _Learning:
    """The search for entries over the units of one operation."""

    def __init__(self, samples: Sequence[Sample], words: frozenset[str]) -> None:
        self._samples = samples
        self._words = words
        self._values = [_Values(sample) for sample in samples]
        self._candidates: dict[_Place, list[_Template]] = {}
        self._counts: Counter[_Template] = Counter()
        """How many of the reads that are left a template would make."""
        self._queue: list[tuple[int, int, str, _Template]] = []

    def entries(self, known: Sequence[Entry], left: Sequence[set[AnyRead]], when: str | None) -> list[Entry]:
        """Entries that make what is left; those that are known give their names."""
        for entry in known:
            self._name(entry, self._made(entry))
        found: list[Entry] = []
        places = [(at, read) for at, rest in enumerate(left) for read in rest]
        self._consider(places)
        tried: set[_Template] = set()
        while (template := self._best(tried)) is not None:
            entry = {"as": f"row{len(known) + len(found)}", **dict(template)}
            if when is not None:
                entry["when"] = when
            made = self._made(entry)
            if not _is_precise(self._samples, made):
                continue
            found.append(entry)
            for at, reads in enumerate(made):
                for read in reads:
                    self._done((at, read))
            if self._name(entry, made):
                self._consider([place for place, held in self._candidates.items() if not held])
        return found

    def _consider(self, places: Iterable[_Place]) -> None:
        fresh: dict[_Template, None] = {}
        for at, read in places:
            candidates = self._candidates[at, read] = self._templates(self._samples[at], read)
            self._counts.update(candidates)
            fresh.update(dict.fromkeys(candidates))
        for template in fresh:
            self._push(template)

    def _push(self, template: _Template) -> None:
        text = str(template)
        heapq.heappush(self._queue, (-self._counts[template], len(text), text, template))

    def _done(self, place: _Place) -> None:
        for template in self._candidates.pop(place, ()):
            self._counts[template] -= 1

    def _best(self, tried: set[_Template]) -> _Template | None:
        """The template that makes most of what is left, among those that were not tried; then it counts as tried."""
        while self._queue:
            count, _, __, template = heapq.heappop(self._queue)
            now = self._counts[template]
            if template in tried or not now:
                continue
            if -count != now:
                self._push(template)
                continue
            tried.add(template)
            return template
        return None

    def _name(self, entry: Entry, made: Sequence[Sequence[AnyRead]]) -> bool:
        """Let other entries use the rows of this one, if it is about one read; says whether they can."""
        if "for" in entry or not {"get", "find", "scan"} & entry.keys():
            return False
        for sample, reads in zip(self._samples, made, strict=True):
            if reads:
                sample.read_by[entry["as"]] = reads[0]
        return True

    def _made(self, entry: Mapping[str, Any]) -> list[list[AnyRead]]:
        compiled = entry_from({name: value for name, value in entry.items() if name != "as"})
        return [compiled.reads(values) or [] for values in self._values]

    # -- candidates

    def _templates(self, sample: Sample, read: AnyRead) -> list[_Template]:
        plain = list(self._written(sample, read, None, None))
        if plain:
            return plain
        lists = dict(sample.lists)
        lists |= {
            name: rows
            for name, one in sample.read_by.items()
            if isinstance(one, Scan) and (rows := sample.rows.get(one))
        }
        found: list[_Template] = []
        for name, parts in lists.items():
            for part in parts:
                found += self._written(sample, read, name, part)
        return list(dict.fromkeys(found))

    def _written(self, sample: Sample, read: AnyRead, name: str | None, each: object) -> Iterator[_Template]:
        """The ways to write a read; with `each` only those that use it."""
        parts = dict(_parts_of(read))
        choices = {part: self._tuples(sample, held, each) for part, held in parts.items() if isinstance(held, tuple)}
        if isinstance(limit := parts.get("limit"), int):
            choices["limit"] = [one for one in self._exprs(sample, limit, None)]
        fixed = {part: value for part, value in parts.items() if part not in choices}
        for made in itertools.islice(itertools.product(*choices.values()), _MOST_OF_A_READ):
            entry = dict(zip(choices, made, strict=True))
            text = str(made)
            if (name is None) != ("each" not in text):
                continue
            yield tuple(({} if name is None else {"for": name}).items()) + tuple({**fixed, **entry}.items())

    def _tuples(self, sample: Sample, values: tuple[Value, ...], each: object) -> list[tuple[str, ...]]:
        each_value = [self._exprs(sample, value, each)[:_MOST_OF_A_VALUE] for value in values]
        found = list(itertools.islice(itertools.product(*each_value), _MOST_OF_A_READ))
        for at in range(len(values) - 1):
            one, two = values[at : at + 2]
            if isinstance(one, str) and isinstance(two, str) and one <= two and len(one) > _LONG:
                pairs = [
                    (*made[:at], f"low({first}, {second})", f"high({first}, {second})", *made[at + 2 :])
                    for made in found
                    for first, second in [sorted(made[at : at + 2])]
                ]
                found = [*pairs, *found]
        return list(dict.fromkeys(found))

    def _exprs(self, sample: Sample, value: Value, each: object) -> list[str]:
        """The ways to write a value."""
        if value is None or isinstance(value, bool):
            return [repr(value)]
        found = list(_each_with(each, value))
        found += [name for name, held in sample.names.items() if held == value and type(held) is type(value)]
        found += _fields_with(sample, value)
        if isinstance(value, int):
            found += _near(sample, value)
            if abs(value) < _SMALL:
                found.append(repr(value))
        else:
            if _WORD.match(value) and value not in self._words:
                found.append(repr(value))
            found += self._holding(sample, value, each)
        return found

    def _holding(self, sample: Sample, value: str, each: object) -> Iterator[str]:
        """A text that holds another value."""
        held = [(name, one) for name, one in sample.names.items() if isinstance(one, str)]
        held += _all_fields(sample)
        if each is not None:
            held += [(f"each.{name}", one) for name, one in _fields_of(each) if isinstance(one, str)]
        for name, one in held:
            if len(one) >= _LONG and one != value and one in value and "{" not in value:
                rest = value.replace(one, "{}", 1)
                if _WORD.match(rest.replace("{}", "")) and not any(
                    word in self._words for word in re.split(r"[^\w]+", rest)
                ):
                    yield f"text({rest!r}, {name})"


def _is_precise(samples: Sequence[Sample], made: Sequence[Sequence[AnyRead]]) -> bool:
    """Whether enough of what was made was needed; what was read anyway with other rows does not count."""
    needed = useless = 0
    for sample, reads in zip(samples, made, strict=True):
        for read in reads:
            if _was_needed(sample, read):
                needed += 1
            elif read not in sample.rows:
                useless += 1
    return needed > 0 and needed >= PRECISE * (needed + useless)


def _was_needed(sample: Sample, read: AnyRead) -> bool:
    if read in sample.needed:
        return True
    if not isinstance(read, Scan):
        return False
    others = [one for one in sample.needed if isinstance(one, Scan) and one[:6] == read[:6]]
    return any(read.limit is None or (one.limit is not None and one.limit <= read.limit) for one in others)


def _parts_of(read: AnyRead) -> Iterator[tuple[str, Any]]:
    kind = type(read).__name__.lower()
    yield kind, name_of(read[0])
    yield "by", read[1]
    if isinstance(read, Get | Find):
        return
    for bound in ("start", "after", "stop"):
        if getattr(read, bound, None) is not None:
            yield bound, getattr(read, bound)
    if isinstance(read, Scan) and read.reverse:
        yield "reverse", True
    if isinstance(read, Scan | Count) and read.limit is not None:
        yield "limit", read.limit
    if isinstance(read, Sums):
        yield "of", read.of
        yield "per", read.by


def name_of(source: object) -> str:
    """A table, a unique or an index as the record names it."""
    if isinstance(source, Table):
        return source.name
    assert isinstance(source, Unique | Index)
    return f"{source.table.name}.{source.name}"


def _fields_of(row: object) -> Iterator[tuple[str, Any]]:
    if attrs.has(type(row)):
        for field in attrs.fields(type(row)):
            yield field.name, getattr(row, field.name)


def _each_with(each: object, value: Value) -> Iterator[str]:
    if each is None:
        return
    if type(each) is type(value) and each == value:
        yield "each"
    yield from (f"each.{name}" for name, held in _fields_of(each) if held == value and type(held) is type(value))


def _all_fields(sample: Sample) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, read in sample.read_by.items():
        if isinstance(read, Get | Find | Scan):
            rows = sample.rows.get(read, ())
            if rows and (not isinstance(read, Scan) or read.limit == 1):
                found += [(f"{name}.{field}", value) for field, value in _fields_of(rows[0]) if isinstance(value, str)]
    return found


def _fields_with(sample: Sample, value: Value) -> list[str]:
    found: list[str] = []
    for name, read in sample.read_by.items():
        rows = sample.rows.get(read, ())
        if rows and (isinstance(read, Get | Find) or (isinstance(read, Scan) and read.limit == 1)):
            found += [
                f"{name}.{field}" for field, held in _fields_of(rows[0])
                if held == value and type(held) is type(value) and (isinstance(value, str) or abs(value or 0) > 50)
            ]  # fmt: skip
    return found


def _near(sample: Sample, value: int) -> Iterator[str]:
    """Numbers that are a little more or less than one that is known."""
    for name, held in sample.names.items():
        if not isinstance(held, int) or held == value:
            continue
        apart = value - held
        near = name == "now" and abs(apart) <= _DAYS * _DAY
        near = near or (name == "day" and abs(apart) <= _DAYS) or (name.startswith("argument.") and abs(apart) == 1)
        if near:
            yield f"{name} {'+' if apart > 0 else '-'} {abs(apart)}"
