"""A machine without PostgreSQL runs these tests all the same, on the server that the extra `dev` brings along.

It is of another major version than most systems install, so every run meets two.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from hypothesis import given, settings

from livecore_server.storage.postgres import PostgresStore
from tests.postgres.server import fresh_database, own_server
from tests.stores.law import Sequence, agrees_with_memory, sequences
from tests.stores.suite import StoreSuite
from tests.stores.tables import STORE_TABLES


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An empty database on that server."""
    with own_server(of_the_wheel=True) as server, fresh_database(server.url) as url:
        yield url


@pytest.fixture(scope="module")
def store(url: str) -> Iterator[PostgresStore]:
    """One database for the module; each test has its own scope."""
    with closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        yield store


def test_the_wheel_brings_a_server(url: str) -> None:
    """It starts whoever runs the tests, root included, and is the version that docs/engines.md names."""
    with psycopg.connect(url) as connection:
        assert connection.info.server_version // 10_000 == 18


class TestPostgresStore(StoreSuite):
    """The suite on that server."""


@settings(max_examples=10)
@given(sequence=sequences())
def test_it_agrees_with_memory(store: PostgresStore, sequence: Sequence) -> None:
    """The same units give the same answers, refusals and rows."""
    agrees_with_memory(store, sequence)
