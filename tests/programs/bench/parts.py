"""The parts of a run, each with its table. What cannot run here says so and leaves the rest alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final, TypeVar

import attrs
import click

from tests.programs.bench import (
    audit,
    boards,
    closing,
    deliveries,
    due_items,
    growth,
    import_time,
    in_process,
    over_http,
    player_page,
    readers,
    spend,
)
from tests.programs.bench.databases import CannotRun, StoreName
from tests.programs.bench.figures import NotRun
from tests.programs.bench.naming import series_title
from tests.programs.bench.tables import (
    AUDIT,
    CLOSING,
    CORE_GROWTH,
    COSTS,
    DELIVERIES,
    DUE,
    GROWTH,
    HTTP,
    PLAYER_PAGE,
    READERS,
    SPEND,
    Column,
    head,
    line,
)

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Amount:
    """How much is measured."""

    requests: int
    """Reads of a scenario over HTTP; a quarter as many writes."""
    board: int
    """Entries on a leaderboard."""
    readers: int
    """Connections that follow a live leaderboard."""
    followed_seconds: int
    core_gifts: int
    core_players: Sequence[int]
    core_requests: int
    """Of each sort at each size."""
    growth_requests: int
    players: Mapping[StoreName, Sequence[int]]
    deliveries: int
    receivers: Sequence[int]
    """How many endpoints a game has: the sender makes at most four attempts to one at a time."""
    due_items: int
    purchases: Mapping[StoreName, Sequence[int]]
    spend_requests: int
    """Of each question."""
    audit_entries: int
    audit_requests: int
    """Of each search."""
    history_days: int
    """Of the player whose page is read."""
    pages: int
    """How often it is read."""
    imports: int


@attrs.frozen(kw_only=True)
class Asked:
    """What is to be measured."""

    amount: Amount
    stores: Sequence[StoreName]
    workers: Sequence[int]
    scenarios: Sequence[str]
    not_run: list[NotRun] = attrs.field(factory=list)
    """Filled while the parts run."""

    def each(self, part: str, measure: Callable[[StoreName, int], None], workers: Sequence[int] = ()) -> None:
        """Measure each store with each number of workers; what cannot run is noted and said."""
        for store, number in product(self.stores, workers or self.workers):
            try:
                measure(store, number)
            except CannotRun as reason:
                self.not_run.append(NotRun(part=part, store=store, workers=number, reason=str(reason)))
                click.echo(f"{series_title(store, number)}: could not run: {reason}")


class _Rows(list[T]):
    """Rows that are printed as they come in, under the titles of their columns."""

    def __init__(self, columns: Sequence[Column[T]]) -> None:
        super().__init__()
        self._columns = columns
        click.echo(f"\n{head(columns)}")

    def add(self, row: T) -> None:
        """Keep and print a row."""
        self.append(row)
        click.echo(line(self._columns, row))


def _http(asked: Asked) -> dict[str, object]:
    rows = _Rows(HTTP)

    def measure(store: StoreName, workers: int) -> None:
        over_http.measure(store, workers, asked.amount.requests, scenarios=asked.scenarios, told=rows.add)

    asked.each("http", measure)
    costs = _Rows(COSTS)
    for row in rows:
        costs.add(row)
    return {"http": list(rows)}


def _boards(asked: Asked) -> dict[str, object]:
    rows = _Rows(HTTP)

    def measure(store: StoreName, _: int) -> None:
        boards.measure(store, asked.amount.board, asked.amount.requests, told=rows.add)

    asked.each("boards", measure, workers=(1,))
    return {"boards": list(rows)}


def _closing(asked: Asked) -> dict[str, object]:
    rows = _Rows(CLOSING)
    asked.each("closing", lambda store, _: rows.add(closing.measure(store, asked.amount.board)), workers=(1,))
    return {"closing": list(rows)}


def _readers(asked: Asked) -> dict[str, object]:
    rows = _Rows(READERS)
    amount = asked.amount

    def measure(store: StoreName, _: int) -> None:
        rows.add(readers.measure(store, amount.readers, 50, amount.followed_seconds))

    asked.each("readers", measure, workers=(1,))
    return {"readers": list(rows)}


def _growth(asked: Asked) -> dict[str, object]:
    rows = _Rows(GROWTH)

    def measure(store: StoreName, _: int) -> None:
        growth.measure(store, asked.amount.players[store], asked.amount.growth_requests, told=rows.add)

    asked.each("growth", measure, workers=(1,))
    return {"growth": list(rows)}


def _webhooks(asked: Asked) -> dict[str, object]:
    rows = _Rows(DELIVERIES)

    def measure(store: StoreName, workers: int) -> None:
        for receivers in asked.amount.receivers:
            rows.add(deliveries.measure(store, workers, asked.amount.deliveries, receivers))

    asked.each("webhooks", measure)
    return {"webhooks": list(rows)}


def _due(asked: Asked) -> dict[str, object]:
    rows = _Rows(DUE)
    asked.each("due", lambda store, workers: rows.add(due_items.measure(store, workers, asked.amount.due_items)))
    return {"due": list(rows)}


def _spend(asked: Asked) -> dict[str, object]:
    rows = _Rows(SPEND)

    def measure(store: StoreName, _: int) -> None:
        spend.measure(store, asked.amount.purchases[store], asked.amount.spend_requests, told=rows.add)

    asked.each("spend", measure, workers=(1,))
    return {"spend": list(rows)}


def _audit(asked: Asked) -> dict[str, object]:
    rows = _Rows(AUDIT)
    amount = asked.amount

    def measure(store: StoreName, _: int) -> None:
        audit.measure(store, amount.audit_entries, amount.audit_requests, told=rows.add)

    asked.each("audit", measure, workers=(1,))
    return {"audit": list(rows)}


def _player_page(asked: Asked) -> dict[str, object]:
    rows = _Rows(PLAYER_PAGE)
    amount = asked.amount

    def measure(store: StoreName, _: int) -> None:
        rows.add(player_page.measure(store, amount.history_days, amount.pages))

    asked.each("player_page", measure, workers=(1,))
    return {"player_page": list(rows)}


def _core(asked: Asked) -> dict[str, object]:
    rate = in_process.gift_path(asked.amount.core_gifts)
    click.echo(f"\ncore alone, gift path: {rate:.0f} requests a second of processor time (target 15000)")
    rows = in_process.growth(asked.amount.core_players, asked.amount.core_requests)
    shown = _Rows(CORE_GROWTH)
    for row in rows:
        shown.add(row)
    return {"core_gift_path_per_second": rate, "core_growth": rows}


def _import(asked: Asked) -> dict[str, object]:
    return {"import_ratios": import_time.shown(asked.amount.imports)}


PARTS: Final[Mapping[str, Callable[[Asked], dict[str, object]]]] = {
    "http": _http,
    "boards": _boards,
    "closing": _closing,
    "readers": _readers,
    "growth": _growth,
    "webhooks": _webhooks,
    "due": _due,
    "spend": _spend,
    "audit": _audit,
    "player_page": _player_page,
    "core": _core,
    "import": _import,
}
"""By the word that `--only` takes; each gives fields of `Figures`."""
