"""The store in memory as if it were far away: it counts the rounds in which the store on PostgreSQL would read.

A unit alone in its batch reads the `ReadSet` of `livecore_server.storage.postgres.reads.read_set`, which decides what is
answered from what has been read before, and what is asked for together. Here the same class decides, and rows in memory
answer it. So the count follows every change of that class; `tests/postgres/test_round_trips.py` holds it to the round trips
on a real server.

Reads of the directory are not counted: a process that serves reads them from its cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import attrs

from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryReader, MemoryStore
from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.store import StoreConflict, Transaction
from livecore.kernel.storage.tables import Key, Table, Unique, Value
from livecore_server.storage.cache_keys import CacheKey, cache_keys_of
from livecore_server.storage.known import Known as KnownOfUnit
from livecore_server.storage.postgres.reads.expectation import Expectation
from livecore_server.storage.postgres.reads.expected_reads import Record, expected_reads
from livecore_server.storage.postgres.reads.read_set import HintKey, Hints, ReadSet
from livecore_server.storage.postgres.reads.reader import LoadingReader
from tests.laws.known import NOTHING, Known, Met

R = TypeVar("R")
T = TypeVar("T")
Item: TypeAlias = "tuple[str, Any]"
"""A read: of a `row` (a table or a unique, and the key), a `scan` or `count` (their values), or `sums`."""
_ATTEMPTS: Final = 8


@attrs.define
class Sent:
    """A read that was asked for: in which round, whether the record has it, whether what came back was used."""

    round: int
    expected: bool
    """Whether it was asked for because the record of reads has it."""
    followed: bool
    """Whether it could have been asked for in the first round, because its key follows from what was known then."""
    repeated: bool
    """Whether the same scan with a lower limit had been asked for in an earlier round."""
    used: bool = False


@attrs.define
class CountedUnit:
    """What a unit of work cost: its rounds of reads, without the commit."""

    scope: Scope
    writes: bool
    rounds: int = 0
    changes: bool = False
    """Whether there was something to commit."""
    sent: dict[Item, Sent] = attrs.field(factory=dict)
    made: list[tuple[AnyRead, Sequence[Any]]] = attrs.field(factory=list)
    """Every read that it made, in its order, with the rows that came back."""
    waits: list[object] = attrs.field(factory=list)
    """For each round the source of the read for which the unit waited."""
    known: KnownOfUnit | None = None
    """What was known when it began, if it is one of a request."""

    @property
    def round_trips(self) -> int:
        """With the commit, which is sent where a transaction was begun or has something to write."""
        return self.rounds + (self.writes and (self.changes or self.rounds > 0))


class _WarmHints(Hints):
    """Guesses of a process that has seen everybody: what a unique value finds is right, all else was learned."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._store = store

    def get(self, place: HintKey) -> Value:
        """The id as it is now, or as it was."""
        scope, read, field = place
        if not isinstance(read, Find):
            return super().get(place)
        row = self._store.reader(Scope.parse(scope)).find(*read)
        value: Value = None if row is None else getattr(row, field)
        return value


class _FarReadSet(ReadSet):
    """Answered from memory; notes each read that is sent and what came with it."""

    def __init__(self, unit: CountedUnit, hints: Hints, near: MemoryReader, known: Known) -> None:
        super().__init__(unit.scope.id, hints)
        self.met = Met(known)
        self.unit = unit
        self._near = near
        self.expecting = False
        self._expected: set[Item] = set()
        self._brought: dict[CacheKey, Item] = {}

    # -- what is wanted

    def want_row(self, source: Table[Any] | Unique[Any], key: Key) -> None:
        """A key or unique values."""
        self._note(("row", (source, key)))
        super().want_row(source, key)

    def want_scan(self, walk: Scan[Any]) -> None:
        """A scan."""
        self._note(("scan", walk))
        super().want_scan(walk)

    def want_count(self, count: Count) -> None:
        """A count."""
        self._note(("count", count))
        super().want_count(count)

    def want_sums(self, adding: Sums) -> None:
        """Sums."""
        self._note(("sums", adding))
        super().want_sums(adding)

    def _note(self, item: Item) -> None:
        if self.expecting:
            self._expected.add(item)

    # -- a round

    def load(self) -> None:
        """One round: all that is wanted, in the order in which statements would be answered."""
        self.unit.rounds += 1
        keys, scans, all_counts, sums = self._keys, self._scans, self._counts, self._sums
        self._keys, self._scans, self._counts, self._sums = {}, {}, {}, {}
        for source, wanted in keys.items():
            self._load_rows(source, list(wanted))
        for walk in (walk for walks in scans.values() for walk in walks):
            self._send(("scan", walk))
            rows = self._near.scan(walk)
            self.put_scan(walk, rows)
            self._bring(("scan", walk), walk[0].table, rows)
        for count in (count for counts in all_counts.values() for count in counts):
            self._send(("count", count))
            self.counts[count] = self._near.count(count)
        for adding in sums:
            self._send(("sums", adding))
            self.sums[adding] = Transaction(self.unit.scope, self._near).summed(adding)

    def _load_rows(self, source: Table[Any] | Unique[Any], keys: list[Key]) -> None:
        for key in keys:
            item: Item = ("row", (source, key))
            self._send(item)
            row = self._near.get(source, key) if isinstance(source, Table) else self._near.find(source, key)
            self.rows[self.scope, source, key] = None
            self._brought[self.scope, source, key] = item
            self._bring(item, source if isinstance(source, Table) else source.table, [] if row is None else [row])

    def _bring(self, item: Item, table: Table[Any], records: Sequence[Any]) -> None:
        fresh: dict[CacheKey, Any] = {}
        for record in records:
            cache_keys_of(table).remember(self.scope, record, fresh)
        self.rows.update(fresh)
        for place in fresh:
            self._brought.setdefault(place, item)

    def _send(self, item: Item) -> None:
        number, sent = self.unit.rounds, self.unit.sent
        followed = number > 1 and self.met.follows(_values(item))
        repeated = item[0] == "scan" and any(
            name == "scan" and walk[:6] == item[1][:6] and earlier.round < number
            for (name, walk), earlier in sent.items()
        )
        sent[item] = Sent(number, item in self._expected, followed, repeated)

    # -- what is used

    def use_row(self, source: Table[Any] | Unique[Any], key: Key) -> None:
        """A unit was given this row."""
        place = (self.scope, source, key)
        self._use(self._brought[place])
        row = self.rows[place]
        if row is not None:
            self.met.meet(source if isinstance(source, Table) else source.table, [row])

    def use_scan(self, scan: Scan[Any], rows: Sequence[Any] = ()) -> None:
        """A unit was given the result of a scan."""
        self._use_scan(scan)
        self.met.meet(scan.index.table, rows)

    def use_count(self, count: Count) -> None:
        """A unit was given a number of rows."""
        if ("count", count) in self.unit.sent:
            self._use(("count", count))
        else:
            self._use_scan(Scan(count.index, count.prefix, count.start, None, count.stop, limit=count.limit))

    def use_sums(self, sums: Sums) -> None:
        """A unit was given sums."""
        if ("sums", sums) in self.unit.sent:
            self._use(("sums", sums))
        else:
            self._use_scan(Scan(sums.index, sums.prefix, sums.start, None, sums.stop))

    def _use_scan(self, scan: Scan[Any]) -> None:
        """The scan itself, the same one with another limit, or that of the whole prefix was used."""
        if ("scan", scan) in self.unit.sent:
            self._use(("scan", scan))
            return
        for name, read in self.unit.sent:
            if name == "scan" and (read[:6] == scan[:6] or read == Scan(scan.index, scan.prefix)):
                self._use((name, read))

    def _use(self, item: Item) -> None:
        self.unit.sent[item].used = True


def _values(item: Item) -> list[Value]:
    """What somebody has to know to ask for it."""
    name, read = item
    if name == "row":
        return list(read[1])
    bounds = (read.start, read.stop, read.after if name == "scan" else None)
    return [*read.prefix, *(value for bound in bounds for value in bound or ())]


class FarReader(LoadingReader):
    """The reads of one unit; the snapshot is told what they give."""

    _read_set: _FarReadSet

    def __init__(self, snapshot: _FarReadSet, record: Record) -> None:
        super().__init__(snapshot)
        self._record = record

    def expect(self, known: KnownOfUnit) -> None:
        """Its unit begins, and this is known of it."""
        self._read_set.unit.known = known
        expected = self._record.of(known.operation)
        if expected is not None:
            self._expectation = Expectation(expected, known, self._read_set)

    def _wait_for(self, source: object) -> None:
        self._read_set.unit.waits.append(source)
        self._read_set.expecting = True
        if self._expectation is not None:
            self._expectation.waits_for(source)
        self._read_set.expecting = False
        self.send()

    def _note(self, read: AnyRead, rows: Sequence[Any] = ()) -> None:
        self._read_set.unit.made.append((read, rows))

    def send(self) -> None:
        """One round."""
        self._read_set.load()

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        row = super().get(table, key)
        self._note(Get(table, key), () if row is None else (row,))
        self._read_set.use_row(table, key)
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        row = super().find(unique, values)
        self._note(Find(unique, values), () if row is None else (row,))
        self._read_set.use_row(unique, values)
        return row

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        rows = super().scan(scan)
        self._note(scan, rows)
        self._read_set.use_scan(scan, rows)
        return rows

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        total = super().count(count)
        self._note(count)
        self._read_set.use_count(count)
        return total

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds."""
        found = super().sums(sums)
        self._note(sums)
        self._read_set.use_sums(sums)
        return found


class FarStore(MemoryStore):
    """A store in memory whose units are counted; `units` has those since somebody last emptied it.

    `over` is the store whose rows it shares. `warm`: a process has seen every player before, so that its guesses of keys are
    right; otherwise it learns them from what its units find, as a server does. `record` is the record of reads, by default
    the one that comes with the server.
    """

    def __init__(
        self,
        over: MemoryStore | None = None,
        *,
        warm: bool = True,
        record: Record | None = None,
    ) -> None:
        super().__init__()
        if over is not None:
            self._scopes, self.notices = over._scopes, over.notices
        self.units: list[CountedUnit] = []
        self.known: Known = NOTHING
        """What is known when the next units begin; whoever sends requests sets it."""
        self._hints = _WarmHints(self) if warm else Hints()
        self._record = expected_reads() if record is None else record

    def taken_rounds(self) -> int:
        """The round trips since this was asked last."""
        units, self.units = self.units, []
        return sum(unit.round_trips for unit in units)

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work`; its writes, if any, are dropped."""
        if scope == DIRECTORY:
            return super().read(scope, work)
        return work(self._begun(CountedUnit(scope, writes=False)))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and apply what it wrote; nothing is applied when it raises."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._written(scope, work)
            except StoreConflict:
                continue
        return self._written(scope, work)

    def _written(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        unit = CountedUnit(scope, writes=True)
        transaction = self._begun(unit)
        result = work(transaction)
        writes = transaction.writes()
        unit.changes = bool(writes)
        self.apply(scope, writes)
        self.notices.publish(transaction.notices)
        return result

    def _begun(self, unit: CountedUnit) -> Transaction:
        self.units.append(unit)
        near = self.reader(unit.scope)
        return Transaction(unit.scope, FarReader(_FarReadSet(unit, self._hints, near, self.known), self._record))
