"""Write `livecore_server/storage/postgres/reads/expected_reads.json`: what the units of each operation read.

It plays the laws' own sequences over a store in memory that counts rounds, in two minutes. Run it when what operations read
has changed. With `--check` nothing is written, and the exit status is 1 when the file is out of date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from livecore_server.storage.postgres.reads.expected_reads import EXPECTED_READS, Record
from tests.laws.far_store import CountedUnit
from tests.laws.given_reads import given_reads
from tests.laws.recording import Entries, record_of
from tests.laws.rounds import WORDS, counted

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "livecore_server/storage/postgres/reads" / EXPECTED_READS
SEEDS: Final = range(2)


def _played(record: Entries) -> Iterable[CountedUnit]:
    return counted(SEEDS, record=Record(record)).answered


def _text(record: Entries) -> str:
    """One operation after another, with a line for each entry."""
    parts = (f"{json.dumps(operation)}: [\n" + ",\n".join(f"  {json.dumps(entry)}" for entry in entries) + "\n]"
             for operation, entries in sorted(record.items()))  # fmt: skip
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write the file, or compare it with `--check`."""
    text = _text(record_of(_played, WORDS, given_reads()))
    if FILE.read_text("utf-8") == text:
        return 0
    if "--check" in arguments:
        print(f"{FILE.relative_to(ROOT)} is out of date: run python .ci/expected_reads.py")
        return 1
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
