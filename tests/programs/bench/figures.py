"""The figures as they are written to JSON: one flat row for each thing that was measured. `null`: does not apply.

`docs/benchmarks.md` explains every field to whoever reads the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tests.programs.bench.databases import StoreName


@attrs.frozen(kw_only=True)
class NotRun:
    """What could not be measured here, and why."""

    part: str
    store: StoreName
    workers: int
    reason: str


@attrs.frozen(kw_only=True)
class HttpRow:
    """One scenario over HTTP, on one store, with so many server processes."""

    store: StoreName
    workers: int
    scenario: str
    requests: int
    connections: int
    body_bytes: int
    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    bare_per_second: float
    """The bare handler with a body of the same size, right after."""
    bare_share: float
    reference_per_second: float
    """The bare handler with a body of 2,800 bytes, in the same run."""
    reference_share: float
    target_share: float | None
    """The share of the reference to reach; for one process on SQLite."""
    server_cpu_seconds: float
    server_cpu_us: float
    """For one request."""
    server_memory_mb: float
    generator_cpu_seconds: float
    generator_cpu_share: float
    """Of one core, while the scenario ran: near 1, it is the load generator that was measured."""
    generator_memory_mb: float
    database_cpu_seconds: float | None
    database_memory_mb: float | None
    reads: float | None
    """Statements of one request's transaction, on average."""
    writes: float | None
    transactions_per_second: float | None
    """The bare PostgreSQL transaction with as many statements."""
    transaction_share: float | None


@attrs.frozen(kw_only=True)
class CoreGrowthRow:
    """Microseconds of processor for one request of the core alone, in memory, with so many players in the game."""

    players: int
    profile_us: float
    friends_us: float
    gift_us: float


@attrs.frozen(kw_only=True)
class GrowthRow:
    """One scenario with so many players in the game; one server process."""

    store: StoreName
    players: int
    database_mb: float
    """On disk, before the scenarios."""
    scenario: str
    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    server_cpu_us: float
    server_memory_mb: float


@attrs.frozen(kw_only=True)
class DeliveriesRow:
    """Webhook deliveries that waited when the server started, to so many endpoints."""

    store: StoreName
    workers: int
    endpoints: int
    deliveries: int
    repeated: int
    """How many came more than once."""
    per_second: float
    server_cpu_seconds: float
    server_memory_mb: float
    database_cpu_seconds: float | None


@attrs.frozen(kw_only=True)
class DueRow:
    """Due items that waited when the server started; those that ran before it was ready are not counted."""

    store: StoreName
    workers: int
    items: int
    per_second: float
    server_cpu_seconds: float
    database_cpu_seconds: float | None


@attrs.frozen(kw_only=True)
class ClosingRow:
    """The close of a window of an event, in which every attempt expires and every rank is paid."""

    store: StoreName
    attempts: int
    seconds: float
    list_p50_ms: float
    """Of a list of 20 friends that was asked for some 40 times a second meanwhile."""
    list_p99_ms: float
    list_max_ms: float
    server_memory_mb: float


@attrs.frozen(kw_only=True)
class ReadersRow:
    """A live leaderboard of a thousand players with many readers."""

    store: StoreName
    readers: int
    changes_per_second: float
    seconds: int
    messages_per_second: float
    """To all readers together; waiting changes of one entry are sent as one."""
    true_readers: int
    """How many ended with the true board, without having missed anything."""
    lost_readers: int
    profile_p50_ms: float
    """Of a profile that was asked for some 40 times a second meanwhile."""
    profile_p99_ms: float
    server_cpu_share: float
    """Of one core."""
    idle_memory_mb: float
    connected_memory_mb: float
    server_memory_mb: float


@attrs.frozen(kw_only=True)
class Timed:
    """How long one kind of request takes a store or a server, asked one after another."""

    first_ms: float
    """Of a store that has just been opened, or a server that has just started."""
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    """Processor time of the process that answers, on average; on PostgreSQL without the database's."""
    target_ms: float | None
    """What to stay below."""


@attrs.frozen(kw_only=True)
class SpendRow(Timed):
    """One question about spend or revenue, with so many purchases in a year; the whole request but for sockets.

    The target is for SQLite with a million purchases.
    """

    store: StoreName
    players: int
    purchases: int
    question: str


@attrs.frozen(kw_only=True)
class AuditRow(Timed):
    """One search over so many entries of the audit trail; the whole request but for sockets.

    The target is for a million entries.
    """

    store: StoreName
    entries: int
    question: str
    found: int
    """How many entries the first page has."""


@attrs.frozen(kw_only=True)
class PlayerPageRow(Timed):
    """The portal's page about a player with so many days of history, over HTTP, one request after another.

    The target is for a year of history.
    """

    store: StoreName
    days: int
    ledger_entries: int
    """Of the player."""
    gifts: int
    """Sent and received by the player."""
    page_bytes: int


@attrs.frozen(kw_only=True)
class Renewed:
    """Parts that a later run has measured anew."""

    parts: Sequence[str]
    command: str
    machine: dict[str, str]


@attrs.frozen(kw_only=True)
class Figures:
    """Everything that one run has measured; a part that was not asked for has no rows."""

    format: int = 1
    command: str
    machine: dict[str, str]
    postgres: dict[str, str] | None
    """Version and settings of the database server; `None`: there was none."""
    http: Sequence[HttpRow] = ()
    core_gift_path_per_second: float | None = None
    """Requests a second of processor time on the way of a gift, without sockets and disks."""
    core_growth: Sequence[CoreGrowthRow] = ()
    boards: Sequence[HttpRow] = ()
    closing: Sequence[ClosingRow] = ()
    readers: Sequence[ReadersRow] = ()
    growth: Sequence[GrowthRow] = ()
    webhooks: Sequence[DeliveriesRow] = ()
    due: Sequence[DueRow] = ()
    spend: Sequence[SpendRow] = ()
    audit: Sequence[AuditRow] = ()
    player_page: Sequence[PlayerPageRow] = ()
    import_ratios: dict[str, float] | None = None
    """What importing costs, as a multiple of importing httpx."""
    not_run: Sequence[NotRun] = ()
    renewed: Sequence[Renewed] = ()
    """The latest last."""

    def with_parts_of(self, later: Figures, parts: Sequence[str], fields: Mapping[str, Any]) -> Figures:
        """These figures with the parts that a later run has measured, whose fields these are."""
        kept = [
            left
            for one in self.renewed
            if (left := attrs.evolve(one, parts=[part for part in one.parts if part not in parts])).parts
        ]
        return attrs.evolve(
            self,
            **fields,
            not_run=[*(one for one in self.not_run if one.part not in parts), *later.not_run],
            renewed=[*kept, Renewed(parts=list(parts), command=later.command, machine=later.machine)],
        )
