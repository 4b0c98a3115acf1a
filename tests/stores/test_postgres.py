"""The store on PostgreSQL does what every store must do, and agrees with the store in memory unit by unit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings

from livecore.kernel.storage.reads import Scan, Sums
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Value
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.reads.reader import SnapshotReader
from tests.postgres.server import fresh_database
from tests.stores.law import Sequence, agrees_with_memory, sequences
from tests.stores.suite import StoreSuite, fresh_scope
from tests.stores.tables import HEROES, IN_GUILD, STORE_TABLES, Hero


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    """One database for the module; each test has its own scope."""
    with fresh_database() as url, closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        yield store


class TestPostgresStore(StoreSuite):
    """The suite on `PostgresStore`."""


@settings(max_examples=40)
@given(sequence=sequences())
def test_postgres_agrees_with_memory(store: PostgresStore, sequence: Sequence) -> None:
    """The same units give the same answers, refusals and rows."""
    agrees_with_memory(store, sequence)


def test_sums_in_one_call_come_in_one_round_trip(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are, and none where the whole scan is known already; texts are as they were put."""
    scope, trips = fresh_scope(), []
    load = SnapshotReader.send

    def counted(reader: SnapshotReader) -> None:
        trips.append(reader)
        load(reader)

    def fill(tx: Transaction) -> None:
        for at, name in enumerate(("a\0b", "c", "d")):
            tx.insert(HEROES, Hero(id=name, name=name, level=at + 1, guild=f"g{at}"))

    def sums(tx: Transaction) -> list[dict[Value, int]]:
        return [tx.sums(IN_GUILD, f"g{at}", of="level", by="name") for at in range(3)]

    def together(tx: Transaction) -> list[dict[Value, int]]:
        return tx.read_all(Sums(IN_GUILD, (f"g{at}",), of="level", by="name") for at in range(3))

    def known(tx: Transaction) -> list[dict[Value, int]]:
        tx.read_all(Scan(IN_GUILD, (f"g{at}",)) for at in range(3))
        return sums(tx)

    store.write(scope, fill)
    monkeypatch.setattr(SnapshotReader, "send", counted)
    for work, expected in ((together, 1), (known, 1), (sums, 3)):
        trips.clear()
        assert store.read(scope, work) == [{"a\0b": 1}, {"c": 2}, {"d": 3}]
        assert len(trips) == expected
