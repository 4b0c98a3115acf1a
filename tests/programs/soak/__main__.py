"""Load a server for long and see whether anything grows: memory, handles, queues, the log, what is due.

\b
python -m tests.programs.soak                                      thirty minutes on SQLite
python -m tests.programs.soak --minutes 5 --database postgres      five on PostgreSQL, on any server that the tests would use
python -m tests.programs.soak --workers 2 --json soak.json         two workers; the samples as JSON as well

The first fifth is warm-up: caches fill, and pools open. Of the rest the first third is compared with the last; on SQLite a
few minutes are too short for that, because the rows that are remembered take longer to reach their bound. In the end
`livecore check` looks at the database. The status is 1 where anything grew, failed, or was found wrong.
"""  # noqa: D301 - click wants the character

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import click

from livecore_server.operations.check import check
from livecore_server.storage.database import store_at
from tests.crash.game import CONFIG
from tests.crash.served import Livecore
from tests.postgres.server import fresh_database, started_server
from tests.programs.soak.crowd import Crowd, Receiver
from tests.programs.soak.watching import Growth, Sample, growth_of, sample

_SHOWN: Final = tuple(field.name for field in attrs.fields(Sample) if field.name != "in_progress")


@contextmanager
def _server(database: str) -> Iterator[Livecore]:
    with tempfile.TemporaryDirectory() as folder:
        if database == "sqlite":
            server = Livecore(Path(folder), CONFIG)
            try:
                yield server
            finally:
                server.end()
            return
        with started_server(), fresh_database() as url:
            server = Livecore(Path(folder), CONFIG, url=url)
            try:
                yield server
            finally:
                server.end()


async def _soak(
    server: Livecore, minutes: float, every: float, clients: int, workers: int
) -> tuple[list[Sample], Crowd]:
    receiver = Receiver()
    server.add_endpoint(await receiver.start())
    # Started from the thread that stays: the server must not outlive it.
    await asyncio.to_thread(server.start, "--workers", str(workers))
    crowd = Crowd(server, clients)
    await crowd.load.set_up()
    running = asyncio.create_task(crowd.run())
    samples: list[Sample] = []
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < minutes * 60:
        requests = sum(crowd.statuses.values())
        samples.append(await sample(server, seconds=elapsed, requests=requests, received=receiver.received))
        _print_row(samples)
        await asyncio.wait({running}, timeout=min(every, max(0.0, minutes * 60 - elapsed)))
        if running.done():
            break
    crowd.end()
    await running
    await receiver.stop()
    return samples, crowd


def _print_row(samples: list[Sample]) -> None:
    if len(samples) == 1:
        click.echo("".join(f"{name:>16}" for name in _SHOWN))
    click.echo("".join(f"{getattr(samples[-1], name):>16}" for name in _SHOWN))


def _print_growth(grown: list[Growth]) -> None:
    click.echo(f"\n{'':18}{'first third':>14}{'last third':>14}")
    for growth in grown:
        click.echo(f"{growth.name:18}{growth.first:14}{growth.last:14}   {'GREW' if growth.grew else 'steady'}")


@click.command(help=__doc__)
@click.option("--minutes", default=30.0, help="How long.")
@click.option("--database", type=click.Choice(["sqlite", "postgres"]), default="sqlite", help="On which store.")
@click.option("--workers", default=1, help="How many worker processes.")
@click.option("--clients", default=16, help="How many clients at once.")
@click.option("--every", default=5.0, help="Seconds between two samples.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Where to write samples and findings.")
def main(*, minutes: float, database: str, workers: int, clients: int, every: float, target: Path | None) -> None:
    """Soak, compare, check."""
    with _server(database) as server:
        samples, crowd = asyncio.run(_soak(server, minutes, every, clients, workers))
        stopped = server.stop()
        with store_at(server.url) as store:
            report = check(store, store.scopes(), lambda _: None)
        log = [line.strip() for line in server.log if " info " not in line]
    grown = growth_of(samples[len(samples) // 5 :])
    _print_growth(grown)
    failed = {status: count for status, count in crowd.statuses.items() if status == 0 or status >= 500}
    click.echo(f"\nanswers by status: {dict(sorted(crowd.statuses.items()))}")
    click.echo(f"exit status {stopped}; log lines beyond the ordinary: {len(log)}")
    click.echo(f"check: {report.found} found wrong in {sum(scope.rows for scope in report.scopes)} rows")
    if target is not None:
        figures = {"samples": [attrs.asdict(one) for one in samples], "growth": [attrs.asdict(one) for one in grown],
                   "statuses": crowd.statuses, "log": log, "found": report.found}  # fmt: skip
        target.write_text(json.dumps(figures, indent=1) + "\n")
    if stopped or report.found or failed or any(growth.grew for growth in grown):
        sys.exit(1)


if __name__ == "__main__":
    main()
