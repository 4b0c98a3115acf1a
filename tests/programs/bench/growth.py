"""What requests cost as a game grows from a thousand players to a million, on a database on disk.

Every size has a database of its own, with all players registered through the application; the measured players come from
all over the crowd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from livecore_server.storage.database import sqlite_path
from tests.programs.bench.crowd import gather
from tests.programs.bench.databases import Database, StoreName, fresh
from tests.programs.bench.figures import GrowthRow
from tests.programs.bench.game import CONFIG
from tests.programs.bench.over_http import on_quick_loop, play
from tests.programs.bench.players import Players
from tests.programs.bench.processes import make_game, serve
from tests.programs.bench.scenarios import SCENARIOS, prepare


def measure(store: StoreName, sizes: Sequence[int], count: int, *, told: Callable[[GrowthRow], None]) -> None:
    """Play every scenario at every size, with `count` reads and half as many writes; each row is told.

    Raises `CannotRun`.
    """
    for size in sizes:
        for row in _at(store, size, count):
            told(row)


def _at(store: StoreName, size: int, count: int) -> list[GrowthRow]:
    with fresh(store) as database:
        made = make_game(database, CONFIG)
        crowd = gather(database, made, size)
        _settle(database)
        megabytes = _megabytes(database)

        async def scenarios() -> list[GrowthRow]:
            players = Players(served, crowd.secrets)
            cast = crowd.cast(count // 2)
            await prepare(players, cast, crowd.friends)
            rows = []
            for scenario in SCENARIOS.values():
                requests = count if scenario.reads_only else count // 2
                measured = await play(scenario, database, players, cast, requests)
                rows.append(
                    GrowthRow(
                        store=store,
                        players=size,
                        database_mb=megabytes,
                        scenario=scenario.name,
                        requests=measured.result.requests,
                        per_second=measured.result.per_second,
                        p50_ms=measured.result.milliseconds(0.50),
                        p99_ms=measured.result.milliseconds(0.99),
                        server_cpu_us=measured.server_cpu_seconds / measured.result.requests * 1e6,
                        server_memory_mb=measured.server_memory_mb,
                    )
                )
            return rows

        with serve(database, made) as served:
            return on_quick_loop(scenarios())


def _settle(database: Database) -> None:
    """What autovacuum would have done by the time that so many players have come."""
    if database.store == "postgres":
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
            connection.execute("CHECKPOINT")


def _megabytes(database: Database) -> float:
    if database.store == "sqlite":
        path = sqlite_path(database.url)
        return sum(_size(path.with_name(path.name + end)) for end in ("", "-wal")) / 1e6
    with psycopg.connect(database.url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return int(row[0]) / 1e6


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
