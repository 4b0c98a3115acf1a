"""Run the benchmarks, print tables, and write the figures as JSON.

python -m tests.bench                  everything, as for a release
python -m tests.bench --quick          a minute's worth, to compare before and after a change
python -m tests.bench --only http      one part: http, core, growth, import
python -m tests.bench --quick --only http --store postgres --scenario list
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from tests.bench import import_time, in_process, machine, over_http
from tests.bench.databases import STORES, CannotRun, StoreName, postgres_settings
from tests.bench.figures import HttpRow, NotRun
from tests.bench.scenarios import SCENARIOS
from tests.bench.statements import statements_of_scenarios
from tests.bench.tables import HTTP_HEAD, http_line
from tests.postgres.server import started_server

__all__ = ["main"]

_FORMAT = 1


@attrs.frozen
class _Asked:
    """What is to be measured, and how much of it."""

    quick: bool
    stores: Sequence[StoreName]
    workers: Sequence[int]
    scenarios: Sequence[str]
    not_run: list[NotRun]

    @property
    def count(self) -> int:
        """How many reads a scenario has."""
        return 8_000 if self.quick else 40_000

    def on_each(self, part: str, measure: Callable[[StoreName, int], Sequence[Any]]) -> list[dict[str, object]]:
        """The rows of each store with each number of workers; what cannot run says why and leaves the rest alone."""
        rows: list[dict[str, object]] = []
        for store in self.stores:
            for workers in self.workers:
                try:
                    rows += [attrs.asdict(row) for row in measure(store, workers)]
                except CannotRun as reason:
                    self.not_run.append(NotRun(part=part, store=store, workers=workers, reason=str(reason)))
                    click.echo(f"{store} x{workers}: could not run: {reason}")
        return rows


def _http(asked: _Asked) -> list[dict[str, object]]:
    try:
        statements = statements_of_scenarios() if "postgres" in asked.stores else {}
    except CannotRun:
        statements = {}

    def told(row: HttpRow) -> None:
        click.echo(http_line(row))

    def measure(store: StoreName, workers: int) -> list[HttpRow]:
        return over_http.measure(
            store, workers, asked.count, scenarios=asked.scenarios, statements=statements, told=told
        )

    click.echo(f"\n{HTTP_HEAD}")
    return asked.on_each("http", measure)


def _core(asked: _Asked) -> dict[str, object]:
    rate = in_process.gift_path(asked.count // 4)
    click.echo(f"\ncore alone, gift path: {rate:.0f} requests a second of processor time (target 15000)")
    return {"gift_path_per_second": rate}


def _growth(asked: _Asked) -> list[dict[str, object]]:
    rows = in_process.growth((1_000, 20_000) if asked.quick else (1_000, 1_000_000), 2_000)
    click.echo(f"\n{'players':>10}{'profile us':>12}{'friends us':>12}{'gift us':>10}")
    for row in rows:
        click.echo(f"{row.players:10}{row.profile_us:12.1f}{row.friends_us:12.1f}{row.gift_us:10.1f}")
    last, first = rows[-1], rows[0]
    click.echo(
        f"{'ratio':>10}{last.profile_us / first.profile_us:12.2f}{last.friends_us / first.friends_us:12.2f}"
        f"{last.gift_us / first.gift_us:10.2f}   (target at most 1.50)"
    )
    return [attrs.asdict(row) for row in rows]


def _import(_: _Asked) -> dict[str, float]:
    return import_time.main()


_PARTS: dict[str, Callable[[_Asked], object]] = {"http": _http, "core": _core, "growth": _growth, "import": _import}


def _settings(stores: Sequence[StoreName]) -> dict[str, str] | None:
    if "postgres" not in stores:
        return None
    try:
        return postgres_settings()
    except CannotRun as reason:
        click.echo(f"postgres: {reason}")
        return None


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Fewer requests and players.")
@click.option("--only", type=click.Choice(list(_PARTS)), multiple=True, help="Only this part.")
@click.option("--store", type=click.Choice(STORES), multiple=True, help="Only this store.")
@click.option("--workers", type=click.IntRange(1, 64), multiple=True, help="Only this many; by default 1 and 2.")
@click.option("--scenario", type=click.Choice(list(SCENARIOS)), multiple=True, help="Only this scenario over HTTP.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(
    *,
    quick: bool,
    only: tuple[str, ...],
    store: tuple[StoreName, ...],
    workers: tuple[int, ...],
    scenario: tuple[str, ...],
    target: Path | None,
) -> None:
    """Measure what was asked for."""
    asked = _Asked(quick, store or STORES, workers or (1, 2), scenario or tuple(SCENARIOS), [])
    with started_server():
        described, settings = machine.describe(), _settings(asked.stores)
        for name, value in {
            **described,
            **{f"postgres {name}": value for name, value in (settings or {}).items()},
        }.items():
            click.echo(f"{name:28}{value}")
        figures = {name: part(asked) for name, part in _PARTS.items() if not only or name in only}
    not_run = [attrs.asdict(row) for row in asked.not_run]
    document = {"format": _FORMAT, "machine": described, "postgres": settings, **figures, "not_run": not_run}
    if target is not None:
        target.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
