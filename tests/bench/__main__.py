"""Run the benchmarks, print a table, and write the figures as JSON.

python -m tests.bench                  everything, as for a release
python -m tests.bench --quick          a minute's worth, to compare before and after a change
python -m tests.bench --only http      one part: http, core, growth, import
"""

from __future__ import annotations

import json
import platform
import sqlite3
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import attrs
import click

from tests.bench import import_time, in_process, over_http

__all__ = ["main"]

PACKAGES = ("aiohttp", "attrs", "cattrs", "orjson", "uvloop")


def _machine() -> dict[str, str]:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "processor": model,
        "python": platform.python_version(),
        "system": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in PACKAGES},
    }


def _http(count: int) -> list[dict[str, object]]:
    rows = over_http.measure(count)
    click.echo(f"\n{'over HTTP':34}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'CPU us':>9}{'share':>8}{'target':>8}")
    for row in rows:
        target = "" if row.target is None else f"{row.target:.2f}"
        click.echo(
            f"{row.scenario:34}{row.per_second:9.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}{row.server_cpu_us:9.0f}"
            f"{row.share:8.2f}{target:>8}"
        )
    return [attrs.asdict(row) for row in rows]


def _core(count: int) -> dict[str, object]:
    rate = in_process.gift_path(count)
    click.echo(f"\ncore alone, gift path: {rate:.0f} requests a second of processor time (target 15000)")
    return {"gift_path_per_second": rate}


def _growth(count: int, sizes: tuple[int, ...]) -> list[dict[str, object]]:
    rows = in_process.growth(sizes, count)
    click.echo(f"\n{'players':>10}{'profile us':>12}{'friends us':>12}{'gift us':>10}")
    for row in rows:
        click.echo(f"{row.players:10}{row.profile_us:12.1f}{row.friends_us:12.1f}{row.gift_us:10.1f}")
    last, first = rows[-1], rows[0]
    click.echo(
        f"{'ratio':>10}{last.profile_us / first.profile_us:12.2f}{last.friends_us / first.friends_us:12.2f}"
        f"{last.gift_us / first.gift_us:10.2f}   (target at most 1.50)"
    )
    return [attrs.asdict(row) for row in rows]


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Fewer requests and players.")
@click.option("--only", type=click.Choice(["http", "core", "growth", "import"]), multiple=True)
@click.option("--json", "target", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(*, quick: bool, only: tuple[str, ...], target: Path | None) -> None:
    """Measure what was asked for."""
    count = 8_000 if quick else 40_000
    sizes = (1_000, 20_000) if quick else (1_000, 1_000_000)
    parts: dict[str, Callable[[], object]] = {
        "http": lambda: _http(count),
        "core": lambda: _core(count // 4),
        "growth": lambda: _growth(2_000, sizes),
        "import": import_time.main,
    }
    machine = _machine()
    for name, value in machine.items():
        click.echo(f"{name:12}{value}")
    figures = {name: part() for name, part in parts.items() if not only or name in only}
    if target is not None:
        target.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
