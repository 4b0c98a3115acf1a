"""Run the benchmarks, print tables, and write the figures as JSON.

\b
python -m tests.programs.bench                  everything, in about twenty minutes
python -m tests.programs.bench --publish        the same, into docs/benchmarks
python -m tests.programs.bench --part 0.25      a quarter of the requests, and of the largest sizes
python -m tests.programs.bench --quick          a minute's worth, to compare before and after a change
python -m tests.programs.bench --quick --only http --store postgres --scenario list
"""  # noqa: D301 - click wants the character

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import click

from tests.postgres.server import started_server
from tests.programs.bench import machine
from tests.programs.bench.databases import STORES, CannotRun, StoreName, postgres_settings
from tests.programs.bench.figures import Figures
from tests.programs.bench.parts import PARTS, Amount, Asked
from tests.programs.bench.publish import publish, published_figures
from tests.programs.bench.scenarios import SCENARIOS

_FULL: Final = Amount(
    requests=20_000,
    board=100_000,
    readers=2_000,
    followed_seconds=60,
    core_gifts=10_000,
    core_players=(1_000, 1_000_000),
    core_requests=2_000,
    growth_requests=5_000,
    players={"sqlite": (1_000, 10_000, 100_000, 1_000_000), "postgres": (1_000, 10_000, 100_000)},
    deliveries=4_000,
    receivers=(1, 8),
    due_items=4_000,
    purchases={"sqlite": (10_000, 100_000, 1_000_000), "postgres": (10_000, 100_000)},
    spend_requests=100,
    audit_entries=1_000_000,
    audit_requests=100,
    history_days=365,
    pages=100,
    imports=15,
)
_QUICK: Final = Amount(
    requests=3_000,
    board=5_000,
    readers=100,
    followed_seconds=5,
    core_gifts=500,
    core_players=(1_000, 5_000),
    core_requests=200,
    growth_requests=600,
    players=dict.fromkeys(STORES, (1_000, 4_000)),
    deliveries=240,
    receivers=(8,),
    due_items=200,
    purchases=dict.fromkeys(STORES, (5_000,)),
    spend_requests=20,
    audit_entries=20_000,
    audit_requests=20,
    history_days=30,
    pages=20,
    imports=3,
)
_MILLION: Final = 1_000_000


def _settings(stores: Sequence[StoreName]) -> dict[str, str] | None:
    if "postgres" not in stores:
        return None
    try:
        return postgres_settings()
    except CannotRun as reason:
        click.echo(f"postgres: {reason}")
        return None


def _with_million(amount: Amount) -> Amount:
    players = {store: sorted({*sizes, _MILLION}) for store, sizes in amount.players.items()}
    return attrs.evolve(amount, players=players)


def _part_of(amount: Amount, part: float) -> Amount:
    """So much of everything: fewer requests, and no size beyond that part of the largest."""

    def fewer(count: int) -> int:
        return max(1, round(count * part))

    def smaller(sizes: Sequence[int]) -> tuple[int, ...]:
        return tuple(size for size in sizes if size <= max(sizes) * part) or (min(sizes),)

    return attrs.evolve(
        amount,
        requests=fewer(amount.requests),
        board=fewer(amount.board),
        readers=fewer(amount.readers),
        followed_seconds=fewer(amount.followed_seconds),
        core_gifts=fewer(amount.core_gifts),
        core_players=smaller(amount.core_players),
        core_requests=fewer(amount.core_requests),
        growth_requests=fewer(amount.growth_requests),
        players={store: smaller(sizes) for store, sizes in amount.players.items()},
        deliveries=fewer(amount.deliveries),
        due_items=fewer(amount.due_items),
        purchases={store: smaller(sizes) for store, sizes in amount.purchases.items()},
        spend_requests=fewer(amount.spend_requests),
        audit_entries=fewer(amount.audit_entries),
        audit_requests=fewer(amount.audit_requests),
        history_days=fewer(amount.history_days),
        pages=fewer(amount.pages),
    )


def _command() -> str:
    return shlex.join(["python", "-m", "tests.programs.bench", *sys.argv[1:]])


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Fewer requests and players.")
@click.option("--part", type=click.FloatRange(0.0, 1.0, min_open=True), default=1.0, help="So much of everything.")
@click.option("--only", type=click.Choice(list(PARTS)), multiple=True, help="Only this part.")
@click.option("--store", type=click.Choice(STORES), multiple=True, help="Only this store.")
@click.option("--workers", type=click.IntRange(1, 64), multiple=True, help="Only this many; by default 1 and 2.")
@click.option("--scenario", type=click.Choice(list(SCENARIOS)), multiple=True, help="Only this scenario over HTTP.")
@click.option("--million", is_flag=True, help="A million players on PostgreSQL as well; some minutes more.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Where to write the figures.")
@click.option("--publish", "published", is_flag=True, help="Write into docs/benchmarks; with `--only`, these parts.")
@click.option("--redraw", is_flag=True, help="Measure nothing: make tables and pictures from the published figures.")
def main(
    *,
    quick: bool,
    part: float,
    only: tuple[str, ...],
    store: tuple[StoreName, ...],
    workers: tuple[int, ...],
    scenario: tuple[str, ...],
    million: bool,
    target: Path | None,
    published: bool,
    redraw: bool,
) -> None:
    """Measure what was asked for."""
    if redraw:
        _write(published_figures())
        return
    amount = _part_of(_QUICK if quick else _FULL, part)
    asked = Asked(
        amount=_with_million(amount) if million else amount,
        stores=store or STORES,
        workers=workers or (1, 2),
        scenarios=scenario or tuple(SCENARIOS),
    )
    with started_server():
        described, settings = machine.describe(), _settings(asked.stores)
        for name, value in described.items():
            click.echo(f"{name:28}{value}")
        for name, value in (settings or {}).items():
            click.echo(f"{'postgres ' + name:28}{value}")
        found: dict[str, Any] = {}
        for name, measure in PARTS.items():
            if not only or name in only:
                found |= measure(asked)
    figures = Figures(command=_command(), machine=described, postgres=settings, not_run=asked.not_run, **found)
    if target is not None:
        target.write_text(json.dumps(attrs.asdict(figures), indent=2) + "\n")
    if published:
        _write(published_figures().with_parts_of(figures, only, found) if only else figures)


def _write(figures: Figures) -> None:
    for path in publish(figures):
        click.echo(f"wrote {path}")


if __name__ == "__main__":
    sys.exit(main())
