"""Rows to records and back, by code generated once for each table: a busy server does this thousands of times a second.

The generated functions are what one would write by hand: assign the columns of a row to the fields of a fresh record, list
the fields of a record as parameters, and compare two records field by field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import attrs

from livecore.kernel.records import Column
from livecore.kernel.tables import Table
from livecore_server.places import Place, places_of

__all__ = ["Codec", "codec_of"]

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
    leave: Callable[[str, Any, dict[Place, Any], set[Place]], None]
    """Note that a record has left its unique places and its scans."""
    enter: Callable[[str, Any, dict[Place, Any], set[Place]], None]
    """Note that a record now holds its unique places and stands in its scans."""


def codec_of(table: Table[Any]) -> Codec:
    """Generate the functions of a table."""
    names: dict[str, object] = {
        "new": table.record.__new__,
        "cls": table.record,
        "FLAGS": {0: False, 1: True, None: None},
    }
    source = "\n".join((_decode(table), _encode(table), _changes(table)))
    exec(source, names)  # noqa: S102 - the text is made of declared column names
    places = places_of(table)
    names |= {"leave": places.leave, "enter": places.enter}
    made = {field.name: cast("Callable[..., Any]", names[field.name]) for field in attrs.fields(Codec)}
    return Codec(**made)


def _decode(table: Table[Any]) -> str:
    fields = ", ".join(f"fresh.{column.name}" for column in table.columns)
    flags = [f" fresh.{c.name} = FLAGS[fresh.{c.name}]" for c in table.columns if c.kind == "boolean"]
    return "\n".join(("def decode(values):", " fresh = new(cls)", f" ({fields},) = values", *flags, " return fresh"))


def _parameter(column: Column, record: str) -> str:
    """`sqlite3` takes a plain integer several times faster than a bool."""
    value = f"{record}.{column.name}"
    if column.kind != "boolean":
        return value
    return f"(None if {value} is None else 1 if {value} else 0)"


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
