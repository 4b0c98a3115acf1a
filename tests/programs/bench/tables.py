"""The rows as tables: lines to read while they come in, and Markdown for the documentation, from one list of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar

import attrs

from tests.programs.bench.figures import (
    AuditRow,
    ClosingRow,
    CoreGrowthRow,
    DeliveriesRow,
    DueRow,
    GrowthRow,
    HttpRow,
    PlayerPageRow,
    ReadersRow,
    SpendRow,
)
from tests.programs.bench.naming import STORE_TITLES

R = TypeVar("R")
_NONE: Final = "-"


@attrs.frozen
class Column(Generic[R]):
    """A title, a width in characters, and how a row shows in it."""

    title: str
    show: Callable[[R], str]
    width: int = 9


def head(columns: Sequence[Column[Any]]) -> str:
    """The titles."""
    return "".join(_fit(column, column.title) for column in columns)


def line(columns: Sequence[Column[Any]], row: object) -> str:
    """One row."""
    return "".join(_fit(column, column.show(row)) for column in columns)


def _fit(column: Column[Any], text: str) -> str:
    """Words to the left, numbers to the right."""
    width = max(column.width, len(column.title) + 2)
    return text.ljust(width) if column.width > 9 else text.rjust(width - 1) + " "


def markdown(columns: Sequence[Column[Any]], rows: Sequence[Any]) -> str:
    """A table."""
    titles = " | ".join(column.title for column in columns)
    rule = "|".join("---" if column.width > 9 else "---:" for column in columns)
    body = [" | ".join(column.show(row) for column in columns) for row in rows]
    return "\n".join(f"| {text} |" for text in (titles, *body)).replace("|\n", f"|\n|{rule}|\n", 1) + "\n"


def _number(value: float | None, digits: int = 0) -> str:
    return _NONE if value is None else f"{value:,.{digits}f}"


def _each_us(seconds: float | None, count: int) -> str:
    return _number(None if seconds is None or not count else seconds / count * 1e6)


_STORE: Final = Column[Any]("store", lambda row: STORE_TITLES[row.store], 11)
_WORKERS: Final = Column[Any]("workers", lambda row: str(row.workers), 8)
_SCENARIO: Final = Column[Any]("scenario", lambda row: row.scenario, 20)
_RATE: Final = Column[Any]("req/s", lambda row: _number(row.per_second))
_P99: Final = Column[Any]("p99 ms", lambda row: _number(row.p99_ms, 1))

HTTP: Final[Sequence[Column[HttpRow]]] = (
    _STORE,
    _WORKERS,
    _SCENARIO,
    _RATE,
    Column("p50 ms", lambda row: _number(row.p50_ms, 1)),
    Column("p95 ms", lambda row: _number(row.p95_ms, 1)),
    _P99,
    Column("of bare", lambda row: _number(row.bare_share, 2)),
    Column("of 2.8 kB", lambda row: _number(row.reference_share, 2)),
    Column("target", lambda row: _number(row.target_share, 2)),
    Column("bare tx/s", lambda row: _number(row.transactions_per_second)),
    Column("of bare tx", lambda row: _number(row.transaction_share, 2)),
)
COSTS: Final[Sequence[Column[HttpRow]]] = (
    _STORE,
    _WORKERS,
    _SCENARIO,
    Column("body bytes", lambda row: _number(row.body_bytes)),
    Column("reads", lambda row: _number(row.reads, 1)),
    Column("writes", lambda row: _number(row.writes, 1)),
    Column("server CPU µs", lambda row: _number(row.server_cpu_us)),
    Column("server MB", lambda row: _number(row.server_memory_mb)),
    Column("database CPU µs", lambda row: _each_us(row.database_cpu_seconds, row.requests)),
    Column("database MB", lambda row: _number(row.database_memory_mb)),
    Column("generator CPU µs", lambda row: _each_us(row.generator_cpu_seconds, row.requests)),
    Column("generator core", lambda row: _number(row.generator_cpu_share, 2)),
    Column("generator MB", lambda row: _number(row.generator_memory_mb)),
)
GROWTH: Final[Sequence[Column[GrowthRow]]] = (
    _STORE,
    Column("players", lambda row: _number(row.players)),
    _SCENARIO,
    _RATE,
    Column("p50 ms", lambda row: _number(row.p50_ms, 1)),
    _P99,
    Column("server CPU µs", lambda row: _number(row.server_cpu_us)),
    Column("server MB", lambda row: _number(row.server_memory_mb)),
    Column("on disk MB", lambda row: _number(row.database_mb)),
)
CORE_GROWTH: Final[Sequence[Column[CoreGrowthRow]]] = (
    Column("players", lambda row: _number(row.players)),
    Column("profile µs", lambda row: _number(row.profile_us, 1)),
    Column("friends µs", lambda row: _number(row.friends_us, 1)),
    Column("gift µs", lambda row: _number(row.gift_us, 1)),
)
DELIVERIES: Final[Sequence[Column[DeliveriesRow]]] = (
    _STORE,
    _WORKERS,
    Column("endpoints", lambda row: _number(row.endpoints)),
    Column("deliveries", lambda row: _number(row.deliveries)),
    Column("deliveries/s", lambda row: _number(row.per_second)),
    Column("repeated", lambda row: _number(row.repeated)),
    Column("server CPU µs", lambda row: _each_us(row.server_cpu_seconds, row.deliveries)),
    Column("database CPU µs", lambda row: _each_us(row.database_cpu_seconds, row.deliveries)),
)
DUE: Final[Sequence[Column[DueRow]]] = (
    _STORE,
    _WORKERS,
    Column("items", lambda row: _number(row.items)),
    Column("items/s", lambda row: _number(row.per_second)),
    Column("server CPU µs", lambda row: _each_us(row.server_cpu_seconds, row.items)),
    Column("database CPU µs", lambda row: _each_us(row.database_cpu_seconds, row.items)),
)
CLOSING: Final[Sequence[Column[ClosingRow]]] = (
    _STORE,
    Column("attempts", lambda row: _number(row.attempts)),
    Column("seconds", lambda row: _number(row.seconds, 1)),
    Column("list p50 ms", lambda row: _number(row.list_p50_ms, 1)),
    Column("list p99 ms", lambda row: _number(row.list_p99_ms, 1)),
    Column("list max ms", lambda row: _number(row.list_max_ms, 1)),
    Column("server MB", lambda row: _number(row.server_memory_mb)),
)
READERS: Final[Sequence[Column[ReadersRow]]] = (
    _STORE,
    Column("readers", lambda row: _number(row.readers)),
    Column("changes/s", lambda row: _number(row.changes_per_second)),
    Column("messages/s", lambda row: _number(row.messages_per_second)),
    Column("true", lambda row: _number(row.true_readers)),
    Column("lost", lambda row: _number(row.lost_readers)),
    Column("profile p50 ms", lambda row: _number(row.profile_p50_ms, 1)),
    Column("profile p99 ms", lambda row: _number(row.profile_p99_ms, 1)),
    Column("server core", lambda row: _number(row.server_cpu_share, 2)),
    Column("idle MB", lambda row: _number(row.idle_memory_mb)),
    Column("connected MB", lambda row: _number(row.connected_memory_mb)),
    Column("server MB", lambda row: _number(row.server_memory_mb)),
)
_TIMES: Final[Sequence[Column[Any]]] = (
    Column("first ms", lambda row: _number(row.first_ms, 1)),
    Column("p50 ms", lambda row: _number(row.p50_ms, 1)),
    _P99,
)
SPEND: Final[Sequence[Column[SpendRow]]] = (
    _STORE,
    Column("players", lambda row: _number(row.players)),
    Column("purchases", lambda row: _number(row.purchases), 10),
    Column("question", lambda row: row.question, 25),
    *_TIMES,
    Column("CPU ms", lambda row: _number(row.cpu_ms, 1)),
    Column("target ms", lambda row: _number(row.target_ms)),
)
PLAYER_PAGE: Final[Sequence[Column[PlayerPageRow]]] = (
    _STORE,
    Column("days", lambda row: _number(row.days)),
    Column("ledger entries", lambda row: _number(row.ledger_entries)),
    Column("gifts", lambda row: _number(row.gifts)),
    Column("page kB", lambda row: _number(row.page_bytes / 1000, 1)),
    *_TIMES,
    Column("server CPU ms", lambda row: _number(row.cpu_ms, 1)),
    Column("target ms", lambda row: _number(row.target_ms)),
)
AUDIT: Final[Sequence[Column[AuditRow]]] = (
    _STORE,
    Column("entries", lambda row: _number(row.entries), 10),
    Column("search", lambda row: row.question, 30),
    Column("found", lambda row: _number(row.found)),
    *_TIMES,
    Column("CPU ms", lambda row: _number(row.cpu_ms, 1)),
    Column("target ms", lambda row: _number(row.target_ms)),
)
