"""The law: the same units of work give the same answers, refusals and rows on every store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings

from livecore_server.storage.sqlite import SqliteStore
from tests.stores.law import Sequence, agrees_with_memory, sequences
from tests.stores.tables import STORE_TABLES


@pytest.fixture(scope="module", params=[64 * 1024 * 1024, 4_000, 0], ids=["remembering", "forgetful", "forgetting"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """One file for all examples; each has its own scope."""
    path = tmp_path_factory.mktemp("law") / "a.db"
    with closing(SqliteStore(path, tables=STORE_TABLES, cache_bytes=request.param)) as store:
        yield store


@settings(max_examples=60)
@given(sequence=sequences())
def test_sqlite_agrees_with_memory(store: SqliteStore, sequence: Sequence) -> None:
    """Through the caches, and with caches that forget soon or at once."""
    agrees_with_memory(store, sequence)
