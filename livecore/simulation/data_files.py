"""The data of a run as tables, for a spreadsheet or a notebook: what the report shows, and more.

Each file is text with a header. The rows are sorted, so equal runs give equal bytes.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from livecore.simulation.observed import Observed

Cell: TypeAlias = str | int | float
_HEADERS: Final = {
    "daily": (
        "day", "behaviour", "registered", "active", "sessions", "churned", "came_back", "purchases", "revenue_cents",
    ),
    "flows": ("day", "resource", "cause", "behaviour", "amount"),
    "supply": ("day", "resource", "amount"),
    "balances": ("resource", "place", "balance"),
    "gifts": ("resource", "sent", "claimed", "expired", "amount_sent", "amount_claimed", "cost_nothing"),
    "windows": (
        "event", "starts_on", "ends_on", "active_players", "players", "started", "completed", "expired", "ranked",
    ),
    "refusals": ("operation", "code", "behaviour", "count"),
    "webhooks": ("day", "event", "count"),
}  # fmt: skip


def tables_of(observed: Observed) -> Mapping[str, str]:
    """The files of one run by their names: `daily.csv`, `flows.csv`, `balances.csv`, `gifts.csv` and others."""
    rows: Mapping[str, Iterable[Sequence[Cell]]] = {
        "daily": _daily(observed),
        "flows": _flows(observed),
        "supply": [(day, key, one) for key, days in sorted(observed.supply.items()) for day, one in enumerate(days)],
        "balances": [(key, at, one) for key, many in sorted(observed.balances.items()) for at, one in enumerate(many)],
        "gifts": [
            (key, one.sent, one.claimed, one.expired, one.amount_sent, one.amount_claimed, one.free)
            for key, one in sorted(observed.gifts.items())
        ],
        "windows": _windows(observed),
        "refusals": [(*key, count) for key, count in sorted(observed.refusals.items())],
        "webhooks": [(*key, count) for key, count in sorted(observed.webhooks.items())],
    }
    return {f"{name}.csv": _table(_HEADERS[name], found) for name, found in rows.items()}


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


class _Text(list[str]):
    """What a writer of CSV has written."""

    write = list[str].append


def _table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    text = _Text()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return "".join(text)
