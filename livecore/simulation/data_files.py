"""The data of a run as tables, for a spreadsheet or a notebook: what the report shows, and more.

Each file is text with a header. The rows are sorted, so equal runs give equal bytes.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from livecore.simulation.observed import Observed

Cell = str | int | float


def tables_of(observed: Observed) -> Mapping[str, str]:
    """The files of one run by their names: `daily.csv`, `flows.csv`, `balances.csv`, `gifts.csv` and others."""
    return {
        "daily.csv": _table(
            (
                "day",
                "behaviour",
                "registered",
                "active",
                "sessions",
                "churned",
                "came_back",
                "purchases",
                "revenue_cents",
            ),
            _daily(observed),
        ),
        "flows.csv": _table(("day", "resource", "cause", "behaviour", "amount"), _flows(observed)),
        "supply.csv": _table(
            ("day", "resource", "amount"),
            ((day, key, amount) for key, days in sorted(observed.supply.items()) for day, amount in enumerate(days)),
        ),
        "balances.csv": _table(
            ("resource", "place", "balance"),
            ((key, place, one) for key, many in sorted(observed.balances.items()) for place, one in enumerate(many)),
        ),
        "gifts.csv": _table(
            ("resource", "sent", "claimed", "expired", "amount_sent", "amount_claimed", "cost_nothing"),
            (
                (key, one.sent, one.claimed, one.expired, one.amount_sent, one.amount_claimed, one.free)
                for key, one in sorted(observed.gifts.items())
            ),
        ),
        "windows.csv": _table(
            ("event", "starts_on", "ends_on", "active_players", "players", "started", "completed", "expired", "ranked"),
            _windows(observed),
        ),
        "refusals.csv": _table(
            ("operation", "code", "behaviour", "count"),
            ((*key, count) for key, count in sorted(observed.refusals.items())),
        ),
        "webhooks.csv": _table(
            ("day", "event", "count"), ((*key, count) for key, count in sorted(observed.webhooks.items()))
        ),
    }


def _daily(observed: Observed) -> Iterator[Sequence[Cell]]:
    purchases = Counter[tuple[int, str]]()
    for (day, _, behaviour), count in observed.purchases.items():
        purchases[day, behaviour] += count
    for day in range(observed.days):
        for behaviour in observed.behaviours:
            key = (day, behaviour)
            yield (
                *key,
                observed.registered[key],
                observed.active[key],
                observed.sessions[key],
                observed.churned[key],
                observed.came_back[key],
                purchases[key],
                observed.revenue[key],
            )


def _flows(observed: Observed) -> list[tuple[Cell, ...]]:
    """What came is positive, what went negative; the two are rows of their own."""
    rows = [(*key, amount) for key, amount in observed.gained.items()]
    rows += [(*key, -amount) for key, amount in observed.spent.items()]
    return sorted(rows)


def _windows(observed: Observed) -> Iterator[Sequence[Cell]]:
    for one in observed.windows:
        ends = "" if one.ends_on is None else one.ends_on
        counts = (one.active_players, one.players, one.started, one.completed, one.expired, one.ranked)
        yield (one.event, one.starts_on, ends, *counts)


def _table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
