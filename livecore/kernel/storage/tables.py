"""Declarations of tables. Each is made once, beside its record; every store and every tool over all tables reads it.

A table declares how rows are found: by its key, by unique columns, and through indexes of the form *these columns equal,
then in this order*. For every column that names a player it also declares what merging and erasing that player does to the
row, and whether an export of the player includes the row. The test suite rejects a player column without such a
declaration, so the player tools cannot miss a feature.

    BALANCES = Table("balances", Holding, key=("player_id", "asset_kind", "asset_key"),
                     players={"player_id": PlayerColumn(Merge.FOLD, Erase.ANONYMISE, personal=("parameters",))},
                     export=("wallet", "inventory"))
    BY_CODE = PLAYERS.unique("friend_code")
    RECENT = PLAYERS.index("recent", order=("last_seen_at",))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

import attrs

from livecore.kernel.storage.records import Column, columns_of

R = TypeVar("R")
Value: TypeAlias = "str | int | bool | None"
"""A column's value."""
Key: TypeAlias = "tuple[Value, ...]"
"""Column values that find a row or a place in an index."""


class Merge(Enum):
    """What merging a source player into a target does to a row that names the source."""

    REASSIGN = "reassign"
    """The row names the target instead."""
    FOLD = "fold"
    """The row is combined with the target's row of the same key, by the area's own function."""
    KEEP_TARGET = "keep_target"
    """The target's row stays; the source's row is deleted."""
    RETAIN = "retain"
    """The row stays as it is: a record of what happened then."""


class Erase(Enum):
    """What erasing a player does to a row that names them."""

    DELETE = "delete"
    """The row goes."""
    ANONYMISE = "anonymise"
    """The row stays without personal data: its `personal` columns are emptied, or the area's function removes them."""
    RETAIN = "retain"
    """The row stays as it is: it holds the internal id and amounts, and no personal data."""


@attrs.frozen
class PlayerColumn:
    """What merge and erasure do with a row through one of its player columns."""

    merge: Merge
    erase: Erase
    personal: tuple[str, ...] = ()
    """The columns that anonymising empties: free text, names, addresses, and texts chosen by callers, such as keys of
    requests."""


def values_of(names: tuple[str, ...]) -> Callable[[Any], Key]:
    """What gives a row's values in some columns."""
    if not names:
        return lambda _: ()
    getter: Callable[[Any], Any] = attrgetter(*names)
    if len(names) == 1:
        return lambda row: (getter(row),)
    return getter


@attrs.frozen(eq=False)
class Unique(Generic[R]):
    """A set of columns that finds at most one row. It finds no row in which one of them is null."""

    table: Table[R]
    name: str
    columns: tuple[str, ...]
    values: Callable[[R], Key] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "values", values_of(self.columns))


@attrs.frozen(eq=False)
class Index(Generic[R]):
    """Rows with equal `prefix` columns, ordered by the `order` columns (which end in the key, so no two rows are equal).

    Rows where one of the columns is null are not in the index.
    """

    table: Table[R]
    name: str
    prefix: tuple[str, ...]
    order: tuple[str, ...]
    prefix_of: Callable[[R], Key] = attrs.field(init=False)
    position_of: Callable[[R], Key] = attrs.field(init=False)
    columns_of: Callable[[R], Key] = attrs.field(init=False)
    """The values of all its columns."""
    nullable: tuple[str, ...] = attrs.field(init=False)
    nullable_of: Callable[[object], Key] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "prefix_of", values_of(self.prefix))
        object.__setattr__(self, "position_of", values_of(self.order))
        object.__setattr__(self, "columns_of", values_of((*self.prefix, *self.order)))
        null = tuple(c.name for c in self.table.columns if c.nullable and c.name in (*self.prefix, *self.order))
        object.__setattr__(self, "nullable", null)
        object.__setattr__(self, "nullable_of", values_of(null))

    def holds(self, row: object) -> bool:
        """Whether the row is in the index at all: no indexed column is null."""
        return not self.nullable or None not in self.nullable_of(row)


@attrs.frozen(eq=False)
class TimeIndex:
    """The rows of all scopes by a column that holds an instant; rows in which it is null are not in it.

    No unit can read it, because a unit has one scope. A host searches it for the scopes where something is due.
    """

    table: Table[Any]
    column: str


class Table(Generic[R]):
    """One kind of record, and the declarations for all its rows."""

    def __init__(
        self,
        name: str,
        record: type[R],
        *,
        key: tuple[str, ...],
        players: Mapping[str, PlayerColumn] | None = None,
        export: tuple[str, ...] | str | None = None,
        ranked: bool = False,
        read_once: bool = False,
    ) -> None:
        self.name = name
        self.record = record
        self.key = key
        self.columns: tuple[Column, ...] = columns_of(record)
        self.players = dict(players or {})
        self.export: tuple[str, ...] | None = (export,) if isinstance(export, str) else export
        """The lists of an export that show these rows; an empty tuple if none does, because other rows already show all of
        it or for the reason that stands beside the declaration."""
        self.ranked = ranked
        """Whether rankings in memory are made of its rows: then transactions list the rows that they write."""
        self.read_once = read_once
        """Whether a row is hardly ever read again once it is written, so that no store should keep it in memory."""
        self.uniques: list[Unique[R]] = []
        self.indexes: list[Index[R]] = []
        self.time_indexes: list[TimeIndex] = []
        self.key_of: Callable[[R], Key] = values_of(key)
        self._check_names((*key, *self.players, *(name for held in self.players.values() for name in held.personal)))
        self.declare()

    def __repr__(self) -> str:
        return f"Table({self.name!r})"

    def withdraw(self) -> None:
        """Take it from the tables that there are, as a test does with one of its own."""
        _TABLES.pop(self.name)

    def declare(self) -> None:
        """Add it to the tables that there are, as making it has done. Raises `ValueError` where there is one of its name."""
        if _TABLES.setdefault(self.name, self) is not self:
            raise ValueError(f"there are two tables named {self.name!r}")

    def unique(self, *columns: str) -> Unique[R]:
        """Declare that `columns` together are unique in a scope, so that rows can be found by them."""
        self._check_names(columns)
        unique = Unique(self, "_".join(columns), columns)
        self.uniques.append(unique)
        return unique

    def index(self, name: str, *, prefix: tuple[str, ...] = (), order: tuple[str, ...]) -> Index[R]:
        """Declare an ordered index; missing key columns are added to the end of its order."""
        self._check_names((*prefix, *order))
        rest = tuple(column for column in self.key if column not in (*prefix, *order))
        index = Index(self, name, prefix, order + rest)
        self.indexes.append(index)
        return index

    def indexed_of(self) -> Callable[[R], Key]:
        """What gives a row's values in all columns by which rows of this table are found or ordered."""
        columns = [name for unique in self.uniques for name in unique.columns]
        columns += [name for index in self.indexes for name in (*index.prefix, *index.order)]
        return values_of(tuple(dict.fromkeys(columns)))

    def time_index(self, column: str) -> TimeIndex:
        """Declare that hosts find the scopes of rows by the instant in `column`."""
        self._check_names((column,))
        index = TimeIndex(self, column)
        self.time_indexes.append(index)
        return index

    def _check_names(self, names: Iterable[str]) -> None:
        unknown = set(names) - {column.name for column in self.columns}
        if unknown:
            raise ValueError(f"{self.name} has no column {', '.join(sorted(unknown))}")


_TABLES: dict[str, Table[Any]] = {}


def all_tables() -> tuple[Table[Any], ...]:
    """Every table declared so far, by name; importing `livecore.api` declares them all."""
    return tuple(_TABLES[name] for name in sorted(_TABLES))
