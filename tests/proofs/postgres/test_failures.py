"""Whatever statement the server refuses to serialise, the unit runs again, and nobody can tell from its outcome."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings

from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.units import ATTEMPTS, pause_seconds
from tests.laws.arena import Rows
from tests.laws.sequences import broad
from tests.postgres.failing import Failures, failing_everywhere
from tests.postgres.server import fresh_database, ready_database
from tests.proofs.laws.test_stores_are_indistinguishable import compare
from tests.stores.law import Sequence, agrees_with_memory, sequences
from tests.stores.tables import STORE_TABLES


@pytest.mark.parametrize("seed", range(2))
def test_failures_at_every_statement_change_no_answer_and_no_row(seed: int, tmp_path: Path) -> None:
    """A generated sequence gives the same responses, events and rows as in memory, where nothing fails."""
    met: list[Failures] = []

    @contextmanager
    def opened(_: Path) -> Iterator[Rows]:
        with ready_database() as url, closing(PostgresStore(url)) as store, failing_everywhere() as failures:
            yield store
            met.append(failures)

    compare(broad(3_000 + seed, 25), opened, tmp_path, f"The broad sequence of seed {3_000 + seed}, 25 scenes")
    assert met[0].raised > 500
    assert met[0].most_in_a_unit > 12


def test_letting_others_finish_leaves_the_shared_generator_alone() -> None:
    """Who has seeded it, a game's own test for one, gets the same numbers beside a server as without."""
    before = random.getstate()
    assert {pause_seconds(attempt) <= 0.03 for attempt in range(ATTEMPTS)} == {True}
    assert random.getstate() == before


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    """One database for all examples."""
    with fresh_database() as url, closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        yield store


@settings(max_examples=8)
@given(sequence=sequences())
def test_units_agree_with_memory_however_often_they_fail(store: PostgresStore, sequence: Sequence) -> None:
    """The law of the stores, with a failure at every statement."""
    with failing_everywhere():
        agrees_with_memory(store, sequence)
