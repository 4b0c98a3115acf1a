"""Learns the record of reads from units of work that were played: see `postgres.reads.expected_reads` of the server.

For every operation it looks for entries, beginning with the one that would have saved the most reads. Candidates are made
of the reads themselves: each value of a key or a bound is written by whatever has this value in the same unit, such as the
time, an argument, a field of a row that an accepted entry reads, or by a constant. A candidate is accepted if enough of what
it makes, over all units of the operation, was really read. Words that a configuration has made up are no constants.
"""

from __future__ import annotations

import heapq
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.tables import Index, Table, Unique, Value
from livecore.leaderboards.boards import BY_RANK
from livecore_server.storage.postgres.reads.expected_reads import entry_from
from tests.laws.far_store import CountedUnit
from tests.laws.samples import SOUGHT, Sample, Values, fields_of, is_near, samples_of

Entry: TypeAlias = "dict[str, Any]"
Entries: TypeAlias = "dict[str, list[Entry]]"
"""Those of each operation."""
_Place: TypeAlias = "tuple[int, AnyRead]"
"""A sample by its number, and a read of it."""
_Template: TypeAlias = "tuple[tuple[str, Any], ...]"
"""An entry without its name, as something that can be counted."""

PRECISE: Final = 0.5
PRECISE_OF_MANY: Final = 0.9
PRECISE_IF: Final = 0.5
"""Which share of what an entry makes must have been read: one read, one for each of several parts, or under a condition."""
_MOST_OF_THEM: Final = 0.8
USELESS: Final = 0.25
USELESS_IN_A_UNIT: Final = 2
"""How many reads entries may make in vain: for each that the units need, and for each unit."""
_MOST_SAMPLES: Final = 150
_MOST_READS: Final = 2_500
"""What is enough of one operation."""
_MOST_OF_A_VALUE: Final = 5
_MOST_OF_A_READ: Final = 60
_WORD: Final = re.compile("[A-Za-z_.:/~\U0010ffff\\-]{0,40}\\Z")
_SMALL: Final = 20_000
_HASH: Final = re.compile(r"[0-9a-f]{40}\Z")
_LONG: Final = 5
"""How long a value is at least that is looked for inside another text."""
_DAYS: Final = 400
_DAY: Final = 86_400_000
_MANY_ROWS: Final = frozenset({"sums", "count"})
_KEY: Final = "argument.idempotency_key"
"""It does not say what a request is about."""
_NONE: Final[Mapping[str, list[Entry]]] = MappingProxyType({})


def learned(samples: Sequence[Sample], words: frozenset[str], given: Sequence[Entry] = ()) -> list[Entry]:
    """The entries that count from the beginning of an operation's units, after those that are given.

    `words` are no constants. Sums and counts read many rows, so they are expected only where that saves a unit from waiting:
    most units that need them ask for them in their first round anyway.
    """
    learning = _Learning(samples, words)
    found = learning.entries(given, [set(sample.needed) for sample in samples], None)
    return [*given, *(entry for entry in found if not _MANY_ROWS & entry.keys() or learning.saves(entry))]


def record_of(
    plays: Callable[[Entries], Iterable[CountedUnit]], words: frozenset[str], given: Mapping[str, list[Entry]] = _NONE
) -> Entries:
    """Learn a record: `plays` gives the units of the same sequences, played with the record so far.

    At first nothing is recorded; what the units then still wait for leads to the entries that count later. `given` are
    entries that need not be learned.
    """
    played = sorted(samples_of(plays({})).items())
    record = {operation: learned(_some(samples), words, given.get(operation, ())) for operation, samples in played}
    for operation, samples in sorted(samples_of(plays(record)).items()):
        known = record.setdefault(operation, [])
        known += list(_further_entries(_some(samples), known, words))
    return {operation: _tidied(entries) for operation, entries in record.items() if entries}


def _some(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Enough of them, evenly chosen."""
    reads = sum(len(sample.needed) for sample in samples)
    return samples[:: max(1, len(samples) // _MOST_SAMPLES, reads // _MOST_READS)]


def _tidied(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without names that no other uses; the others are named by letters, in their order."""
    used = {name for entry in entries for name in re.findall(r"\brow\d+", json.dumps({**entry, "as": None}))}
    names = [entry["as"] for entry in entries if entry["as"] in used]
    letters = {name: _letters(at) for at, name in enumerate(names)}
    written: list[Entry] = []
    for entry in entries:
        text = json.dumps({name: part for name, part in entry.items() if name != "as" or part in used})
        written.append(json.loads(re.sub(r"\brow\d+", lambda found: letters[found[0]], text)))
    return written


def _fresh_name(entries: Sequence[Entry]) -> str:
    return f"row{1 + max((int(entry['as'].removeprefix('row')) for entry in entries), default=-1)}"


def _letters(number: int) -> str:
    first, second = divmod(number, 26)
    return ("" if not first else _letters(first - 1)) + chr(ord("a") + second)


def _further_entries(samples: Sequence[Sample], known: Sequence[Entry], words: frozenset[str]) -> Iterator[Entry]:
    """The entries that count once a unit has waited for a certain read, beyond those that are known."""
    sources = Counter(source for sample in samples for source in sample.waits)
    before = list(known)
    for source, _ in sorted(sources.items(), key=lambda held: (-held[1], name_of(held[0]))):
        chosen = [sample for sample in samples if source in sample.waits]
        left = [_after(sample, source) for sample in chosen]
        found = _Learning(chosen, words).entries(before, left, name_of(source))
        before += found
        yield from found


def _after(sample: Sample, source: object) -> set[AnyRead]:
    """The reads that were sent later than the first one of this source for which the unit waited."""
    return {read for read, number in sample.needed.items() if number > sample.waits[source]}


class _Learning:
    """The search for entries over the units of one operation."""

    def __init__(self, samples: Sequence[Sample], words: frozenset[str]) -> None:
        self._samples = samples
        self._words = words
        self._values = [Values(sample) for sample in samples]
        self._candidates: dict[_Place, list[_Template]] = {}
        self._counts: Counter[_Template] = Counter()
        """How many of the reads that are left a template would make."""
        self._queue: list[tuple[int, int, str, _Template]] = []
        self._facts = self._facts_of(samples)
        self._useless = 0
        self._most_useless = 0.0

    def entries(self, known: Sequence[Entry], left: Sequence[set[AnyRead]], when: str | None) -> list[Entry]:
        """Entries that make what is left; those that are known give their names."""
        made_before: list[set[AnyRead]] = [set() for _ in left]
        for entry in known:
            made_now = self._made(entry)
            self._name(entry, made_now)
            if entry.get("when") in {None, when}:
                for before, reads in zip(made_before, made_now, strict=True):
                    before.update(reads)
        places = [
            (at, read)
            for at, (rest, before) in enumerate(zip(left, made_before, strict=True))
            for read in rest - before
            if not _is_rank(read)
        ]
        self._most_useless = min(USELESS * len(places), USELESS_IN_A_UNIT * len(left))
        # First whom the request names, because the others may be written by what these rows hold.
        found = self._found([place for place in places if isinstance(place[1], Find)], known, when)
        made = [set(chain.from_iterable(reads)) for reads in zip(*map(self._made, found), strict=True)] or [
            set()
        ] * len(left)
        rest = [(at, read) for at, read in places if read not in made[at]]
        return found + self._found(rest, [*known, *found], when)

    def _found(self, places: Sequence[_Place], known: Sequence[Entry], when: str | None) -> list[Entry]:
        found: list[Entry] = []
        self._consider(places)
        tried = {
            tuple((name, part) for name, part in entry.items() if name not in {"as", "when"})
            for entry in known
            if entry.get("when") in {None, when}
        }
        while (template := self._best(tried)) is not None:
            entry = {"as": _fresh_name([*known, *found]), **dict(template)}
            if when is not None:
                entry["when"] = when
            made = self._made(entry)
            if not self._is_worth(entry, made):
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

    def _is_worth(self, entry: Entry, made: list[list[AnyRead]]) -> bool:
        """Whether enough of what an entry makes was needed, if need be under a condition, which the entry is given then.

        If so, what was not needed is added to that of the operation.
        """
        used = [_used_of(sample, reads) for sample, reads in zip(self._samples, made, strict=True)]
        share = PRECISE_OF_MANY if "for" in entry else PRECISE
        so: Sequence[bool] = [True] * len(used)
        if (asked := self._asked_for(used)) is not None:
            entry["if"], so = asked
        elif not _is_precise(used, so, share) or not self._is_bearable(used, so):
            found = self._condition(used)
            if found is None:
                return False
            entry["if"], so = found
        if not self._is_bearable(used, so):
            return False
        self._useless += _useless_of(used, so)
        made[:] = [reads if is_so else [] for reads, is_so in zip(made, so, strict=True)]
        return True

    def saves(self, entry: Entry) -> bool:
        """Whether it makes a read for which a unit would have to wait after its first round."""
        made = zip(self._samples, self._made(entry), strict=True)
        return any(sample.needed.get(read, 0) > 1 for sample, reads in made for read in reads)

    def _is_bearable(self, used: Sequence[tuple[int, int]], so: Sequence[bool]) -> bool:
        return self._useless + _useless_of(used, so) <= self._most_useless

    def _asked_for(self, used: Sequence[tuple[int, int]]) -> tuple[str, Sequence[bool]] | None:
        """What the request says where all units that need the reads are, and nobody else who would make them in vain."""
        needed = sum(count for count, _ in used)
        wasted = _useless_of(used, [True] * len(used))
        for text, so in self._facts if wasted and needed > 1 else ():
            here = sum(count for (count, _), is_so in zip(used, so, strict=True) if is_so)
            if "argument." in text and _KEY not in text and here == needed and not _useless_of(used, so):
                return text, so
        return None

    def _condition(self, used: Sequence[tuple[int, int]]) -> tuple[str, Sequence[bool]] | None:
        """What is so of most units that need the reads, and of few others."""
        needed = sum(count for count, _ in used)
        for text, so in self._facts:
            here = sum(count for (count, _), is_so in zip(used, so, strict=True) if is_so)
            if here > 1 and here >= _MOST_OF_THEM * needed and _is_precise(used, so, PRECISE_IF):
                return text, so
        return None

    def _facts_of(self, samples: Sequence[Sample]) -> list[tuple[str, tuple[bool, ...]]]:
        """What is so of some of the units, of those that say the same the shortest: the economy's mode, then arguments."""
        texts = {text for sample in samples for text in sample.index.facts if self._is_telling(sample, text)}
        found: dict[tuple[bool, ...], str] = {}
        for text in sorted(texts, key=lambda held: ("economy_mode" not in held, "config" in held, len(held), held)):
            found.setdefault(tuple(text in sample.index.facts for sample in samples), text)
        return [(text, so) for so, text in found.items() if not all(so)]

    def _is_telling(self, sample: Sample, fact: str) -> bool:
        """Whether a fact may decide: no key of a configuration, and no setting of another area than the operation's."""
        if "config." in fact:
            setting = fact.removeprefix("not ")
            return is_near(sample.known.operation, setting) or setting.startswith("config.economy_mode")
        return fact.rpartition("== ")[2].strip("'") not in self._words

    def _name(self, entry: Entry, made: Sequence[Sequence[AnyRead]]) -> bool:
        """Let other entries use the rows of this one, if it is about one read; says whether they can."""
        if "for" in entry or not {"get", "find", "scan"} & entry.keys():
            return False
        for sample, reads in zip(self._samples, made, strict=True):
            if reads:
                sample.take(entry["as"], reads[0])
        return True

    def _made(self, entry: Mapping[str, Any]) -> list[list[AnyRead]]:
        compiled = entry_from({name: value for name, value in entry.items() if name != "as"})
        return [list(compiled.reads(values) or ()) for values in self._values]

    # -- candidates

    def _templates(self, sample: Sample, read: AnyRead) -> list[_Template]:
        plain = list(self._written(sample, read, None, None))
        if plain:
            return plain
        found: list[_Template] = []
        for name, part in self._parts(sample, read):
            found += self._written(sample, read, name, part)
        return list(dict.fromkeys(found))[:_MOST_OF_A_READ]

    @staticmethod
    def _parts(sample: Sample, read: AnyRead) -> list[tuple[str, Any]]:
        """The lists of which a part holds a value of the read, with this part."""
        values = [value for _, held in _parts_of(read) if isinstance(held, tuple) for value in held]
        return [place for value in values for place in sample.index.parts.get((type(value), value), ())][
            :_MOST_OF_A_READ
        ]

    def _written(self, sample: Sample, read: AnyRead, name: str | None, each: object) -> Iterator[_Template]:
        """The ways to write a read; with `each` only those that use it."""
        parts = dict(_parts_of(read))
        choices = {
            part: self._tuples(sample, held, each) if part == "by" else _compared(self._tuples(sample, held, each))
            for part, held in parts.items()
            if isinstance(held, tuple)
        }
        if isinstance(limit := parts.get("limit"), int):
            choices["limit"] = [(one,) for one in self._exprs(sample, limit, None)]
        fixed = {part: value for part, value in parts.items() if part not in choices}
        for made in itertools.islice(itertools.product(*choices.values()), _MOST_OF_A_READ):
            entry: dict[str, Any] = dict(zip(choices, made, strict=True))
            if "limit" in entry:
                entry["limit"] = entry["limit"][0]
            if (name is None) != ("each" not in str(made)) or (isinstance(read, Find) and _has_constant(entry["by"])):
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
                    if first.endswith("_id") and second.endswith("_id")
                ]
                found = [*pairs, *found]
        return list(dict.fromkeys(found))

    def _exprs(self, sample: Sample, value: Value, each: object) -> list[str]:
        """The ways to write a value."""
        if value is None or isinstance(value, bool):
            return [repr(value)]
        found = list(_each_with(each, value))
        found += sample.index.names.get((type(value), value), ())
        if isinstance(value, int):
            found += _near(sample, value)
            if abs(value) < _SMALL:
                found.append(repr(value))
        else:
            if _WORD.match(value) and not self._is_said(sample, value):
                found.append(repr(value))
            found += _hashing(sample, value) if _HASH.match(value) else self._holding(sample, value, each)
        return found

    def _is_said(self, sample: Sample, word: str) -> bool:
        """Whether a word is one of a configuration, or what a request has said: then it is no word of the code."""
        said = {text for name, text in sample.index.texts.items() if name.startswith(("argument.", "externalId"))}
        sought = [text for name, text in sample.index.texts.items() if name.startswith("sought(")]
        return word in said | self._words | sample.index.words or any(text and text in word for text in sought)

    def _holding(self, sample: Sample, value: str, each: object) -> Iterator[str]:
        """A text that holds another value."""
        held = list(sample.index.texts.items())
        if each is not None:
            held += [(f"each.{name}", one) for name, one in fields_of(each) if isinstance(one, str)]
        for name, one in held:
            if (len(one) >= _LONG or name in SOUGHT) and one != value and one in value and "{" not in value:
                rest = value.replace(one, "{}", 1)
                if _WORD.match(rest.replace("{}", "")) and not any(
                    word in self._words for word in re.split(r"[^\w]+", rest)
                ):
                    yield f"text({rest!r}, {name})"


def _compared(written: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The ways to write a bound; where what is sought has the value, all else has it by chance."""
    sought = [made for made in written if any(name in str(made) for name in SOUGHT)]
    return sought or written


def _used_of(sample: Sample, made: Sequence[AnyRead]) -> tuple[int, int]:
    """How much of what was made was needed, and how much was not; what came with other rows anyway is neither."""
    needed = [read for read in made if _was_needed(sample, read)]
    useless = [read for read in made if read not in sample.rows and not _was_needed(sample, read)]
    return len(needed), len(useless)


def _useless_of(used: Sequence[tuple[int, int]], so: Sequence[bool]) -> int:
    return sum(count for (_, count), is_so in zip(used, so, strict=True) if is_so)


def _is_precise(used: Sequence[tuple[int, int]], so: Sequence[bool], share: float) -> bool:
    needed = sum(count for (count, _), is_so in zip(used, so, strict=True) if is_so)
    return needed > 0 and needed >= share * (needed + _useless_of(used, so))


def _was_needed(sample: Sample, read: AnyRead) -> bool:
    if read in sample.needed:
        return True
    if not isinstance(read, Scan):
        return False
    others = [one for one in sample.needed if isinstance(one, Scan) and one[:6] == read[:6]]
    return any(read.limit is None or (one.limit is not None and one.limit <= read.limit) for one in others)


def _is_rank(read: AnyRead) -> bool:
    """Whether it counts the entries before a place: that takes long, and conflicts with what is written there."""
    return isinstance(read, Count) and read.index is BY_RANK and read.stop is not None


def _has_constant(values: Sequence[str]) -> bool:
    """Whether a value is a text of its own: nobody is found by a word of the code."""
    return any(value.startswith(("'", '"')) for value in values)


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


def _each_with(each: object, value: Value) -> Iterator[str]:
    if each is None:
        return
    if type(each) is type(value) and each == value:
        yield "each"
    yield from (f"each.{name}" for name, held in fields_of(each) if held == value and type(held) is type(value))


def _hashing(sample: Sample, value: str) -> Iterator[str]:
    """A hash of the idempotency key."""
    owners = {repr(owner): owner for owner in ("server", "admin")} | sample.index.texts
    return (f"hidden({name})" for name, owner in owners.items() if sample.known.hidden(owner) == value)


def _near(sample: Sample, value: int) -> Iterator[str]:
    """Numbers that are a little more or less than one that is known."""
    for name, held in sample.index.numbers.items():
        apart = value - held
        most = {"now": _DAYS * _DAY, "day": _DAYS}.get(name, int(name.startswith(("argument.", "config."))))
        if 0 < abs(apart) <= most:
            yield f"{name} {'+' if apart > 0 else '-'} {abs(apart)}"
