"""What a soak looks at every few seconds, and whether any of it has grown."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import aiohttp
import attrs
import psycopg

from livecore_server.storage.database import is_postgres, sqlite_path
from tests.crash.served import Livecore

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MEBIBYTE: Final = 1024 * 1024


@attrs.frozen(kw_only=True)
class Sample:
    """One look. Sizes are in MiB; `log_mb` is SQLite's write-ahead log, `connections` are PostgreSQL's."""

    seconds: float
    requests: int
    rss_mb: float
    handles: int
    queued: float
    in_progress: float
    due_lag_seconds: float
    sending: float
    received: int
    database_mb: float
    log_mb: float
    connections: int


GROWTH: Final = {
    "rss_mb": (1.10, 16.0),
    "handles": (1.10, 8.0),
    "queued": (1.50, 64.0),
    "in_progress": (1.50, 16.0),
    "due_lag_seconds": (1.50, 5.0),
    "sending": (1.50, 64.0),
    "log_mb": (1.50, 64.0),
    "connections": (1.10, 2.0),
}
"""What must not grow: by more than this factor *and* this amount, from the first third after the warm-up to the last."""


@attrs.frozen
class Growth:
    """The mean of a figure in the first and in the last third, and whether that is growth."""

    name: str
    first: float
    last: float
    grew: bool


async def sample(server: Livecore, *, seconds: float, requests: int, received: int) -> Sample:
    """Look now."""
    metrics = await _metrics(server)
    processes = _family(server.pid)
    database_mb, log_mb, connections = _database(server.url)
    return Sample(
        seconds=round(seconds, 1),
        requests=requests,
        rss_mb=round(sum(map(_rss, processes)) / _MEBIBYTE, 1),
        handles=sum(map(_handles, processes)),
        queued=metrics.get("livecore_writes_queued", 0.0),
        in_progress=metrics.get("livecore_requests_in_progress", 0.0),
        due_lag_seconds=round(metrics.get("livecore_due_lag_seconds", 0.0), 3),
        sending=metrics.get("livecore_webhooks_under_way", 0.0),
        received=received,
        database_mb=round(database_mb, 1),
        log_mb=round(log_mb, 1),
        connections=connections,
    )


def growth_of(samples: Sequence[Sample]) -> list[Growth]:
    """The figures of `GROWTH` in the first and the last third of these samples."""
    third = max(1, len(samples) // 3)
    found = []
    for name, (factor, amount) in GROWTH.items():
        first, last = (fmean(getattr(one, name) for one in part) for part in (samples[:third], samples[-third:]))
        grew = last > first * factor and last > first + amount
        found.append(Growth(name, round(first, 2), round(last, 2), grew))
    return found


async def _metrics(server: Livecore) -> dict[str, float]:
    async with aiohttp.ClientSession() as session, session.get(f"{server.address}/metrics") as answer:
        text = await answer.text()
    return {name: float(value) for name, value in re.findall(r"^(livecore_\w+) (\S+)$", text, re.MULTILINE)}


def _family(pid: int) -> list[int]:
    """A process and all that come from it."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def _rss(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def _handles(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _database(url: str) -> tuple[float, float, int]:
    """The size of the database and of its log, and how many connections it has."""
    if is_postgres(url):
        with psycopg.connect(url) as connection:
            row = connection.execute(
                "SELECT pg_database_size(current_database()), count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
        assert row is not None
        return row[0] / _MEBIBYTE, 0.0, row[1]
    path = sqlite_path(url)
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size / _MEBIBYTE, (log.stat().st_size if log.exists() else 0) / _MEBIBYTE, 0
