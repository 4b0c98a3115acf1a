"""Rows to records and back, by code generated once for each table: what one would write by hand, without a loop.

Parameters and results are text, as bytes; a null is `None`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.records import Column
from livecore.kernel.tables import Table
from livecore_server.postgres.text import decoded, encoded
from livecore_server.postgres.wire import Parameters

__all__ = ["Codec", "codec_of"]


@attrs.frozen(kw_only=True, eq=False)
class Codec:
    """The generated functions of one table."""

    decode: Callable[[PGresult], list[Any]]
    """A result whose columns are the fields, in their order, to records."""
    encode: Callable[[bytes, Any], Parameters]
    """A scope's id and a record to the parameters of an insert."""
    changes: Callable[[Any, Any], tuple[int, list[bytes | None]]]
    """Which fields two records of one key differ in, as a bit mask, and the new values as parameters."""


def codec_of(table: Table[Any]) -> Codec:
    """Generate the functions of a table."""
    names: dict[str, object] = {
        "new": table.record.__new__,
        "cls": table.record,
        "decoded": decoded,
        "encoded": encoded,
        "FLAGS": {b"t": True, b"f": False, None: None},
    }
    exec("\n".join((_decode(table), _encode(table), _changes(table))), names)  # noqa: S102 - made of declared column names
    made = {field.name: cast("Callable[..., Any]", names[field.name]) for field in attrs.fields(Codec)}
    return Codec(**made)


def _decode(table: Table[Any]) -> str:
    lines = ["def decode(result):", " records = []", " value = result.get_value", " for row in range(result.ntuples):"]
    lines += ["  fresh = new(cls)"]
    for at, column in enumerate(table.columns):
        lines += _assign(column, at)
    return "\n".join((*lines, "  records.append(fresh)", " return records"))


def _assign(column: Column, at: int) -> list[str]:
    field, cell = f"fresh.{column.name}", f"value(row, {at})"
    if column.kind == "boolean":
        return [f"  {field} = FLAGS[{cell}]"]
    convert = "int" if column.kind == "integer" else "decoded"
    if not column.nullable:
        return [f"  {field} = {convert}({cell})"]
    return [f"  data = {cell}", f"  {field} = None if data is None else {convert}(data)"]


def _parameter(column: Column, record: str) -> str:
    value = f"{record}.{column.name}"
    shown = {"boolean": f"(b't' if {value} else b'f')", "integer": f"b'%d' % {value}"}.get(
        column.kind, f"encoded({value})"
    )
    return f"(None if {value} is None else {shown})" if column.nullable else shown


def _encode(table: Table[Any]) -> str:
    values = ", ".join(_parameter(column, "row") for column in table.columns)
    return f"def encode(scope, row):\n return (scope, {values})"


def _changes(table: Table[Any]) -> str:
    lines = ["def changes(old, row):", " mask = 0", " values = []"]
    for at, column in enumerate(table.columns):
        if column.name not in table.key:
            lines.append(f" if old.{column.name} != row.{column.name}:")
            lines.append(f"  mask |= {1 << at}; values.append({_parameter(column, 'row')})")
    return "\n".join((*lines, " return mask, values"))
