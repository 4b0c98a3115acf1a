"""Functions that are generated once for each table: a busy server calls them thousands of times a second.

They have no loop: each column has its own expression in the source. Each database defines the form of a value as a
parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import attrs

from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table

C = TypeVar("C")
Parameter = Callable[[Column], str]
"""The expression that turns the value of a column of `row` into a parameter."""


def encoding_source(table: Table[Any], parameter: Parameter) -> str:
    """The source of `encode(scope, row)`, the parameters of an insert, and of `changes(old, row)`, the changed columns."""
    lines = ["def encode(scope, row):", f" return (scope, {', '.join(map(parameter, table.columns))})"]
    lines += ["def changes(old, row):", " mask = 0", " values = []"]
    for at, column in enumerate(table.columns):
        if column.name not in table.key:
            lines.append(f" if old.{column.name} != row.{column.name}:")
            lines.append(f"  mask |= {1 << at}; values.append({parameter(column)})")
    return "\n".join((*lines, " return mask, values"))


def compiled(holder: type[C], table: Table[Any], source: str, names: dict[str, object]) -> C:
    """Run a source that may use `names`, and `new` and `cls` to make a record; returns its functions in a `holder`."""
    known = {"new": table.record.__new__, "cls": table.record, **names}
    exec(source, known)  # noqa: S102 - the text is made of declared column names
    made = {field.name: cast("Callable[..., Any]", known[field.name]) for field in attrs.fields(cast("Any", holder))}
    return holder(**made)
