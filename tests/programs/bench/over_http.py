"""The server over real sockets: each scenario beside the bare handler and the bare transaction, in the same run.

32 connections, durable commits, rate limits off. The bare handler is always one process.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

import attrs
import uvloop

from livecore_server.storage.postgres.batches.batch_scheduler import PostgresLimits
from tests.programs.bench.bare_transaction import Statements, transactions_per_second
from tests.programs.bench.databases import Database, StoreName, fresh
from tests.programs.bench.figures import HttpRow
from tests.programs.bench.game import CONFIG
from tests.programs.bench.load import Result, run_load, wire_request
from tests.programs.bench.players import Players
from tests.programs.bench.processes import Served, bare_handler, make_game, serve
from tests.programs.bench.resources import memory_mb_of
from tests.programs.bench.scenarios import SCENARIOS, Cast, Scenario, fresh_cast
from tests.programs.bench.statements import statements_of_scenarios

T = TypeVar("T")
CONNECTIONS: Final = 32
REFERENCE_BYTES: Final = 2_800
_WARM_UP: Final = 1_000


def on_quick_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on uvloop: the load generator is to cost less than what it measures."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


@attrs.frozen
class Measured:
    """A scenario's result, and what server and database used while it ran."""

    result: Result
    server_cpu_seconds: float
    server_memory_mb: float
    database_cpu_seconds: float | None
    database_memory_mb: float | None


async def play(scenario: Scenario, database: Database, players: Players, cast: Cast, count: int) -> Measured:
    """Run one scenario between two looks at the processes."""
    served, database_before = players.served.usage(), database.usage()
    result = await scenario.run(players, cast, count)
    used, database_used = players.served.usage(), database.usage()
    return Measured(
        result,
        used.cpu_seconds - served.cpu_seconds,
        used.memory_mb,
        None if database_used is None else database_used.cpu_seconds - (database_before or database_used).cpu_seconds,
        None if database_used is None else database_used.memory_mb,
    )


async def _bare(address: str, size: int, count: int) -> Result:
    request = wire_request("GET", f"/{size}", {})
    await run_load(address, iter([request] * min(_WARM_UP, count)), connections=CONNECTIONS)
    return await run_load(address, iter([request] * count), connections=CONNECTIONS)


def measure(
    store: StoreName,
    workers: int,
    count: int,
    *,
    scenarios: Sequence[str],
    told: Callable[[HttpRow], None],
) -> None:
    """Play scenarios with about `count` reads each, and a quarter as many writes; each row is told. Raises `CannotRun`."""
    statements = statements_of_scenarios() if store == "postgres" else {}
    with fresh(store) as database, serve(database, make_game(database, CONFIG), workers=workers) as served:
        run = Run(database, served, workers, count, statements, told)
        on_quick_loop(run.all(scenarios))


class Run:
    """One store with one number of workers."""

    def __init__(
        self,
        database: Database,
        served: Served,
        workers: int,
        count: int,
        statements: dict[str, list[Statements]],
        told: Callable[[HttpRow], None],
    ) -> None:
        self._database = database
        self._players = Players(served)
        self._workers = workers
        self._count = count
        self._statements = statements
        self._told = told

    async def all(
        self, names: Sequence[str], *, scenarios: Mapping[str, Scenario] = SCENARIOS, cast: Cast | None = None
    ) -> None:
        """Every scenario, in the order of the names; each is told as soon as it is known."""
        cast = cast or await fresh_cast(self._players, names, self._count // 4)
        with bare_handler() as bare:
            reference = (await _bare(bare, REFERENCE_BYTES, self._count)).per_second
            for name in names:
                self._told(await self._one(scenarios[name], name, cast, bare, reference))

    async def _one(self, scenario: Scenario, name: str, cast: Cast, bare: str, reference: float) -> HttpRow:
        count = self._count if scenario.reads_only else self._count // 4
        measured = await play(scenario, self._database, self._players, cast, count)
        result, statements = measured.result, self._statements.get(name, [])
        same_size = (await _bare(bare, result.mean_body_bytes, self._count // 2)).per_second
        transactions = self._bare_transactions(statements) if statements else None
        return HttpRow(
            store=self._database.store,
            workers=self._workers,
            scenario=scenario.name,
            requests=result.requests,
            connections=CONNECTIONS,
            body_bytes=result.mean_body_bytes,
            per_second=result.per_second,
            p50_ms=result.milliseconds(0.50),
            p95_ms=result.milliseconds(0.95),
            p99_ms=result.milliseconds(0.99),
            bare_per_second=same_size,
            bare_share=result.per_second / same_size,
            reference_per_second=reference,
            reference_share=result.per_second / reference,
            target_share=scenario.target if (self._database.store, self._workers) == ("sqlite", 1) else None,
            server_cpu_seconds=measured.server_cpu_seconds,
            server_cpu_us=measured.server_cpu_seconds / result.requests * 1e6,
            server_memory_mb=measured.server_memory_mb,
            generator_cpu_seconds=result.generator_cpu_seconds,
            generator_cpu_share=result.generator_cpu_seconds / result.seconds,
            generator_memory_mb=memory_mb_of(os.getpid()),
            database_cpu_seconds=measured.database_cpu_seconds,
            database_memory_mb=measured.database_memory_mb,
            reads=_mean([each.reads for each in statements]) if transactions else None,
            writes=_mean([each.writes for each in statements]) if transactions else None,
            transactions_per_second=transactions,
            transaction_share=result.per_second / transactions if transactions else None,
        )

    def _bare_transactions(self, statements: Sequence[Statements]) -> float | None:
        """The rate of a scenario's transactions, one of each kind in turn."""
        connections, count = PostgresLimits().connections * self._workers, self._count // 8
        rates = [
            transactions_per_second(self._database, each, connections=connections, count=count) for each in statements
        ]
        return len(rates) / sum(1 / rate for rate in rates) if rates else None


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
