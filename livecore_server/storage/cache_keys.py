"""Cache keys of records: the record's key, its unique values, and, shared with other records, prefixes of indexes.

Caches of rows and scans use these keys, and so does the list of what a unit of work has changed. The keys of a record
follow from its table's declaration; the functions that list them are generated once for each table
(`livecore_server.storage.code_generation`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.storage.tables import Key, Table
from livecore_server.storage.code_generation import compiled

CacheKey: TypeAlias = "tuple[str, object, Key]"
"""A scope's id; a table, unique or index; and the key, unique values or prefix."""

MISSING: Final[Any] = object()
"""Not in the cache. `None` is a cached value and means that there is no such row."""


@attrs.frozen(kw_only=True, eq=False)
class CacheKeyFunctions:
    """The generated functions of one table."""

    remember: Callable[[str, Any, dict[CacheKey, Any]], None]
    """Add a record under its key and its unique values."""
    leave: Callable[[str, Any, dict[CacheKey, Any], set[CacheKey]], None]
    """Mark the record's unique values and scans as changed, for a record that was removed from them."""
    enter: Callable[[str, Any, dict[CacheKey, Any], set[CacheKey]], None]
    """Mark the record's unique values and scans as changed, for a record that was added to them."""


@cache
def cache_keys_of(table: Table[Any]) -> CacheKeyFunctions:
    """The functions of a table; generated once."""
    names: dict[str, object] = {"table": table}
    names |= {f"unique_{at}": unique for at, unique in enumerate(table.uniques)}
    names |= {f"index_{at}": index for at, index in enumerate(table.indexes)}
    source = "\n".join((_remember(table), _leave(table), _enter(table)))
    return compiled(CacheKeyFunctions, table, source, names)


def _fields(columns: tuple[str, ...]) -> str:
    return "(" + "".join(f"row.{name}, " for name in columns) + ")"


def _remember(table: Table[Any]) -> str:
    by_key = f" rows[(scope, table, {_fields(table.key)})] = row"
    return "\n".join(("def remember(scope, row, rows):", by_key, *_uniques(table, "row")))


def _leave(table: Table[Any]) -> str:
    return "\n".join(("def leave(scope, row, rows, scans):", *_uniques(table, "None"), *_scans(table), " return"))


def _enter(table: Table[Any]) -> str:
    return "\n".join(("def enter(scope, row, rows, scans):", *_uniques(table, "row"), *_scans(table), " return"))


def _uniques(table: Table[Any], holder: str) -> list[str]:
    nullable = {column.name for column in table.columns if column.nullable}
    lines = []
    for at, unique in enumerate(table.uniques):
        present = [f"row.{name} is not None" for name in unique.columns if name in nullable]
        condition = f" if {' and '.join(present)}:" if present else " if True:"
        lines += [condition, f"  rows[(scope, unique_{at}, {_fields(unique.columns)})] = {holder}"]
    return lines


def _scans(table: Table[Any]) -> list[str]:
    """Prefixes with a null are listed as well, which does no harm: no scan of them is cached."""
    return [f" scans.add((scope, index_{at}, {_fields(index.prefix)}))" for at, index in enumerate(table.indexes)]
