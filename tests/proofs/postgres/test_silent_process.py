"""A transaction that nobody ends, and what it does to everybody else.

PostgreSQL forgets a serializable transaction only when those that ran beside it have ended. While one stays open, and any
transaction that has written or locked a row, such as a lease, does too, the server runs out of room for the finished ones
and takes more and more that follow each other for simultaneous, until it refuses nearly everything with 40001.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, suppress

import psycopg
import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import StoreConflict, Transaction
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.pipeline import Lost, Statement
from livecore_server.storage.postgres.units import BEGIN_WRITE, Session
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import OwnServer, fresh_database, own_server
from tests.stores.tables import OF_LEFT, PAIRS, STORE_TABLES, Pair

SCOPE = Scope("game", "test")
UNITS = 6_000
"""Several times as many as a server with its default settings remembers."""
READ = Statement(b'SELECT count(*) FROM "store_test_heroes"')
"""Of a table in which nobody writes."""
HAS_WRITTEN = "SELECT pg_current_xact_id()"
"""Makes a transaction one that has written."""


def step(tx: Transaction) -> None:
    """Read rows and move one of them within their index, as due work and leaderboards do."""
    first = next(iter(tx.scan(OF_LEFT, "rows", limit=1)))
    last = next(iter(tx.scan(OF_LEFT, "rows", limit=1, reverse=True)))
    tx.put(PAIRS, Pair(left=first.left, right=first.right, at=last.at + 1))


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """One of our own, because every database of the server feels it."""
    with own_server() as server:
        yield server


@pytest.fixture
def store(server: OwnServer) -> Iterator[PostgresStore]:
    """With a few rows in order."""
    with fresh_database(server.url) as url, closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        store.write(SCOPE, lambda tx: [tx.put(PAIRS, Pair(left="rows", right=str(at), at=at)) for at in range(20)])
        yield store


def test_units_go_on_soon_after_a_process_has_fallen_silent(server: OwnServer, store: PostgresStore) -> None:
    """The server ends its transaction after ten seconds, and here much sooner, although a lease is still held."""
    with store.wire() as wire, psycopg.connect(server.url) as lease:
        lease.execute(HAS_WRITTEN)
        silent = Session(wire, BEGIN_WRITE)
        bound, _ = silent.ask([Statement(b"SHOW idle_in_transaction_session_timeout"), READ])
        assert bound.get_value(0, 0) == b"10s"
        silent.ask([Statement(b"SET LOCAL idle_in_transaction_session_timeout = 0")])
        refuses_at_last(store)
        silent.ask([Statement(b"SET LOCAL idle_in_transaction_session_timeout = 20")])
        accepts_at_last(store)
        with pytest.raises(Lost):
            silent.ask([READ])


def test_units_go_on_once_another_application_has_ended_its_transaction(
    server: OwnServer, store: PostgresStore
) -> None:
    """Though it has a database of its own."""
    with fresh_database(server.url) as url, psycopg.connect(url) as other:
        other.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        other.execute(HAS_WRITTEN)
        refuses_at_last(store)
        other.rollback()
        accepts_at_last(store)


def refuses_at_last(store: PostgresStore) -> None:
    """Units that nobody is beside fail for ever."""
    with suppress(StoreConflict):
        for _ in range(UNITS):
            store.write(SCOPE, step)
        pytest.fail("nothing was refused")


def accepts_at_last(store: PostgresStore) -> None:
    """A unit can be committed, soon."""
    patience = time.monotonic() + PATIENCE_SECONDS
    while True:
        with suppress(StoreConflict):
            return store.write(SCOPE, step)
        assert time.monotonic() < patience
