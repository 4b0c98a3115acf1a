"""Estimates of the memory that cached rows need, so that a cache is bounded by bytes and not only by their number.

A text of 16 KiB on the wire with one character beyond Unicode's basic plane takes 64 KiB in Python, so a bound on the number
of rows bounds nothing. The estimate counts every text that a caller may have chosen at its real size, and all else by what
such a value usually takes. The function of a table is generated once (`livecore_server.storage.code_generation`), because it
is called for every row that is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table

ENTRY_BYTES: Final = 400
"""What an entry of a cache needs besides its row: the place in a dictionary, and a key of a few short texts."""
NEVER_KEPT: Final = 1 << 60
"""The weight of a row that is read once at most: more than any cache takes."""
_OBJECT_BYTES: Final = 48
_FIELD_BYTES: Final = 8
_SHORT_BYTES: Final = 80
"""A text that the service made, such as an id, or one of a few words."""
_NUMBER_BYTES: Final = 32

_Weigher: TypeAlias = "Callable[[Any], int]"


class _Weighers(dict[type, _Weigher]):
    def __missing__(self, kind: type) -> _Weigher:
        return sys.getsizeof


_WEIGHERS: Final = _Weighers()


def learn_weight(table: Table[Any]) -> None:
    """Make the function that weighs the rows of a table; from then on `weigh` knows them."""
    if table.read_once:
        _WEIGHERS[table.record] = lambda _: NEVER_KEPT
        return
    always = _OBJECT_BYTES + sum(map(_usual_bytes, table.columns))
    counted = [_size(column) for column in table.columns if _is_counted(column)]
    # Four times as fast as `sys.getsizeof`, which looks the method up.
    known: dict[str, Any] = {"size": str.__sizeof__}
    exec(f"def weigher(row): return {' + '.join([str(always), *counted])}", known)  # noqa: S102 - made of declared names
    _WEIGHERS[table.record] = known["weigher"]


def weigh(row: object) -> int:
    """About how many bytes a row takes, without its place in a cache."""
    return _WEIGHERS[type(row)](row)


def weigh_all(rows: Iterable[object]) -> int:
    """About how many bytes rows take together."""
    weighers = _WEIGHERS
    return sum([weighers[type(row)](row) for row in rows])


def _is_counted(column: Column) -> bool:
    return column.kind == "json" or (column.kind == "text" and not column.values and not column.names_player)


def _size(column: Column) -> str:
    value = f"row.{column.name}"
    return f"(0 if {value} is None else size({value}))" if column.nullable else f"size({value})"


def _usual_bytes(column: Column) -> int:
    if _is_counted(column) or column.kind == "boolean":
        return _FIELD_BYTES
    return _FIELD_BYTES + (_NUMBER_BYTES if column.kind == "integer" else _SHORT_BYTES)
