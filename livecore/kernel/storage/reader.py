"""What a store has to implement to be read: the four reads of one scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from livecore.kernel.storage.reads import AnyRead, Count, Scan, Sums
from livecore.kernel.storage.tables import Key, Table, Unique, Value

R = TypeVar("R")


class Reader(Protocol):
    """Committed rows of one scope."""

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows under `prefix` from `start` (included) or `after` (excluded) to `stop` (excluded), in order or reversed."""

    def count(self, count: Count) -> int:
        """How many rows `scan` would give; no more than `limit` are read for it."""

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Have these rows at hand: they are read next. A store whose reads are cheap does nothing here."""

    def uncommitted(self, table: Table[R]) -> Sequence[Sequence[R]]:  # noqa: ARG002 - of those that share one
        """The rows of a ranked table that earlier units of a shared transaction have written.

        There is a list for each batch, the oldest first. It is in the order of writing, and grows at its end while the batch
        runs. All units of a batch are given the same lists, so whoever keeps them need read no row twice.
        """
        return ()


@runtime_checkable
class SummingReader(Protocol):
    """A reader that can sum many rows without making a record of each."""

    def sums(self, sums: Sums) -> dict[Value, int]:
        """For each value of the column `by` the sum of the column `of`, over the rows that `scan` would give."""


@runtime_checkable
class ColumnReader(Protocol):
    """A reader that can read a few columns of many rows without making a record of each."""

    def columns(self, scan: Scan[R], names: Sequence[str]) -> Sequence[Sequence[Value]]:
        """For each of these columns, of numbers and texts, the values of the rows that the scan would give, in order."""
