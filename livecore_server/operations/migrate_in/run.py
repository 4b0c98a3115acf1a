"""Applies a file's rows, a hundred in one transaction, in a way that can be interrupted.

A progress file beside the input is written after each transaction; the next run continues from it. If a run ends between
the two, its last rows are applied again and are replays, because every row has its key. Failed rows are written to a
separate file, each once, however often the run was interrupted. The run creates that file, and overwrites no existing file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias, TypeVar

import attrs

from livecore.kernel.units.unit import Unit
from livecore.player_tools import migration
from livecore.player_tools.migration_rows import (
    MigrateInventory,
    MigratePlayers,
    MigrateWallet,
    MigrationOutcome,
)
from livecore_server.operations.migrate_in.files import Line, RunProblem
from livecore_server.private_files import create_private, reopen_private

T = TypeVar("T")
Kind: TypeAlias = Literal["players", "wallet", "inventory"]
Apply: TypeAlias = "Callable[[Callable[[Unit], MigrationOutcome]], MigrationOutcome]"
"""Runs a unit of work in the scope that the rows go to, as one transaction."""

_ROWS_AT_ONCE: Final = 100
_BYTES_AT_ONCE: Final = 8 * 1024 * 1024
_FINGERPRINT_BYTES: Final = 1024 * 1024
_ARGUMENTS: Final[dict[str, Any]] = {"players": MigratePlayers, "wallet": MigrateWallet, "inventory": MigrateInventory}
_HANDLERS: Final[dict[str, Callable[[Unit, Any], MigrationOutcome]]] = {
    "players": migration.migrate_players,
    "wallet": migration.migrate_wallet,
    "inventory": migration.migrate_inventory,
}
KINDS: Final = tuple(_HANDLERS)
"""The kinds of rows of a file."""


def _note_of(file: Path) -> Path:
    """The path of a file's progress file."""
    return file.with_name(file.name + ".progress")


def unused_failures(file: Path) -> Path:
    """An unused name beside a file, for its failed rows."""
    numbered = (f"{file.name}.failures{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))
    return next(path for path in map(file.with_name, numbered) if not os.path.lexists(path))


@attrs.define
class Tally:
    """The counts of a file's rows so far."""

    received: int = 0
    applied: int = 0
    replayed: int = 0
    failed: int = 0
    codes: Counter[str] = attrs.field(factory=Counter)
    """The number of failures by code."""


@attrs.define
class Progress:
    """The contents of a progress file: the input, the target, the progress, and the length of the file of failures."""

    path: Path
    failures: Path
    identity: str
    tally: Tally = attrs.field(factory=Tally)
    _failures_length: int | None = None
    """The valid length of the file of failures; `None` before the file is created."""

    @classmethod
    def of(cls, file: Path, failures: Path | None, target: str, kind: Kind, *, restart: bool = False) -> Progress:
        """The progress of an earlier run with the same file and target, or a new one.

        Without `failures`, failed rows go to the file of the earlier run, or to a new file beside the input. Raises
        `RunProblem` if an unfinished run was for another file of this name, or wrote its failures elsewhere.
        """
        path = _note_of(file)
        with file.open("rb") as opened:
            digest = hashlib.sha256(opened.read(_FINGERPRINT_BYTES)).hexdigest()
        identity = f"{target} {kind} {file.stat().st_size} {digest}"
        if restart or not path.exists():
            return cls(path, failures or unused_failures(file), identity)
        try:
            noted = json.loads(path.read_bytes())
            tally = Tally(**{**noted["tally"], "codes": Counter(noted["tally"]["codes"])})
            of_file, length, beside = noted["identity"], int(noted["failuresLength"]), Path(noted["failures"])
        except (ValueError, KeyError, TypeError) as fault:
            raise RunProblem(f"{path.name} is no note of a run: begin again with --restart") from fault
        if of_file != identity:
            raise RunProblem(f"{path.name} is of another file or place: begin again with --restart")
        if failures is not None and failures.absolute() != beside:
            raise RunProblem(f"{path.name}: the run that has not ended writes the rows that fail to {beside}")
        return cls(path, beside, identity, tally, length)

    @contextmanager
    def failing(self) -> Iterator[BinaryIO]:
        """The file of failures, truncated to the recorded length; a new file for a new run.

        Raises `RunProblem` if a file of this name exists that this run has not made.
        """
        with self._failures_file() as file:
            file.truncate(self._failures_length or 0)
            file.seek(0, os.SEEK_END)
            # Before the first row: this records that the file belongs to this run.
            self.note(file)
            yield file

    def _failures_file(self) -> BinaryIO:
        try:
            if self._failures_length is None or not os.path.lexists(self.failures):
                return create_private(self.failures)
            return reopen_private(self.failures)
        except FileExistsError:
            raise RunProblem(
                f"{self.failures} is there already: move it away, or name another file with --failures"
            ) from None

    def note(self, failures: BinaryIO) -> None:
        """Write the progress file, atomically."""
        failures.flush()
        self._failures_length = failures.tell()
        noted = {
            "identity": self.identity,
            "tally": attrs.asdict(self.tally),
            "failures": str(self.failures.absolute()),
            "failuresLength": self._failures_length,
        }
        beside = self.path.with_name(self.path.name + ".new")
        beside.unlink(missing_ok=True)
        with create_private(beside) as file:
            file.write(json.dumps(noted).encode())
        beside.replace(self.path)

    def end(self) -> None:
        """Finish: remove the progress file, and the file of failures if it is empty."""
        self.path.unlink(missing_ok=True)
        if not self.tally.failed:
            self.failures.unlink(missing_ok=True)


def move_in(
    lines: Iterable[Line],
    kind: Kind,
    apply: Apply,
    progress: Progress,
    *,
    key_prefix: str | None = None,
    emit_webhooks: bool = False,
    reached: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Apply every line that is not done yet; `reached` is called with the number of bytes that are done.

    With `key_prefix`, a row without an idempotency key gets one from the prefix and its number. Raises `RunProblem`.
    """
    tally = progress.tally
    ahead = iter(lines)
    for _ in islice(ahead, tally.received):
        pass
    with progress.failing() as failures:
        while some := list(_together(ahead)):
            keyed = [_keyed(line, key_prefix) for line in some]
            outcome = _send(keyed, kind, apply, emit_webhooks=emit_webhooks)
            for failed in _failed_lines(keyed, outcome):
                tally.codes[failed["code"]] += 1
                tally.failed += 1
                failures.write(json.dumps(failed, ensure_ascii=False).encode() + b"\n")
            tally.received += len(some)
            tally.applied += outcome.applied
            tally.replayed += outcome.replayed
            progress.note(failures)
            reached(some[-1].position)
    progress.end()
    return tally


def _together(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines of one transaction: a fixed number, or fewer long ones, so that they fit into memory."""
    begun: int | None = None
    for line in islice(lines, _ROWS_AT_ONCE):
        yield line
        begun = line.position if begun is None else begun
        if line.position - begun >= _BYTES_AT_ONCE:
            return


def _keyed(line: Line, prefix: str | None) -> Line:
    if line.row is None or prefix is None or "idempotencyKey" in line.row:
        return line
    return attrs.evolve(line, row={"idempotencyKey": f"{prefix}:{line.place}", **line.row})


def _send(lines: list[Line], kind: Kind, apply: Apply, *, emit_webhooks: bool) -> MigrationOutcome:
    rows = tuple(line.row for line in lines if line.row is not None)
    if not rows:
        return MigrationOutcome(received=0, applied=0, replayed=0, failed=0, failures=())
    arguments = _ARGUMENTS[kind](rows=rows, emit_webhooks=emit_webhooks)
    handler = _HANDLERS[kind]
    return apply(lambda unit: handler(unit, arguments))


def _failed_lines(lines: list[Line], outcome: MigrationOutcome) -> Iterator[dict[str, Any]]:
    """Every failed line, in order: refused rows, and lines that were not rows."""
    sent = [line for line in lines if line.row is not None]
    faults = {
        sent[failure.index].number: {"code": failure.code, "message": failure.message, "details": failure.details}
        for failure in outcome.failures
    }
    for line in lines:
        if line.row is None:
            faults[line.number] = {"code": "malformed_row", "message": line.problem, "details": None}
        if line.number in faults:
            yield {"line": line.number, **faults[line.number], "row": line.text if line.row is None else line.row}
