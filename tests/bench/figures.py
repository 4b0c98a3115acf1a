"""The figures as they are written to JSON: one flat row for each thing that was measured. `null`: does not apply.

`docs/benchmarks.md` explains every field to whoever reads the file.
"""

from __future__ import annotations

import attrs

from tests.bench.databases import StoreName

__all__ = ["HttpRow", "NotRun"]


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
