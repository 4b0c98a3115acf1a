"""Rows to records and back, by code generated once for each table (`livecore_server.storage.code_generation`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table
from livecore_server.storage.code_generation import compiled, encoding_source

Values: TypeAlias = "tuple[Any, ...]"


@attrs.frozen(kw_only=True, eq=False)
class Codec:
    """The generated functions of one table."""

    decode: Callable[[Values], Any]
    """Column values, in the order of the fields, to a record."""
    encode: Callable[[str, Any], Values]
    """A scope's id and a record to the parameters of an insert."""
    changes: Callable[[Any, Any], tuple[int, list[Any]]]
    """Which fields two records of one key differ in, as a bit mask, and the new values as parameters."""


def codec_of(table: Table[Any]) -> Codec:
    """Generate the functions of a table."""
    source = "\n".join((_decode(table), encoding_source(table, _parameter)))
    return compiled(Codec, table, source, {"FLAGS": {0: False, 1: True, None: None}})


def _decode(table: Table[Any]) -> str:
    fields = ", ".join(f"fresh.{column.name}" for column in table.columns)
    flags = [f" fresh.{c.name} = FLAGS[fresh.{c.name}]" for c in table.columns if c.kind == "boolean"]
    return "\n".join(("def decode(values):", " fresh = new(cls)", f" ({fields},) = values", *flags, " return fresh"))


def _parameter(column: Column) -> str:
    """`sqlite3` takes a plain integer several times faster than a bool."""
    value = f"row.{column.name}"
    if column.kind != "boolean":
        return value
    return f"(None if {value} is None else 1 if {value} else 0)"
