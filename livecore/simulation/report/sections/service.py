"""What was refused, and what a backend receives."""

from __future__ import annotations

from collections import Counter

from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import short, stacked
from livecore.simulation.report.markup import EMPTY, Markup, figure, section, table, tag, text
from livecore.simulation.report.words import count, daily, day_labels, facts


def refusals(outcome: Outcome) -> Markup:
    """Refused calls by code, operation and behaviour."""
    run, behaviours = outcome.runs[0], list(outcome.runs[0].behaviours)
    found: dict[tuple[str, str], Counter[str]] = {}
    for (operation, code, behaviour), number in run.refusals.items():
        found.setdefault((operation, code), Counter())[behaviour] += number
    rows = [
        (
            tag("code", text(operation)),
            tag("code", text(code)),
            text(count(sum(counted.values()))),
            *(text(count(counted[behaviour]) if counted[behaviour] else "") for behaviour in behaviours),
        )
        for (operation, code), counted in sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
    header = ("Operation", "Code", "All", *behaviours)
    return section("refusals", "Refusals", table(header, rows, numbers=range(2, len(header))) if rows else None)


def webhooks(outcome: Outcome) -> Markup:
    """Events by kind: how many a day, and how large."""
    run = outcome.runs[0]
    kinds = Counter[str]()
    for (_, kind), number in run.webhooks.items():
        kinds[kind] += number
    days = max(run.days, 1)
    rows = [
        (
            tag("code", text(kind)),
            text(count(number)),
            text(count(number / days)),
            text(f"{short(run.webhook_bytes[kind] / number)}B"),
            text(f"{short(run.webhook_bytes[kind] / days)}B"),
        )
        for kind, number in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    ]
    if not rows:
        return EMPTY
    header = ("Event", "In all", "A day", "Size", "Bytes a day")
    total = sum(kinds.values())
    return section(
        "webhooks",
        "Webhooks: what a backend receives that subscribes to all",
        facts(
            [
                ("events a day", count(total / days)),
                ("on the busiest day", count(max(_each_day(outcome), default=0))),
                ("bytes a day", f"{short(sum(run.webhook_bytes.values()) / days)}B"),
            ]
        ),
        figure("Events by day and kind", stacked("Events by day", day_labels(run), daily(run.webhooks, run.days))),
        table(header, rows, numbers=range(1, 5)),
    )


def _each_day(outcome: Outcome) -> list[int]:
    days = Counter[int]()
    for (day, _), number in outcome.runs[0].webhooks.items():
        days[day] += number
    return list(days.values())
