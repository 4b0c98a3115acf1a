"""The law: which store lies underneath cannot be told from outside, nor from the rows.

The same sequences, numbered alike, go through the same application over the store in memory and over each of the others: the
same bytes, headers and events come back, and in the end the same rows are there, in all scopes and the directory, and
`livecore check` finds nothing in any of them: no ledger that does not add up, no reference to what is not there, nobody in
two places. To hold another store to it, add it to `STORES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given

from livecore.api.requests.http import Response
from livecore.world import World
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.cache import CACHE_BYTES
from tests.laws.arena import Arena, Happened, Rows
from tests.laws.games import GAMES
from tests.laws.lawful import generated, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.rows import PlaceRows
from tests.laws.sequences import broad, broad_sequences
from tests.laws.steps import Step
from tests.player_tools.soundness import faults_in
from tests.postgres.server import fresh_database, own_server

Opened = Callable[[Path], AbstractContextManager[Rows]]


@contextmanager
def _sqlite(folder: Path, cache_bytes: int) -> Iterator[Rows]:
    """A store on a real file that does not wait for the disk: what a crash would do to it is tested elsewhere."""
    with closing(SqliteStore(folder / "laws.db", cache_bytes=cache_bytes)) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        yield store


@contextmanager
def _postgres(_: Path) -> Iterator[Rows]:
    """A server of its own: beside a transaction that stays open in any database, many short ones conflict for no reason.

    `tests/proofs/postgres/test_silent_process.py` says why.
    """
    with own_server() as server, fresh_database(server.url) as url, closing(PostgresStore(url)) as store:
        yield store


STORES: Final[dict[str, Opened]] = {
    "postgresql": _postgres,
    "sqlite": lambda folder: _sqlite(folder, CACHE_BYTES),
    # Caches that forget at once: every answer comes from the file.
    "sqlite, forgetful": lambda folder: _sqlite(folder, 0),
}
"""Each store that must be like the one in memory, opened in a folder of its own."""


@pytest.fixture(params=sorted(STORES))
def opened(request: pytest.FixtureRequest) -> Opened:
    """How to open the store under test."""
    return STORES[request.param]


class _Everything(Witness):
    """Everything that can be seen from outside."""

    def __init__(self) -> None:
        self.seen: list[tuple[Response, list[object]] | list[Happened]] = []

    def answered(self, _play: Play, _asked: Asked, answer: Answered) -> None:
        """The whole response and the payloads of the events."""
        self.seen.append((answer.response, list(answer.events)))

    def waited(self, _play: Play, happened: list[Happened]) -> None:
        """What came due, in its order."""
        self.seen.append(happened)


def faults_of_store(arena: Arena, store: Rows) -> list[str]:
    """What `livecore check` finds wrong in a store, once the ephemeral state has been written to it."""
    arena.flush()
    assert isinstance(store, SqliteStore | PostgresStore)
    report = check(store, store.scopes(), lambda _: None)
    return [f"{finding.table} {finding.key}: {finding.problem}" for _, finding in report.findings]


def compare(steps: list[Step], opened: Opened, folder: Path, note: str = "") -> None:
    """Play the steps over both stores, and compare all that is seen and all rows."""
    memory, other = _Everything(), _Everything()
    expected = play(steps, memory, note=note)
    with opened(folder) as store:
        found = play(steps, other, arena=Arena(store), note=note)
        for at, (one, another) in enumerate(zip(memory.seen, other.seen, strict=True)):
            assert one == another, (at, note)
        rows, other_rows = expected.arena.store.dump(), found.arena.store.dump()
        assert other_rows == rows, note
        # Equal values may still be of different types, and would be written differently.
        assert repr(other_rows) == repr(rows), note
        assert faults_of_store(found.arena, store) == [], note
    assert faults_in(rows) == [], note


@seeds
def test_stores_are_indistinguishable(seed: int, opened: Opened, tmp_path: Path) -> None:
    compare(broad(2_000 + seed, 60), opened, tmp_path, f"The broad sequence of seed {2_000 + seed}, 60 scenes")


@pytest.mark.parametrize("name", ["sqlite"])
@given(steps=broad_sequences())
@generated
def test_stores_are_indistinguishable_in_any_sequence(name: str, steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        compare(steps, STORES[name], Path(folder))


def test_an_expiry_is_kept_as_a_plain_number() -> None:
    """The wire's own type of instant, which prints as text, must not come into rows: memory would keep it, SQLite not."""
    world = World(GAMES[0])
    world.server.call(
        "grants.create",
        external_id="ann",
        idempotency_key="season",
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 1}],
        expires_at="2026-01-02T00:00:00.000Z",
    )
    (grant,) = PlaceRows(world.store.dump()[world.scopes[0].id]).grants
    assert type(grant.expires_at) is int
    world.advance(days=2)
    assert type(world.now) is int
