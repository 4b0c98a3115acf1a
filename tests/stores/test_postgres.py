"""The store on PostgreSQL does what every store must do, and agrees with the store in memory unit by unit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings

from livecore_server.postgres import PostgresStore
from tests.postgres.server import fresh_database
from tests.stores.law import Sequence, agrees_with_memory, sequences
from tests.stores.suite import StoreSuite
from tests.stores.tables import STORE_TABLES


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    """One database for the module; each test has its own scope."""
    with fresh_database() as url, closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        yield store


class TestPostgresStore(StoreSuite):
    """The suite on `PostgresStore`."""


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sequence=sequences())
def test_postgres_agrees_with_memory(store: PostgresStore, sequence: Sequence) -> None:
    """The same units give the same answers, refusals and rows."""
    agrees_with_memory(store, sequence)
