"""What the tests of webhooks share: a desk over each of the three stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from livecore.kernel.storage.memory import MemoryStore
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.postgres.server import ready_database, started_server
from tests.webhooks.desk import Desk, opened


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """A game's webhooks, over each store in turn."""
    if request.param == "memory":
        yield opened(MemoryStore())
    elif request.param == "sqlite":
        with closing(SqliteStore(tmp_path / "desk.db")) as store:
            yield opened(store)
    else:
        with started_server(), ready_database() as url, closing(PostgresStore(url)) as distant:
            yield opened(distant)
