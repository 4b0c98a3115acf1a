"""Move players in from another backend, over HTTP: a CSV file in, a report out, and the rows that failed in a file.

    $ export LIVECORE_BASE_URL=https://live.example.com LIVECORE_SERVER_KEY=lc_live_server_…
    $ python examples/move_players_in.py players players.csv
    $ python examples/move_players_in.py wallet wallet.csv
    $ python examples/move_players_in.py inventory inventory.csv

The first line names the columns as the routes name their fields; an empty cell is a field left out. A row without a key gets
one, made from the file's name and the row's number. So after an interruption run the command again: rows that were applied
are replays. Correct the rows in the file of failures and send that file: its columns with the reason are ignored.

With access to the database, `livecore migrate-in wallet.csv --kind wallet --environment live …` does the same without HTTP,
continues where it stopped, and with `--rehearse` only prints what would happen.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from livecore_client import LivecoreError, ServerClient
from livecore_client.rows import MigrateInventoryRow, MigratePlayerRow, MigrateWalletRow, MigrationOutcome, Timestamp

ROWS_AT_ONCE = 500
TOLD = ("code", "message")
"""The columns that the file of failures adds to a row."""
SHAPES = {"players": MigratePlayerRow, "wallet": MigrateWalletRow, "inventory": MigrateInventoryRow}
READERS: dict[str, Callable[[str], object]] = {
    "amount": int, "quantity": int, "playerContext": json.loads, "parameters": json.loads,
    "firstSeenAt": Timestamp.parse, "lastSeenAt": Timestamp.parse,
}  # fmt: skip
"""How a cell is read; other cells are text. The server checks everything else."""


def chunks(path: Path) -> Iterator[list[tuple[int, dict[str, str]]]]:
    """The rows of a CSV file with their numbers from 1 on, some hundred at a time; empty cells are left out."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        numbered = enumerate(csv.DictReader(file, restkey="too many", restval="", strict=True), 1)
        filled = (
            (number, {name: cell for name, cell in row.items() if cell and name not in TOLD})
            for number, row in numbered
        )
        while some := list(islice(filled, ROWS_AT_ONCE)):
            yield some


def typed(kind: str, key: str, cells: dict[str, str]) -> Any:  # noqa: ANN401 - a row of the kind
    """A row of the kind. Raises `ValueError` and `TypeError` where the cells make none."""
    read = {re.sub("([A-Z])", r"_\1", name).lower(): READERS.get(name, str)(cell) for name, cell in cells.items()}
    return SHAPES[kind](**{"idempotency_key": key, **read})


def send(studio: ServerClient, kind: str, rows: list[Any]) -> MigrationOutcome:
    """Send rows to their route; each fails or succeeds by itself."""
    routes: dict[str, Callable[..., MigrationOutcome]] = {
        "players": studio.migrate.players, "wallet": studio.migrate.wallet, "inventory": studio.migrate.inventory,
    }  # fmt: skip
    return routes[kind](rows=rows)


def move_in(studio: ServerClient, kind: str, path: Path, tally: Counter[str]) -> Iterator[dict[str, str]]:
    """Send a whole file, count the results, and yield the rows that failed, with the reason."""
    for some in chunks(path):
        rows, cells_of = [], []
        for number, cells in some:
            keyed = {"idempotencyKey": f"{path.stem}:{number}", **cells}
            try:
                rows.append(typed(kind, keyed["idempotencyKey"], cells))
                cells_of.append(keyed)
            except (ValueError, TypeError) as fault:
                tally["failed"] += 1
                yield {**keyed, "code": "malformed_row", "message": str(fault)}
        if not rows:
            continue
        outcome = send(studio, kind, rows)
        tally.update(applied=outcome.applied, replayed=outcome.replayed, failed=outcome.failed)
        for failure in outcome.failures:
            yield {**cells_of[failure.index], "code": failure.code, "message": failure.message}
        print(f"{sum(tally.values())} rows", end="\r", file=sys.stderr)


def main() -> None:
    """Send the file that the command line names; the exit status is 1 where a row failed."""
    parser = argparse.ArgumentParser(description="Move players, balances or items in from a CSV file.")
    parser.add_argument("kind", choices=SHAPES)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    path, tally = arguments.file, Counter[str]()
    try:
        with ServerClient(timeout_seconds=60) as studio:
            failed = list(move_in(studio, arguments.kind, path, tally))
    except (LivecoreError, OSError, csv.Error) as fault:
        sys.exit(f"After {sum(tally.values())} rows: {fault}\nRun the same command again to go on.")
    print(
        f"{sum(tally.values())} rows: {tally['applied']} applied, {tally['replayed']} before, {tally['failed']} failed"
    )
    for code, count in Counter(row["code"] for row in failed).most_common():
        print(f"  {code}: {count}")
    if failed:
        beside = path.with_name(f"{path.stem}.failures.csv")
        with beside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(name for row in failed for name in row)))
            writer.writeheader()
            writer.writerows(failed)
        sys.exit(f"The rows that failed are in {beside}.")


if __name__ == "__main__":
    main()
