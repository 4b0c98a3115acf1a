"""The audit trail is kept for as long as the deployment says, in every scope, and then it is swept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from livecore import World
from livecore.access import former_members, personal_keys, sessions
from livecore.access.audit import AUDIT_BY_TIME, SWEEP, audit
from livecore.access.audit_addresses import SHORTEN
from livecore.access.directory import add_studio, all_scopes
from livecore.api.application import Application
from livecore.api.configuration.game_config import load_config
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import prepare_directory, prepare_scope, system_unit
from livecore.demo import DEMO
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.time import DAY, SECOND, Millis
from livecore.kernel.units import due
from livecore.kernel.units.unit import Actor, Retention
from livecore_server.background.loops import DueLoop
from livecore_server.cli.new_games import create_game
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.settings import Settings
from livecore_server.storage.database import Database
from livecore_server.storage.ports import Executor
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches.batch_scheduler import PostgresLimits
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.sqlite import SqliteStore
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database, started_server
from tests.worlds import ask, config

START: Millis = 1_767_225_600_000
OPERATOR = Actor("system", "operator")


def days_noted(store: Store, scope: Scope, now: Millis) -> list[int]:
    """How many days old each entry of a scope is, the oldest first."""
    rows = store.read(scope, lambda tx: tx.scan(AUDIT_BY_TIME))
    return [(now - row.at) // DAY for row in rows]


def note(store: Store, scope: Scope, at: Millis, count: int = 1) -> None:
    """Leave entries of a moment."""

    def work(tx: Transaction) -> None:
        entropy = Entropy(f"{scope.id} {at}".encode())
        for _ in range(count):
            audit(tx, at, entropy, OPERATOR, "test.change")

    store.write(scope, work)


def test_a_world_forgets_after_400_days() -> None:
    """By its own clock, in both environments and in the directory; to the day, and nothing younger."""
    game = World(config(), seed=7)
    scopes = (*game.scopes, DIRECTORY)
    for scope in scopes:
        note(game.store, scope, game.now + DAY)
    game.advance(days=400)
    assert all(max(days_noted(game.store, scope, game.now)) in (399, 400) for scope in scopes)
    game.advance(days=1)
    assert [days_noted(game.store, scope, game.now) for scope in scopes] == [[400]] * 3
    game.advance(days=1)
    assert [days_noted(game.store, scope, game.now) for scope in scopes] == [[]] * 3


def test_what_a_backend_changes_is_noted_where_it_is_swept() -> None:
    """The entries that requests leave, not only those that a test makes."""
    game = World(config(), seed=7)
    game.player("anna")
    ask(game.server, "players.ban", external_id="anna", reason="r")
    assert days_noted(game.store, game.scopes[0], game.now) != []
    game.advance(days=402)
    assert days_noted(game.store, game.scopes[0], game.now) == []


@pytest.mark.parametrize(
    ("retention", "left"),
    [(Retention(audit=None), 151), (Retention(audit=DAY), 51), (Retention(audit=1_000 * DAY), 151)],
    ids=["for ever", "more than a batch", "longer"],
)
def test_one_step_forgets_a_hundred(retention: Retention, left: int) -> None:
    """More than a batch comes off in steps, each due at once; then the next sweep is tomorrow's."""
    game = World(config(), seed=7)
    scope = game.scopes[0]
    note(game.store, scope, game.now, 151)
    game.now += 500 * DAY
    unswept = left == 151

    def sweep() -> Millis:
        def step(tx: Transaction) -> Millis:
            unit = system_unit(tx, game.game, game.now, b"seed", new_deployment(retention=retention))
            work = tx.get(due.DUE, SWEEP.kind, "")
            assert work is not None
            SWEEP.run(unit, work)
            again = tx.get(due.DUE, SWEEP.kind, "")
            assert again is not None
            return again.due_at

        return game.store.write(scope, step)

    tomorrow = (game.now // DAY + 1) * DAY
    assert sweep() == (tomorrow if unswept else game.now)
    assert len(days_noted(game.store, scope, game.now)) == left
    assert sweep() == tomorrow
    assert len(days_noted(game.store, scope, game.now)) == (151 if unswept else 0)


def test_the_setting_is_in_days_and_0_is_for_ever() -> None:
    """The host reads the setting; the core is given milliseconds."""
    assert Settings().retention == Retention() == Retention(audit=400 * DAY)
    assert Settings(audit_retention_days=1).retention == Retention(audit=DAY)
    assert Settings(audit_retention_days=0).retention == Retention(audit=None)


@contextmanager
def sqlite(folder: Path) -> Iterator[Database]:
    """A new file."""
    yield SqliteStore(folder / "audit.db")


@contextmanager
def postgres(_: Path) -> Iterator[Database]:
    """A new database of a server."""
    with started_server(), ready_database() as url:
        yield PostgresStore(url)


@pytest.mark.parametrize("opened", [sqlite, postgres])
def test_several_processes_sweep_every_scope_together(
    opened: Callable[[Path], AbstractContextManager[Database]], tmp_path: Path
) -> None:
    """Two loops over one database: the directory and both environments are swept, and nothing is in their way."""
    now = START + 3_650 * DAY
    with opened(tmp_path) as store:
        create_game(store, load_config(DEMO), "Studio")
        scopes = [*(scope for scope, _ in store.read(DIRECTORY, all_scopes)), DIRECTORY]
        for scope in scopes:
            note(store, scope, START, 501)
            note(store, scope, now - DAY)
        asyncio.run(_swept(store, scopes, now))


async def _swept(store: Database, scopes: Sequence[Scope], now: Millis) -> None:
    """Have the loops of two processes turn until all is swept, and look at what is left; closes the store."""
    metrics = Metrics()
    watch = StoreWatch(metrics)
    if isinstance(store, PostgresStore):
        # On a busy machine a connection may take long.
        limits = PostgresLimits(connect_seconds=PATIENCE_SECONDS)
        executor: Executor = PostgresExecutor(store, observer=watch, limits=limits)
    else:
        executor = run_store(store, watch).executor
    turns = 0
    # What the store was too busy for, or the other loop had the lease of, is due again after a second.
    application = Application(
        store,
        clock=lambda: now + turns * SECOND,
        seeds=lambda: b"seed",
        deployment=new_deployment(retention=Retention(audit=2 * DAY)),
    )
    loops = [DueLoop(executor, application, metrics) for _ in range(2)]
    try:
        # A database that answers late only takes more turns.
        async with asyncio.timeout(PATIENCE_SECONDS):
            for scope in scopes:
                while (work := await executor.read(scope, _sweep)) is None or work.due_at <= application.clock():
                    turns += 1
                    await asyncio.gather(*(loop.turn() for loop in loops))
        for scope in scopes:
            rows = await executor.read(scope, lambda tx: tx.scan(AUDIT_BY_TIME))
            assert [row.at for row in rows if row.at < now] == [now - DAY]
            work = await executor.read(scope, _sweep)
            assert work is not None
            assert (work.due_at, work.attempts) == ((now // DAY + 1) * DAY, 0)
    finally:
        await executor.close()


def _sweep(tx: Transaction) -> due.DueWork | None:
    return tx.get(due.DUE, SWEEP.kind, "")


def test_a_database_of_an_earlier_release_gets_the_sweep() -> None:
    """Preparing adds what is missing, in a game's scope and in the directory, and changes nothing the second time."""
    game = World(config(), seed=7)
    for scope in (game.scopes[0], DIRECTORY):
        game.store.write(scope, lambda tx: due.cancel(tx, SWEEP.kind, ""))
    for _ in range(2):
        game.unit_of_work(prepare_scope, game.scopes[0])
        game.store.write(DIRECTORY, lambda tx: prepare_directory(tx, game.now))
        for scope in (game.scopes[0], DIRECTORY):
            work = game.store.read(scope, lambda tx: tx.get(due.DUE, SWEEP.kind, ""))
            assert work is not None
            assert work.due_at == game.now


def test_the_directory_has_no_other_recurring_work() -> None:
    """What sweeps rows of games is not run over the directory."""
    game = World(config(), seed=7)
    game.store.write(DIRECTORY, lambda tx: add_studio(tx, "Another", game.now, Entropy(b"studio")))
    kinds = {work.kind for work in game.store.read(DIRECTORY, lambda tx: tx.scan(due.DUE_BY_TIME))}
    assert kinds == {
        SWEEP.kind,
        SHORTEN.kind,
        former_members.FORGET.kind,
        sessions.SWEEP.kind,
        personal_keys.SWEEP.kind,
    }
