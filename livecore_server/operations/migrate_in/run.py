"""Sending a file's rows through the migration, some hundred in one transaction, so that it can be interrupted.

Beside the file lies a note of how far it has come, written after each transaction; the next run goes on from there. Should a
run end between the two, its last rows are sent again and are replays, because every row keeps its key. Rows that fail are
written to a file of their own, in which each stands once however often the run was interrupted. The run makes that file, and
writes over nothing that was there before.
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

from livecore.kernel.unit import Unit
from livecore.player_tools import migration
from livecore.player_tools.migration_rows import (
    MigrateInventory,
    MigratePlayers,
    MigrateWallet,
    MigrationOutcome,
)
from livecore_server.operations.migrate_in.files import FileProblem, Line
from livecore_server.private_files import create_private, reopen_private

__all__ = ["KINDS", "Kind", "Progress", "Tally", "move_in", "unused_failures"]

T = TypeVar("T")
Kind: TypeAlias = Literal["players", "wallet", "inventory"]
Apply: TypeAlias = "Callable[[Callable[[Unit], MigrationOutcome]], MigrationOutcome]"
"""Runs a unit of work in the scope that the rows go to, as one transaction."""

_ROWS_AT_ONCE: Final = 500
_BYTES_AT_ONCE: Final = 8 * 1024 * 1024
_FINGERPRINT_BYTES: Final = 1024 * 1024
_ARGUMENTS: Final[dict[str, Any]] = {"players": MigratePlayers, "wallet": MigrateWallet, "inventory": MigrateInventory}
_HANDLERS: Final[dict[str, Callable[[Unit, Any], MigrationOutcome]]] = {
    "players": migration.migrate_players,
    "wallet": migration.migrate_wallet,
    "inventory": migration.migrate_inventory,
}
KINDS: Final = tuple(_HANDLERS)
"""What the rows of a file can be about."""


def _note_of(file: Path) -> Path:
    """Where the note lies of how far a file has come."""
    return file.with_name(file.name + ".progress")


def unused_failures(file: Path) -> Path:
    """A name beside a file for the rows of it that fail, which nothing has yet."""
    numbered = (f"{file.name}.failures{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))
    return next(path for path in map(file.with_name, numbered) if not os.path.lexists(path))


@attrs.define
class Tally:
    """How the rows of a file have fared so far."""

    received: int = 0
    applied: int = 0
    replayed: int = 0
    failed: int = 0
    codes: Counter[str] = attrs.field(factory=Counter)
    """How often each code was the reason for a failure."""


@attrs.define
class Progress:
    """The note of how far a file has come: of which file, into which place, and how long the file of failures is then."""

    path: Path
    failures: Path
    identity: str
    tally: Tally = attrs.field(factory=Tally)
    _failures_length: int | None = None
    """How much of the file of failures counts; `None` while a run that has noted nothing has not made it."""

    @classmethod
    def of(cls, file: Path, failures: Path | None, target: str, kind: Kind, *, restart: bool = False) -> Progress:
        """The note of an earlier run with the same file into the same place, or a new one.

        Without `failures`, the rows that fail go where those of the earlier run went, or into a new file beside this one.
        Raises `FileProblem` where an unfinished run was of another file of this name, or wrote its failures elsewhere.
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
            raise FileProblem(f"{path.name} is no note of a run: begin again with --restart") from fault
        if of_file != identity:
            raise FileProblem(f"{path.name} is of another file or place: begin again with --restart")
        if failures is not None and failures.absolute() != beside:
            raise FileProblem(f"{path.name}: the run that has not ended writes the rows that fail to {beside}")
        return cls(path, beside, identity, tally, length)

    @contextmanager
    def failing(self) -> Iterator[BinaryIO]:
        """The file of failures, cut back to what the note knows of; a new one for a new run.

        Raises `FileProblem` where there is something of its name that this run has not made.
        """
        with self._failures_file() as file:
            file.truncate(self._failures_length or 0)
            file.seek(0, os.SEEK_END)
            # Before anything is sent: from now on the file is known to be this run's.
            self.note(file)
            yield file

    def _failures_file(self) -> BinaryIO:
        try:
            if self._failures_length is None or not os.path.lexists(self.failures):
                return create_private(self.failures)
            return reopen_private(self.failures)
        except FileExistsError:
            raise FileProblem(
                f"{self.failures} is there already: move it away, or name another file with --failures"
            ) from None

    def note(self, failures: BinaryIO) -> None:
        """Write down how far it has come, whole or not at all."""
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
        """Everything is done: nothing is left to go on with, and no file of failures where none failed."""
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
    """Send every line that the note does not know of yet; `reached` is told how many bytes of the file are done.

    With `key_prefix`, rows without an idempotency key get one of it and their place among the rows. Raises `FileProblem`.
    """
    tally = progress.tally
    ahead = iter(lines)
    for _ in islice(ahead, tally.received):
        pass
    with progress.failing() as failures:
        while some := list(_together(ahead)):
            keyed = [_keyed(line, key_prefix) for line in some]
            outcome = _send(keyed, kind, apply, emit_webhooks=emit_webhooks)
            for told in _told(keyed, outcome):
                tally.codes[told["code"]] += 1
                tally.failed += 1
                failures.write(json.dumps(told, ensure_ascii=False).encode() + b"\n")
            tally.received += len(some)
            tally.applied += outcome.applied
            tally.replayed += outcome.replayed
            progress.note(failures)
            reached(some[-1].position)
    progress.end()
    return tally


def _together(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines of one transaction: so many, or fewer long ones, so that they fit into memory."""
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


def _told(lines: list[Line], outcome: MigrationOutcome) -> Iterator[dict[str, Any]]:
    """Every line that failed, in order: what the migration refused, and what was no row."""
    sent = [line for line in lines if line.row is not None]
    told = {
        sent[failure.index].number: {"code": failure.code, "message": failure.message, "details": failure.details}
        for failure in outcome.failures
    }
    for line in lines:
        if line.row is None:
            told[line.number] = {"code": "malformed_row", "message": line.problem, "details": None}
        if line.number in told:
            yield {"line": line.number, **told[line.number], "row": line.text if line.row is None else line.row}
