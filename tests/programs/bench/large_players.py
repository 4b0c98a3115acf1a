"""What it costs to merge and to erase a player who has a great deal: time and memory, on each store.

    python -m tests.programs.bench.large_players [entries] [friends]

The player has so many ledger entries (half of them of one asset), a tenth as many grants, so many friends, and half of them
are friends of the target as well. Memory is what Python allocates at most while the unit runs, the database's own aside.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import livecore.world.game
from livecore import World
from livecore.economy.grants import GRANTS, Grant
from livecore.economy.ledger import ENTRIES, HOLDINGS, Entry, Holding
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.store import StoreWrite, Transaction, Write
from livecore.kernel.storage.tables import Table
from livecore.social.relations import RELATIONS, Relation, pair
from livecore.world import WorldPlayer
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.player_tools.marked import game
from tests.postgres.server import fresh_database
from tests.worlds import ask, scope_of

_CHUNK = 5_000
Opened = Callable[[], AbstractContextManager[Any]]


@contextmanager
def _memory() -> Iterator[MemoryStore]:
    yield MemoryStore()


@contextmanager
def _sqlite() -> Iterator[SqliteStore]:
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder) / "large.db")) as store:
        yield store


@contextmanager
def _postgresql() -> Iterator[PostgresStore]:
    with fresh_database() as url, closing(PostgresStore(url)) as store:
        yield store


def _store(world: World, table: Table[Any], rows: Iterator[object]) -> None:
    steps: list[StoreWrite] = [Write(table, table.key_of(row), None, row) for row in rows]
    for first in range(0, len(steps), _CHUNK):
        world.store.apply(scope_of(world), steps[first : first + _CHUNK])


def fill(world: World, player: WorldPlayer, entries: int) -> None:
    """Give a player a history of this many entries, and a tenth as many claimed grants."""
    me = PlayerId(player.player_id)
    for key in ("gold", "gems"):
        own = entries // 2
        _store(world, ENTRIES, (
            Entry(entry_id=f"ent_{key}{number:012d}", player_id=me, asset_kind="currency", asset_key=key, delta=1,
                  balance=number + 1, reason="quest reward", source_ref_id=f"quest-{number}", at=number,
                  idempotency_key=f"server:{key}-{number}", fingerprint="f" * 64)
            for number in range(own)
        ))  # fmt: skip
        held = Holding(player_id=me, asset_kind="currency", asset_key=key, amount=own, changed_at=own)
        _store(world, HOLDINGS, iter([held]))
    text = JsonText('[{"type":"currency","resourceKey":"gold","amount":1}]')
    _store(world, GRANTS, (
        Grant(grant_id=f"grant-{number:012d}", player_id=me, status="claimed", kind="reward", entries=text,
              source_kind="api", created_at=number, claimed_at=number, acked_by="player", idempotency_key=f"g:{number}",
              fingerprint="f" * 64)
        for number in range(entries // 10)
    ))  # fmt: skip


def befriend(world: World, source: WorldPlayer, target: WorldPlayer, friends: int) -> None:
    """Give the source this many friends, half of whom are the target's as well."""

    def relations() -> Iterator[Relation]:
        for number in range(friends):
            other = world.player(f"friend {number}").player_id
            for player in (source, target)[: 2 - number % 2]:
                low, high = pair(player.player_id, other)
                yield Relation(low_id=low, high_id=high, friendship="friends", since=number, request_id=f"{low}{high}",
                               accepted_by="low")  # fmt: skip

    _store(world, RELATIONS, relations())


def measured(world: World, operation: str, **arguments: object) -> tuple[float, float, int]:
    """Seconds, the peak of memory in MiB (of a dry run before), and how many rows are written one by one."""
    request = world.server.request(operation, **arguments)
    kept: list[list[StoreWrite]] = []
    prepared = world.store.read(DIRECTORY, lambda tx: world.application.prepare(request, tx))

    def work(tx: Transaction) -> None:
        world.application.run(prepared, tx)
        kept[:] = [tx.writes()]

    tracemalloc.start()
    world.store.read(prepared.scope, work)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    written = sum(isinstance(step, Write) for step in kept[0])
    kept.clear()
    began = time.perf_counter()
    world.handle(request)
    return time.perf_counter() - began, peak, written


def main(entries: int, friends: int) -> None:
    """Measure on each store."""
    stores: dict[str, Opened] = {"memory": _memory, "SQLite": _sqlite, "PostgreSQL": _postgresql}
    print(f"{entries:,} ledger entries, {entries // 10:,} grants, {friends} friends")
    for name, opened in stores.items():
        with opened() as store:
            setattr(livecore.world.game, "MemoryStore", lambda store=store: store)  # noqa: B010 - the world takes what it is given
            world = World(game())
            target, source = world.player("account"), world.player("guest")
            fill(world, source, entries)
            befriend(world, source, target, friends)
            for operation, arguments in (
                ("players.merge", {"external_id": "guest", "to_external_id": "account"}),
                ("players.export", {"external_id": "account"}),
                ("players.erase", {"external_id": "account"}),
            ):
                seconds, peak, written = measured(world, operation, **arguments)
                print(f"{name:10}  {operation:14}  {seconds:7.2f} s  {peak:7.1f} MiB  {written:6} rows one by one")
            assert ask(world.server, "players.erase", external_id="account")["status"] == "no_op_already_erased"


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    main(*(given + [100_000, 500][len(given) :]))
