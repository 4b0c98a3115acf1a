"""An executor over PostgreSQL for one test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs

from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches.batch_scheduler import PostgresLimits
from livecore_server.storage.postgres.executor import PostgresExecutor
from tests.patience import PATIENCE_SECONDS
from tests.stores.tables import STORE_TABLES


@asynccontextmanager
async def executing(
    url: str,
    *,
    limits: PostgresLimits | None = None,
    run_seconds: float | None = None,
    **options: Any,  # noqa: ANN401 - passed on
) -> AsyncIterator[PostgresExecutor]:
    """An executor over a store of its own, closed in the end; without limits it waits long for a connection.

    With `run_seconds`, how many units a batch has does not depend on their time.
    """
    limits = limits or PostgresLimits(connect_seconds=PATIENCE_SECONDS)
    if run_seconds is not None:
        limits = attrs.evolve(limits, run_seconds=run_seconds)
    executor = PostgresExecutor(PostgresStore(url, tables=STORE_TABLES), limits=limits, **options)
    try:
        yield executor
    finally:
        await executor.close()
