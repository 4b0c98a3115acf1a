"""The rows as lines to read while they come in."""

from __future__ import annotations

from tests.bench.figures import HttpRow

__all__ = ["HTTP_HEAD", "http_line"]

HTTP_HEAD = (
    f"{'over HTTP':32}{'req/s':>8}{'p50 ms':>8}{'p95 ms':>8}{'p99 ms':>8}{'of same':>9}{'of 2.8k':>9}{'target':>8}"
    f"{'of bare tx':>11}{'CPU us':>8}{'MB':>6}{'db us':>7}{'db MB':>7}{'gen':>6}"
)


def http_line(row: HttpRow) -> str:
    """One scenario."""
    name = f"{row.store} x{row.workers} {row.scenario}"
    target = "" if row.target_share is None else f"{row.target_share:.2f}"
    share = "" if row.transaction_share is None else f"{row.transaction_share:.2f}"
    database_us = "" if row.database_cpu_seconds is None else f"{row.database_cpu_seconds / row.requests * 1e6:.0f}"
    database_mb = "" if row.database_memory_mb is None else f"{row.database_memory_mb:.0f}"
    return (
        f"{name:32}{row.per_second:8.0f}{row.p50_ms:8.2f}{row.p95_ms:8.2f}{row.p99_ms:8.2f}{row.bare_share:9.2f}"
        f"{row.reference_share:9.2f}{target:>8}{share:>11}{row.server_cpu_us:8.0f}{row.server_memory_mb:6.0f}"
        f"{database_us:>7}{database_mb:>7}{row.generator_cpu_share:6.2f}"
    )
