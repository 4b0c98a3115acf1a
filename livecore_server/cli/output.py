"""What a command prints: JSON for scripts, or lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import cast

import click

from livecore.kernel.errors import Json, JsonObject


def show(value: object, lines: Iterable[str], *, as_json: bool, nothing: str = "") -> None:
    """What a command has found: the `value` as JSON, or the same in `lines`.

    Where there are no lines, people read on standard error what `nothing` says.
    """
    if as_json:
        click.echo(json.dumps(value))
        return
    line = None
    for line in lines:
        click.echo(line)
    if line is None and nothing:
        click.echo(nothing, err=True)


def show_rows(name: str, rows: Sequence[JsonObject], *, as_json: bool, **more: Json) -> None:
    """Rows as JSON, beside which there may be `more`, or as lines of columns with nothing left out."""
    cells = [[_cell(value) for value in row.values()] for row in rows]
    lines = columns(list(rows[0]) if rows else (), cells)
    show({name: cast(Json, list(rows)), **more}, lines, as_json=as_json, nothing=f"no {name}")


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A header, and a line for each row; nothing where there is no row."""
    if not rows:
        return []
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


def _cell(value: Json) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
