"""Files of rows to migrate: JSON Lines, or CSV whose first line names the fields.

Rows are read one after another, so a file may be larger than memory. The contents of a row are not checked here. A line
that is not a row is passed on with the reason, to be reported among the failed rows.

A row is identified by the line where it begins, counted as an editor counts: the line with the field names counts, empty
lines count, and so does every line of a cell with several lines.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import attrs

from livecore.api.requests.strict_json import read_json
from livecore.kernel.errors import MalformedJson
from livecore_server.problem import Problem, WrongInput

if sys.platform != "win32":
    import fcntl


_MOST_LINE_BYTES: Final = 1024 * 1024
_MOST_VALUES: Final = 50_000
"""How many JSON values a row may hold: several times the most that a context of 16 KiB can hold."""
_JSON_FIELDS: Final = frozenset({"playerContext", "parameters"})
_INTEGER_FIELDS: Final = frozenset({"amount", "quantity"})
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")


class FileProblem(WrongInput):
    """The file cannot be read as rows at all."""


class RunProblem(Problem):
    """An earlier run, or one that is under way, prevents this one."""


@attrs.frozen
class Line:
    """A row, or why there is none."""

    number: int
    """The line of the file where it begins, from 1 on."""
    place: int
    """The number of the row, from 1 on."""
    row: dict[str, Any] | None
    problem: str | None
    text: str
    """The text of the file there if it is not a row, else empty."""
    position: int
    """How many bytes of the file have been read so far."""


class _Rows(Protocol):
    """What `csv.reader` gives."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a file, so that no other run on this machine uses it meanwhile. Raises `RunProblem`."""
    with path.open("rb") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as fault:
                raise RunProblem(f"{path.name}: is being moved in by another run") from fault
        yield


def read_lines(path: Path) -> Iterator[Line]:
    """The rows of a file, read by its extension. Raises `FileProblem` and `OSError`."""
    readers: dict[str, Callable[[BinaryIO], Iterator[Line]]] = {".jsonl": _json_lines, ".csv": _csv_rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileProblem(f"{path.name}: must end in {' or '.join(readers)}")
    with path.open("rb") as file:
        try:
            yield from reader(file)
        except UnicodeDecodeError as fault:
            raise FileProblem(f"{path.name}: is not UTF-8 text at byte {fault.start}") from fault


def _json_lines(file: BinaryIO) -> Iterator[Line]:
    number = place = position = 0
    while raw := file.readline(_MOST_LINE_BYTES + 1):
        position += len(raw)
        number += 1
        if len(raw) > _MOST_LINE_BYTES:
            raise FileProblem(f"line {number} is longer than {_MOST_LINE_BYTES} bytes")
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if not raw.strip():
            continue
        place += 1
        row, problem = _object(raw)
        text = "" if problem is None else raw.decode("utf-8", "replace").rstrip("\r\n")
        yield Line(number, place, row, problem, text, position)


def _object(raw: bytes) -> tuple[dict[str, Any] | None, str | None]:
    try:
        row = read_json(raw, most_values=_MOST_VALUES)
    except MalformedJson as fault:
        return None, str(fault)
    return (row, None) if isinstance(row, dict) else (None, "must be a JSON object")


def _csv_rows(file: BinaryIO) -> Iterator[Line]:
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        lines = _Read(text)
        reader = csv.reader(lines, strict=True)
        try:
            names = next(reader, None)
            if not names or len(set(names)) < len(names):
                raise FileProblem("the first line of a CSV file must name its fields, each once")
            yield from _records(names, reader, lines, file)
        except csv.Error as fault:
            raise FileProblem(f"line {reader.line_num} is not well-formed CSV: {fault}") from fault


class _Read:
    """The lines of a text; keeps those since the last row."""

    def __init__(self, text: Iterable[str]) -> None:
        self._text = iter(text)
        self._kept: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._text)
        self._kept.append(line)
        return line

    def take(self) -> str:
        """The text read since the last call, without its final line break."""
        kept, self._kept = "".join(self._kept), []
        return kept.rstrip("\r\n")


def _records(names: list[str], reader: _Rows, lines: _Read, file: BinaryIO) -> Iterator[Line]:
    lines.take()
    place, begins = 0, reader.line_num + 1
    for cells in reader:
        text, number = lines.take(), begins
        begins = reader.line_num + 1
        if cells:
            place += 1
            row, problem = _record(names, cells)
            yield Line(number, place, row, problem, "" if problem is None else text, file.tell())


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
        return read_json(cell.encode(), most_values=_MOST_VALUES)
    if name in _INTEGER_FIELDS and _INTEGER.fullmatch(cell):
        return int(cell)
    return cell
