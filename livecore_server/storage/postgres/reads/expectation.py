"""What a unit of work is expected to read: asked for together with the first read for which it has to wait.

The record of reads says what the units of an operation read (`expected_reads`). Values that are not known yet come with
rows; until a row is there, the last known value is a guess (`Hints`). If a guess was wrong, the row that it found is of no
use, and does no harm: the unit itself reads the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from livecore.kernel.storage.reads import AnyRead, Scan
from livecore.kernel.storage.tables import Table
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.known import UNKNOWN, Known
from livecore_server.storage.postgres.reads.expected_reads import ExpectedRead, ExpectedReads
from livecore_server.storage.postgres.reads.read_set import ReadSet


class Expectation:
    """The expected reads of one unit, over the snapshot that it reads."""

    __slots__ = (
        "_fields",
        "_further",
        "_guessed",
        "_guesses",
        "_open",
        "_read_set",
        "_reads",
        "_waited",
        "hidden",
        "known",
    )

    def __init__(self, expected: ExpectedReads, known: Known, read_set: ReadSet) -> None:
        self.known = known.value
        self.hidden = known.hidden
        self._read_set = read_set
        self._open: Sequence[ExpectedRead] = expected.first
        """Entries whose reads have not been asked for, or by a guess."""
        self._further = expected.further
        self._reads: dict[str, AnyRead] = {}
        """What the entries that have a name read."""
        self._fields: dict[tuple[str, str], Any] = {}
        """Fields of rows that have been read."""
        self._guesses: dict[tuple[str, str], Any] = {}
        """The same of rows that have not, as they were last."""
        self._guessed = False
        self._waited = False
        """Whether the unit has waited before: then a wait says more than that it has begun."""

    def waits_for(self, source: object) -> None:
        """The unit is about to wait for a read of this source: ask for whatever else is expected."""
        if self._waited:
            further = self._further.get(source)
            if further is not None:
                self._further = {other: entries for other, entries in self._further.items() if other is not source}
                self._open = [*self._open, *further]
        self._waited = True
        if not self._open:
            return
        self._guesses.clear()
        still: list[ExpectedRead] = []
        want, named = self._read_set.want, self._reads
        for entry in self._open:
            self._guessed = False
            reads = entry.reads(self)
            if reads is None or self._guessed:
                still.append(entry)
            if reads:
                want(reads)
                if entry.name is not None:
                    named[entry.name] = reads[0]
        self._open = still

    def field(self, name: str, field: str) -> Any:  # noqa: ANN401 - of any type
        """A field of the row that an entry reads, or the last known value of it; `UNKNOWN` if there is none."""
        field_key = (name, field)
        value = self._fields.get(field_key)
        if value is not None:
            return value
        value = self._guesses.get(field_key)
        if value is None:
            read = self._reads.get(name)
            if read is None:
                return UNKNOWN
            row = self._row(read)
            if row is not MISSING:
                return UNKNOWN if row is None else self._learned(field_key, read, row)
            value = self._read_set.hints.get((self._read_set.scope, read, field))
            if value is None:
                return UNKNOWN
            self._guesses[field_key] = value
        self._guessed = True
        return value

    def _row(self, read: AnyRead) -> Any:  # noqa: ANN401 - of any table
        """The row, or the first of several; `None` if there is none, `MISSING` if it has not been read."""
        if not isinstance(read, Scan):
            return self._read_set.rows.get((self._read_set.scope, read[0], read[1]), MISSING)
        found = self._read_set.scan(read)
        return MISSING if found is None else found[0] if found else None

    def _learned(self, field_key: tuple[str, str], read: AnyRead, row: Any) -> Any:  # noqa: ANN401 - of any type
        """Note the field of a row that is there, and let other units guess the ids of this row."""
        field = field_key[1]
        value = getattr(row, field)
        if value is None:
            return UNKNOWN
        self._fields[field_key] = value
        table = read[0] if isinstance(read[0], Table) else read[0].table
        for name in _ids_of(table) | ({field} & {*table.key}):
            held = getattr(row, name)
            if held is not None:
                self._read_set.hints.put((self._read_set.scope, read, name), held)
        return value

    def rows(self, name: str) -> Sequence[Any] | None:
        """The rows that an entry has read; `None` if they are not there yet."""
        read = self._reads.get(name)
        return self._read_set.scan(read) if isinstance(read, Scan) else None


@cache
def _ids_of(table: Table[Any]) -> frozenset[str]:
    """The fields that hold ids of our own, which may be remembered when the row is not; others may be personal."""
    names = (column.name for column in table.columns)
    return frozenset(name for name in names if name.endswith("_id") and name != "external_id")
