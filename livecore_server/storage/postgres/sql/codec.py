"""Rows to records and back, by code generated once for each table (`livecore_server.storage.code_generation`).

Parameters and results are text, as bytes; a null is `None`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import attrs
from psycopg.adapt import Transformer
from psycopg.pq.abc import PGresult

from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table
from livecore_server.storage.code_generation import compiled, encoding_source
from livecore_server.storage.postgres.connections.pipeline import Parameters
from livecore_server.storage.postgres.sql.text import encoded, unescaped

_Cells: TypeAlias = "tuple[Any, ...]"


@attrs.frozen(kw_only=True, eq=False)
class Codec:
    """The generated functions of one table."""

    records: Callable[[Iterable[_Cells]], list[Any]]
    """Rows whose cells are the fields, in their order, to records; further cells are ignored."""
    encode: Callable[[bytes, Any], Parameters]
    """A scope's id and a record to the parameters of an insert."""
    changes: Callable[[Any, Any], tuple[int, list[bytes | None]]]
    """Which fields two records of one key differ in, as a bit mask, and the new values as parameters."""

    def decode(self, result: PGresult) -> list[Any]:
        """A result whose columns are the fields, in their order, to records."""
        return self.records(cells_of(result))


def cells_of(result: PGresult) -> list[_Cells]:
    """The rows of a result as Python values. Texts are as they are stored."""
    _loaders.transformer.set_pgresult(result)
    return _loaders.transformer.load_rows(0, result.ntuples, tuple)


class _Loaders(threading.local):
    """Converts a result's text to values, in C if psycopg has its C parts; each thread has one."""

    def __init__(self) -> None:
        self.transformer = Transformer()


_loaders = _Loaders()


def codec_of(table: Table[Any]) -> Codec:
    """Generate the functions of a table."""
    source = "\n".join((_records(table), encoding_source(table, _parameter)))
    return compiled(Codec, table, source, {"unescaped": unescaped, "encoded": encoded})


def _records(table: Table[Any]) -> str:
    width = len(table.columns)
    fields = ", ".join(f"fresh.{column.name}" for column in table.columns)
    lines = ["def records(rows):", " records = []", " for row in rows:", "  fresh = new(cls)"]
    lines.append(f"  ({fields},) = row if len(row) == {width} else row[:{width}]")
    for column in table.columns:
        lines += _unescape(column)
    return "\n".join((*lines, "  records.append(fresh)", " return records"))


def _unescape(column: Column) -> list[str]:
    """Texts of few values have nothing to unescape."""
    if column.kind not in {"text", "json"} or column.values:
        return []
    field = f"fresh.{column.name}"
    present = f"{field} is not None and " if column.nullable else ""
    return [f"  if {present}'\\1' in {field}:", f"   {field} = unescaped({field})"]


def _parameter(column: Column) -> str:
    value = f"row.{column.name}"
    shown = {"boolean": f"(b't' if {value} else b'f')", "integer": f"b'%d' % {value}"}.get(
        column.kind, f"encoded({value})"
    )
    return f"(None if {value} is None else {shown})" if column.nullable else shown
