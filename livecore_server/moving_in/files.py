"""Files of rows to move in: JSON Lines, or CSV whose first line names the fields.

Rows are read one after another, so a file may be larger than memory. What a line says is not judged here; a line that is no
row at all is given on with the reason, to be told among the rows that fail.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import attrs

from livecore.api.strict_json import read_json
from livecore.kernel.errors import MalformedJson

if sys.platform != "win32":
    import fcntl

__all__ = ["FileProblem", "Line", "held", "read_lines"]

_MOST_LINE_BYTES: Final = 1024 * 1024
_JSON_FIELDS: Final = frozenset({"playerContext", "parameters"})
_INTEGER_FIELDS: Final = frozenset({"amount", "quantity"})
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")


class FileProblem(Exception):
    """The file cannot be read as rows at all."""


@attrs.frozen
class Line:
    """A row, by its number from 1 on; or why there is none. `position` is how many bytes have been read by then."""

    number: int
    row: dict[str, Any] | None
    problem: str | None
    position: int


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Have a file to oneself: no other run on this machine may take rows from it meanwhile. Raises `FileProblem`."""
    with path.open("rb") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as fault:
                raise FileProblem(f"{path.name}: is being moved in by another run") from fault
        yield


def read_lines(path: Path) -> Iterator[Line]:
    """The rows of a file, by its ending. Raises `FileProblem` and `OSError`."""
    readers: dict[str, Callable[[BinaryIO], Iterator[Line]]] = {".jsonl": _json_lines, ".csv": _csv_rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileProblem(f"{path.name}: must end in {' or '.join(readers)}")
    with path.open("rb") as file:
        try:
            yield from reader(file)
        except UnicodeDecodeError as fault:
            raise FileProblem(f"{path.name}: is not UTF-8 text at byte {fault.start}") from fault
        except csv.Error as fault:
            raise FileProblem(f"{path.name}: is not well-formed CSV: {fault}") from fault


def _json_lines(file: BinaryIO) -> Iterator[Line]:
    number = position = 0
    while raw := file.readline(_MOST_LINE_BYTES + 1):
        position += len(raw)
        if len(raw) > _MOST_LINE_BYTES:
            raise FileProblem(f"line {number + 1} is longer than {_MOST_LINE_BYTES} bytes")
        if not raw.strip():
            continue
        number += 1
        row, problem = _object(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw)
        yield Line(number, row, problem, position)


def _object(raw: bytes) -> tuple[dict[str, Any] | None, str | None]:
    try:
        row = read_json(raw)
    except MalformedJson as fault:
        return None, str(fault)
    return (row, None) if isinstance(row, dict) else (None, "must be a JSON object")


def _csv_rows(file: BinaryIO) -> Iterator[Line]:
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, strict=True)
        names = next(reader, None)
        if not names or len(set(names)) < len(names):
            raise FileProblem("the first line of a CSV file must name its fields, each once")
        filled = (cells for cells in reader if cells)
        for number, cells in enumerate(filled, 1):
            row, problem = _record(names, cells)
            yield Line(number, row, problem, file.tell())


def _record(names: list[str], cells: list[str]) -> tuple[dict[str, Any] | None, str | None]:
    if len(cells) != len(names):
        return None, f"has {len(cells)} fields, and the first line names {len(names)}"
    row: dict[str, Any] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell == "":
            continue  # left out
        try:
            row[name] = _value(name, cell)
        except MalformedJson as fault:
            return None, f"{name}: {fault}"
    return row, None


def _value(name: str, cell: str) -> object:
    if name in _JSON_FIELDS:
        return read_json(cell.encode())
    if name in _INTEGER_FIELDS and _INTEGER.fullmatch(cell):
        return int(cell)
    return cell
