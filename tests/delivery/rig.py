"""A deployment for the tests of delivery: a database, two games, a clock that is set by hand, and senders on demand."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import attrs

import livecore.api  # noqa: F401 - declares every table of the service
from livecore.access.directory import Game
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig
from livecore.api.maintenance import make_game, run_due, system_unit
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.notices import Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, TimeIndex
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units import due
from livecore.kernel.units.unit import Actor, Unit
from livecore.webhooks import endpoints
from livecore.webhooks.endpoints import EndpointOnce
from livecore.webhooks.outbox import DELIVERIES, DELIVERIES_BY_TIME, ENDPOINTS, Delivery, Endpoint
from livecore_server.background.webhooks import NameService, NetworkRules, Poster, Sender, SenderOptions
from livecore_server.background.webhooks.sender import Wait
from livecore_server.storage.due_scopes import START as FIRST_PLACE
from livecore_server.storage.due_scopes import DuePage, ScopePosition
from livecore_server.storage.ports import Executor
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.vault import KeyVault
from livecore_server.waiting import wait_for_event
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database, started_server
from tests.samples import sample

T = TypeVar("T")
START: Millis = int(Timestamp.parse("2026-01-01T00:00:00.000Z"))
VAULT = KeyVault([bytes(range(32))])
KIND = "friend.removed"
Kind: TypeAlias = Literal["sqlite", "postgres"]
"""The kinds of stores that a server has."""


class Watched:
    """An executor that tells when something was written, and that can lose its power."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._written = asyncio.Condition()
        self.dead = False

    @property
    def queued(self) -> int:
        """As the executor says."""
        return self._executor.queued

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the executor does."""
        return await self._executor.read(scope, work)

    @property
    def notices(self) -> Notices:
        """As the executor has them."""
        return self._executor.notices

    async def read_aside(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the executor does."""
        return await self._executor.read_aside(scope, work)

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the executor does, unless the power is gone."""
        if self.dead:
            raise ConnectionError("the power is gone")
        result = await self._executor.write(scope, work)
        async with self._written:
            self._written.notify_all()
        return result

    def lease(self, scope: Scope, name: str) -> contextlib.AbstractAsyncContextManager[bool]:
        """As the executor does."""
        return self._executor.lease(scope, name)

    async def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """As the executor says."""
        return await self._executor.scopes(tables)

    async def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition = FIRST_PLACE) -> DuePage:
        """As the executor says."""
        return await self._executor.due_scopes(index, until, after)

    async def close(self) -> None:
        """As the executor does."""
        await self._executor.close()

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait for a fact that some write brings about."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._written:
            await self._written.wait_for(fact)


@attrs.define(eq=False)
class Deployment:
    """Everything but the senders."""

    store: SqliteStore | PostgresStore
    executor: Watched
    games: list[Game] = attrs.field(factory=list)
    now: Millis = START
    drawn: int = 0

    @property
    def scope(self) -> Scope:
        """The first game's test environment."""
        return Scope(self.games[0].game_id, "test")

    @property
    def other_scope(self) -> Scope:
        """The second game's test environment."""
        return Scope(self.games[1].game_id, "test")

    def seed(self) -> bytes:
        """A new seed, the same in every run."""
        self.drawn += 1
        return derive_seed(b"delivery", "rig", self.drawn)

    async def make_game(self) -> None:
        """One more game."""
        config, entropy = GameConfig(), Entropy(self.seed())
        made = await self.executor.write(
            DIRECTORY, lambda tx: make_game(tx, config, self.now, entropy, studio_name="S", actor=Actor("system"))
        )
        self.games.append(made.game)

    async def unit(self, work: Callable[[Unit], T], scope: Scope | None = None) -> T:
        """Run `work` in a unit of the service itself."""
        scope = scope or self.scope
        game = next(game for game in self.games if game.game_id == scope.game_id)
        seed = self.seed()
        return await self.executor.write(scope, lambda tx: work(system_unit(tx, game, self.now, seed)))

    async def add(
        self, url: str, *, key: str = "first", events: tuple[str, ...] = ("*",), scope: Scope | None = None
    ) -> EndpointOnce:
        """Register an endpoint; URLs were judged before."""
        return await self.unit(lambda unit: endpoints.add_endpoint(unit, VAULT, key=key, url=url, events=events), scope)

    async def emit(self, count: int = 1, scope: Scope | None = None) -> None:
        """Let events happen, a millisecond between two of them."""
        for _ in range(count):
            await self.unit(lambda unit: unit.emit(sample(KIND)), scope)
            self.now += 1

    async def run_due(self) -> None:
        """Run the due work that has come due."""
        for work in await self.executor.read(self.scope, lambda tx: due.due(tx, self.now, 100)):
            if work.kind in AREAS.due:
                await self.unit(lambda unit, work=work: run_due(unit, work))  # type: ignore[misc] # bound at once

    def deliveries(self, scope: Scope | None = None) -> list[Delivery]:
        """Every delivery, oldest first."""
        return self.store.read(scope or self.scope, lambda tx: tx.scan(DELIVERIES_BY_TIME))

    def delivery(self, delivery_id: str) -> Delivery:
        """One delivery as it is now."""
        row = self.store.read(self.scope, lambda tx: tx.get(DELIVERIES, delivery_id))
        assert row is not None
        return row

    def endpoint(self, endpoint_id: str) -> Endpoint:
        """One endpoint as it is now."""
        row = self.store.read(self.scope, lambda tx: tx.get(ENDPOINTS, endpoint_id))
        assert row is not None
        return row

    async def until_all(self, status: str, *, scope: Scope | None = None) -> None:
        """Wait until every delivery has this status."""
        await self.executor.until(lambda: all(row.status == status for row in self.deliveries(scope)))

    async def until_attempts(self, attempts: int) -> None:
        """Wait until so many attempts are recorded over all deliveries."""
        await self.executor.until(lambda: sum(row.attempt for row in self.deliveries()) >= attempts)

    @contextlib.asynccontextmanager
    async def sender(
        self,
        *,
        options: SenderOptions | None = None,
        vault: KeyVault = VAULT,
        wait: Wait = wait_for_event,
        timeout_seconds: float = 10.0,
        observer: Recorder | None = None,
        executor: Executor | None = None,
        names: NameService | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> AsyncIterator[Sender]:
        """A sender that works while the block runs."""
        poster = Poster(NetworkRules(), now=lambda: self.now, timeout_seconds=timeout_seconds, names=names)
        sender = Sender(
            executor or self.executor,
            vault,
            poster,
            now=lambda: self.now,
            seed=self.seed,
            options=options,
            observer=observer,
            tell=tell,
            wait=wait,
        )
        await sender.start()
        try:
            yield sender
        finally:
            await sender.stop()


@attrs.define(eq=False)
class Recorder:
    """An observer that remembers."""

    results: list[str] = attrs.field(factory=list)
    counts: list[int] = attrs.field(factory=list)
    trips: int = 0
    unsealed: int = 0

    def attempted(self, *, result: str, seconds: float) -> None:
        """Remember a result."""
        assert seconds >= 0
        self.results.append(result)

    def under_way(self, count: int) -> None:
        """Remember how many there were."""
        self.counts.append(count)

    def tripped(self) -> None:
        """Count a trip."""
        self.trips += 1

    def unsealable(self) -> None:
        """Count an attempt that could not be signed."""
        self.unsealed += 1


@contextlib.asynccontextmanager
async def deployment(folder: Path, kind: Kind = "sqlite") -> AsyncIterator[Deployment]:
    """A fresh deployment with two games."""
    with ExitStack() as stack:
        store: SqliteStore | PostgresStore
        executor: Executor
        if kind == "sqlite":
            store = SqliteStore(folder / "delivery.db", now=lambda: START)
            executor = SqliteExecutor(store)
        else:
            stack.enter_context(started_server())
            store = PostgresStore(stack.enter_context(ready_database()))
            executor = PostgresExecutor(store)
        made = Deployment(store, Watched(executor))
        try:
            await made.make_game()
            await made.make_game()
            yield made
        finally:
            await made.executor.close()


def play(folder: Path, scenario: Callable[[Deployment], Awaitable[None]], kind: Kind = "sqlite") -> None:
    """Run a scenario on a fresh deployment."""

    async def run() -> None:
        async with deployment(folder, kind) as made:
            await scenario(made)

    asyncio.run(run())


def ids(received: list[bytes]) -> list[str]:
    """The event ids of bodies."""
    return [str(json.loads(body)["id"]) for body in received]
