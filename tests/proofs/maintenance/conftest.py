"""What tests of copies begin with: a database that has been lived in, and an empty one of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import snapshot_store
from tests.maintenance.copies import empty
from tests.maintenance.lived_in import lived_in


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Database]:
    """A database that has been lived in."""
    with snapshot_store(lived_in(tmp_path)) as store:
        yield store


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with empty(request.param, tmp_path) as url, snapshot_store(url, create=True) as store:
        yield store
