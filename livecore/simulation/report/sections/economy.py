"""Each resource: where it comes from, where it goes, who holds it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from livecore.simulation.figures import MOVED, by_cause, gini, not_moved
from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import bars, lines, short, stacked
from livecore.simulation.report.markup import EMPTY, Markup, figure, joined, section, table, tag, text
from livecore.simulation.report.words import (
    by_day,
    cause_name,
    count,
    day_labels,
    facts,
    names_of,
    percent,
)

_BINS = 16


def economy(outcome: Outcome) -> Markup:
    """A part for each resource that anybody got."""
    names = names_of(outcome.config)
    return section("economy", "Economy", *(_resource(outcome, key, names.get(key, key)) for key in _resources(outcome)))


def _resources(outcome: Outcome) -> list[str]:
    run = outcome.runs[0]
    flowed = {resource for _, resource, _, _ in (*run.gained, *run.spent)}
    return [key for key in names_of(outcome.config) if key in flowed]


def _resource(outcome: Outcome, resource: str, name: str) -> Markup:
    run, labels = outcome.runs[0], day_labels(outcome.runs[0])
    gained, spent = by_day(run.gained, resource, run.days), by_day(run.spent, resource, run.days)
    series = {cause_name(cause): values for cause, values in gained.items() if cause not in MOVED}
    for cause, values in spent.items():
        if cause not in MOVED:
            shown = cause_name(cause)
            before = series.get(shown, [0.0] * run.days)
            series[shown] = [old - new for old, new in zip(before, values, strict=True)]
    balances = run.balances.get(resource, [])
    return joined(
        [
            tag("h3", text(name), id=resource.replace(":", "-")),
            facts(
                [
                    ("held at the end", count(run.supply.get(resource, [0])[-1])),
                    ("waiting in grants and gifts", count(run.waiting.get(resource, 0))),
                    ("Gini coefficient", f"{gini(balances):.2f}"),
                    ("median", count(balances[len(balances) // 2]) if balances else "-"),
                    ("richest", count(balances[-1]) if balances else "-"),
                ]
            ),
            figure(f"{name} in (above) and out (below), by day", stacked(f"{name} in and out by day", labels, series)),
            figure(
                f"{name} that all players hold", lines(f"{name} held", labels, {name: run.supply.get(resource, [])})
            ),
            _causes(outcome, resource),
            _distribution(name, balances),
        ]
    )


def _causes(outcome: Outcome, resource: str) -> Markup:
    run = outcome.runs[0]
    gained, spent = by_cause(run.gained, resource), by_cause(run.spent, resource)
    total_in, total_out = (not_moved(flows, resource).total() for flows in (run.gained, run.spent))
    rows = []
    for cause in sorted({*gained, *spent}, key=lambda one: (-gained[one] - spent[one], one)):
        moved = cause in MOVED
        rows.append(
            (
                text(f"{cause_name(cause)} (moved)" if moved else cause_name(cause)),
                text(count(gained[cause]) if gained[cause] else ""),
                text(percent(gained[cause] / total_in) if gained[cause] and not moved and total_in else ""),
                text(count(spent[cause]) if spent[cause] else ""),
                text(percent(spent[cause] / total_out) if spent[cause] and not moved and total_out else ""),
            )
        )
    return table(("Cause", "In", "Share", "Out", "Share"), rows, numbers=range(1, 5))


def _distribution(name: str, balances: Sequence[int]) -> Markup:
    if not balances or not balances[-1]:
        return EMPTY
    top = balances[max(0, (len(balances) * 99) // 100 - 1)] or balances[-1]
    width = max(1, -(-top // _BINS))
    edges = [width * place for place in range(_BINS + 1)]
    places = [bisect_left(balances, edge) for edge in edges]
    counted = [later - earlier for earlier, later in pairwise(places)]
    labels = [f"{short(edge)}" for edge in edges[:-1]]
    beyond = len(balances) - places[-1]
    return figure(
        f"Players by their {name} at the end"
        + (f" ({count(beyond)} hold {short(edges[-1])} or more)" if beyond else ""),
        bars(f"Players by their {name}", labels, counted),
    )
