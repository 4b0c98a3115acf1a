"""Reads as values: what is read and what comes back are said once.

A rule that reads one thing asks the transaction for it (`tx.get`, `tx.find`, `tx.scan`). A rule that reads many things
builds their reads and asks for all of them in one call (`tx.read_all`, `tx.read_together`), so that a store that is far
away is asked once.

They are named tuples, because a busy server builds and compares very many of them.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from livecore.kernel.storage.tables import Index, Key, Table, Unique, Value

R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


class Readable(Protocol):
    """What a read is made in: a transaction."""

    def get(self, table: Table[R], *key: Value) -> R | None:
        """The row with this key, or `None`."""

    def find(self, unique: Unique[R], *values: Value) -> R | None:
        """The row with these unique values, or `None`."""

    def scanned(self, scan: Scan[R]) -> list[R]:
        """The rows that a scan finds."""

    def counted(self, count: Count) -> int:
        """The number that a count gives."""

    def summed(self, sums: Sums) -> dict[Value, int]:
        """The sums that such a read gives."""


class Read(Protocol[T_co]):
    """What can be read, with the type of what comes back."""

    def made_by(self, tx: Readable) -> T_co:
        """Make the read in a transaction."""


class Get(NamedTuple, Generic[R]):
    """The row with a key, or `None`."""

    table: Table[R]
    key: Key

    def made_by(self, tx: Readable) -> R | None:
        """The row."""
        return tx.get(self.table, *self.key)


class Find(NamedTuple, Generic[R]):
    """The row with these unique values, or `None`."""

    unique: Unique[R]
    values: Key

    def made_by(self, tx: Readable) -> R | None:
        """The row."""
        return tx.find(self.unique, *self.values)


class Scan(NamedTuple, Generic[R]):
    """Rows whose prefix columns equal `prefix`, in the index's order.

    `start` is an inclusive and `after` an exclusive lower bound, `stop` an exclusive upper bound; `start` and `stop` may
    give only the first order columns, `after` gives all of them. `reverse` reads from the end.
    """

    index: Index[R]  # type: ignore[assignment] # instead of the search of a tuple
    prefix: Key
    start: Key | None = None
    after: Key | None = None
    stop: Key | None = None
    reverse: bool = False
    limit: int | None = None

    def made_by(self, tx: Readable) -> list[R]:
        """The rows."""
        return tx.scanned(self)


class Count(NamedTuple):
    """How many rows lie under a prefix of an index within the bounds; no more than `limit` are read for it."""

    index: Index[Any]  # type: ignore[assignment] # instead of the search of a tuple
    prefix: Key
    start: Key | None = None
    stop: Key | None = None
    limit: int | None = None

    def made_by(self, tx: Readable) -> int:
        """The number."""
        return tx.counted(self)


class Sums(NamedTuple):
    """For each value of the column `by` the sum of the column `of`, over the rows under a prefix within the bounds."""

    index: Index[Any]  # type: ignore[assignment] # instead of the search of a tuple
    prefix: Key
    of: str
    by: str
    start: Key | None = None
    stop: Key | None = None

    def made_by(self, tx: Readable) -> dict[Value, int]:
        """The sums."""
        return tx.summed(self)


AnyRead: TypeAlias = "Get[Any] | Find[Any] | Scan[Any] | Count | Sums"
"""Any of the reads."""
