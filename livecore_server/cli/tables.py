"""Rows that a command prints, as JSON for scripts or as columns under a header for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import click

from livecore.kernel.errors import Json, JsonObject

__all__ = ["print_columns", "show"]


def show(name: str, rows: Sequence[JsonObject], *, as_json: bool, **more: Json) -> None:
    """Rows as JSON, beside which there may be `more`, or as lines of columns with nothing left out."""
    if as_json:
        click.echo(json.dumps({name: cast(Json, list(rows)), **more}))
        return
    if not rows:
        click.echo(f"no {name}", err=True)
        return
    print_columns(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows])


def print_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A header, and a line for each row."""
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Json) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
