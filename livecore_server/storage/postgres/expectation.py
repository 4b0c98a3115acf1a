"""What a unit of work is expected to read: asked for together with the first read for which it has to wait.

The record of reads says what the units of an operation read (`expected_reads`). Values that are not known yet come with
rows; until a row is there, the last known value is a guess (`Hints`). If a guess was wrong, the row that it found is of no
use, and does no harm: the unit itself reads the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from livecore.kernel.reads import AnyRead, Scan
from livecore.kernel.tables import Table
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.known import UNKNOWN, Known
from livecore_server.storage.postgres.expected_reads import ExpectedRead, ExpectedReads
from livecore_server.storage.postgres.snapshot import Snapshot

__all__ = ["Expectation"]


class Expectation:
    """The expected reads of one unit, over the snapshot that it reads."""

    __slots__ = ("_expected", "_further", "_guessed", "_known", "_open", "_reads", "_snapshot")

    def __init__(self, expected: ExpectedReads, known: Known, snapshot: Snapshot) -> None:
        self._known = known
        self._snapshot = snapshot
        self._open: list[ExpectedRead] = list(expected.first)
        """Entries whose reads have not been asked for, or by a guess."""
        self._further = dict(expected.further)
        self._reads: dict[str, AnyRead] = {}
        """What the entries that have a name read."""
        self._guessed = False

    def waits_for(self, source: object) -> None:
        """The unit is about to wait for a read of this source: ask for whatever else is expected."""
        further = self._further.pop(source, ())
        if further:
            self._open.extend(further)
        still: list[ExpectedRead] = []
        for entry in self._open:
            self._guessed = False
            reads = entry.reads(self)
            if reads is None or self._guessed:
                still.append(entry)
            if reads:
                self._snapshot.want(reads)
                if entry.name is not None:
                    self._reads[entry.name] = reads[0]
        self._open = still

    # -- values

    def known(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """What is known under a name; `UNKNOWN` if nothing is."""
        return self._known.value(name)

    def hidden(self, owner: str) -> Any:  # noqa: ANN401 - of any type
        """The hash of the idempotency key for an owner; `UNKNOWN` if there is no key."""
        return self._known.hidden(owner)

    def field(self, name: str, field: str) -> Any:  # noqa: ANN401 - of any type
        """A field of the row that an entry reads, or the last known value of it; `UNKNOWN` if there is none."""
        read = self._reads.get(name)
        if read is None:
            return UNKNOWN
        snapshot = self._snapshot
        row: Any = MISSING
        if isinstance(read, Scan):
            found = snapshot.scan(read)
            if found is not None:
                row = found[0] if found else None
        else:
            row = snapshot.rows.get((snapshot.scope, read[0], read[1]), MISSING)
        if row is None:
            return UNKNOWN
        place = (snapshot.scope, read, field)
        if row is not MISSING:
            value = getattr(row, field)
            if value is None:
                return UNKNOWN
            if _is_kept(read, field):
                snapshot.hints.put(place, value)
            return value
        guess = snapshot.hints.get(place)
        if guess is None:
            return UNKNOWN
        self._guessed = True
        return guess

    def rows(self, name: str) -> Sequence[Any] | None:
        """The rows that an entry has read; `None` if they are not there yet."""
        read = self._reads.get(name)
        return self._snapshot.scan(read) if isinstance(read, Scan) else None


def _is_kept(read: AnyRead, field: str) -> bool:
    """Whether the value is an id of our own, which may be remembered when the row is not; others may be personal."""
    source = read[0]
    table = source if isinstance(source, Table) else source.table
    return field in table.key or (field.endswith("_id") and field != "external_id")
