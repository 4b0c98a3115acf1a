"""Writes a run's figures into the documentation: as JSON, as tables, and as pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import attrs
import cattrs

from tests.programs.bench import tables
from tests.programs.bench.chart import Bars, Lines, Panel, picture
from tests.programs.bench.figures import Figures, GrowthRow, HttpRow
from tests.programs.bench.naming import STORE_TITLES, series_title

FOLDER: Final = Path(__file__).parents[3] / "docs" / "benchmarks"


def publish(figures: Figures, folder: Path = FOLDER) -> list[Path]:
    """Write everything; gives the files. The picture of a part that was not measured is left as it is."""
    folder.mkdir(exist_ok=True)
    texts = {
        "figures.json": json.dumps(attrs.asdict(figures), indent=2) + "\n",
        # Not .md: it is a part of a page, and no page.
        "tables.inc": "\n".join(_sections(figures)),
    }
    if figures.http:
        texts["http.svg"] = picture(_http_panels(figures.http), title="Throughput and latency")
    if figures.growth:
        texts["growth.svg"] = picture(_growth_panels(figures.growth), title="Growth")
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def published_figures(folder: Path = FOLDER) -> Figures:
    """The figures that were published last."""
    return cattrs.structure(json.loads((folder / "figures.json").read_text("utf-8")), Figures)


# -- tables


def _sections(figures: Figures) -> Iterator[str]:
    yield from _machine(figures)
    for title, columns, rows in (
        ("Over HTTP", tables.HTTP, figures.http),
        ("What it costs", tables.COSTS, figures.http),
        ("Events and leaderboards", tables.HTTP, figures.boards),
        ("The close of a window", tables.CLOSING, figures.closing),
        ("Readers of a live leaderboard", tables.READERS, figures.readers),
        ("As a game grows", tables.GROWTH, figures.growth),
        ("Webhook deliveries", tables.DELIVERIES, figures.webhooks),
        ("Due work", tables.DUE, figures.due),
        ("Spend and revenue", tables.SPEND, figures.spend),
        ("Searching the audit trail", tables.AUDIT, figures.audit),
        ("The portal's page about a player", tables.PLAYER_PAGE, figures.player_page),
        ("The core alone, as a game grows", tables.CORE_GROWTH, figures.core_growth),
    ):
        if rows:
            yield _section(title, columns, rows)
    if figures.core_gift_path_per_second is not None:
        rate = figures.core_gift_path_per_second
        yield f"The core alone, on the way of a gift: {rate:,.0f} requests a second of processor time.\n"
    if figures.import_ratios:
        yield "### Imports\n\n| import | times httpx |\n|---|---:|"
        yield "\n".join(f"| {name} | {ratio:.2f} |" for name, ratio in figures.import_ratios.items()) + "\n"
    if figures.not_run:
        yield "### What could not run\n"
        yield "\n".join(
            f"- {row.part}, {series_title(row.store, row.workers)}: {row.reason}" for row in figures.not_run
        ) + "\n"  # fmt: skip


def _section(title: str, columns: Sequence[tables.Column[Any]], rows: Sequence[Any]) -> str:
    return f"### {title}\n\n{tables.markdown(columns, rows)}"


def _machine(figures: Figures) -> Iterator[str]:
    yield f"Measured with `{figures.command}` on:\n\n| | |\n|---|---|"
    facts = {**figures.machine, **{f"PostgreSQL: {name}": value for name, value in (figures.postgres or {}).items()}}
    yield "\n".join(f"| {name} | {value} |" for name, value in facts.items()) + "\n"
    for one in figures.renewed:
        parts = ", ".join(f"`{part}`" for part in one.parts)
        others = [f"{name} {value}" for name, value in one.machine.items() if figures.machine.get(name) != value]
        where = f", on another machine: {', '.join(others)}" if others else ""
        yield f"Measured later with `{one.command}`{where}: {parts}.\n"


# -- pictures


def _http_panels(rows: Sequence[HttpRow]) -> list[Panel]:
    # Also what could not run, so that each keeps its colour.
    series = list(product(dict.fromkeys(row.store for row in rows), sorted({row.workers for row in rows})))
    groups = list(dict.fromkeys(row.scenario for row in rows))
    by_place = {(row.store, row.workers, row.scenario): row for row in rows}

    def bars(value: str) -> list[tuple[str, list[float | None]]]:
        return [
            (
                series_title(store, workers),
                [getattr(by_place.get((store, workers, group)), value, None) for group in groups],
            )
            for store, workers in series
        ]

    return [
        Bars("Requests a second (more is better)", groups, bars("per_second")),
        Bars("p99 latency in ms (less is better)", groups, bars("p99_ms")),
    ]


def _growth_panels(rows: Sequence[GrowthRow]) -> list[Panel]:
    return [
        Lines(
            f"{STORE_TITLES[store]}: requests a second by players in the game",
            [
                (
                    scenario,
                    [(row.players, row.per_second) for row in rows if (row.store, row.scenario) == (store, scenario)],
                )
                for scenario in dict.fromkeys(row.scenario for row in rows)
            ],
        )
        for store in dict.fromkeys(row.store for row in rows)
    ]
