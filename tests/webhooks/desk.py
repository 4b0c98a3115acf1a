"""One game's webhooks over any store, with a clock that is set by hand: events happen, and attempts end as a test says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar

import attrs

import livecore.api  # noqa: F401 - declares every table of the service
from livecore.access.directory import Game
from livecore.api.configuration.game_config import GameConfig
from livecore.api.maintenance import make_game, run_due, system_unit
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Store
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units import due
from livecore.kernel.units.unit import Actor, Unit
from livecore.webhooks import dispatch, endpoints
from livecore.webhooks.dispatch import Attempt
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, Delivery
from livecore.webhooks.outcome import answered
from tests.samples import sample

T = TypeVar("T")
START: Final[Millis] = int(Timestamp.parse("2026-01-01T00:00:00.000Z"))


@attrs.define(eq=False)
class Desk:
    """A game's test environment with one endpoint, `first`, that takes everything."""

    store: Store
    game: Game
    now: Millis = START
    drawn: int = 0

    @property
    def scope(self) -> Scope:
        """Where everything happens."""
        return Scope(self.game.game_id, "test")

    def unit(self, work: Callable[[Unit], T]) -> T:
        """Run `work` in a unit of the service itself."""
        self.drawn += 1
        now, seed = self.now, derive_seed(b"webhooks", "desk", self.drawn)
        return self.store.write(self.scope, lambda tx: work(system_unit(tx, self.game, now, seed)))

    def emit(self, count: int = 1, *, apart: Millis = 1) -> None:
        """Let so many events happen in one unit, or apart from each other."""

        def at_once(unit: Unit) -> None:
            for _ in range(count):
                unit.emit(sample("friend.removed"))

        if not apart:
            self.unit(at_once)
            return
        for _ in range(count):
            self.unit(lambda unit: unit.emit(sample("friend.removed")))
            self.now += apart

    def lease(self, most: int = 1_000) -> list[Attempt]:
        """Take what is due, as a sender does."""
        return self.unit(lambda unit: dispatch.lease_due(unit, most))

    def end(self, attempts: Sequence[Attempt], status: int = 204) -> None:
        """Record that attempts were answered with this status; the breaker has patience."""
        outcome = answered(status, now=self.now)

        def record(unit: Unit) -> None:
            for attempt in attempts:
                dispatch.record_attempt(unit, attempt.delivery_id, attempt.number, outcome, threshold=1_000_000)

        self.unit(record)

    def fail_all(self) -> None:
        """Have what is due fail once, four at a time."""
        while attempts := self.lease():
            self.end(attempts, 500)

    def run_due(self) -> int:
        """Run the due work that has come due, once; gives how much there was."""
        found = self.store.read(self.scope, lambda tx: due.due(tx, self.now, 100))
        for work in found:
            self.unit(partial(run_due, work=work))
        return len(found)

    def deliveries(self) -> list[Delivery]:
        """Every delivery, in the order in which they were queued."""
        return self.store.read(self.scope, lambda tx: tx.scan(DELIVERIES_BY_TIME))


def opened(store: Store) -> Desk:
    """A new game over a store."""
    made = store.write(
        DIRECTORY,
        lambda tx: make_game(tx, GameConfig(), START, Entropy(b"desk"), studio_name="S", actor=Actor("system")),
    )
    desk = Desk(store, made.game)
    url = "https://hooks.example/in"
    desk.unit(lambda unit: endpoints.add_endpoint(unit, PlainVault(), key="first", url=url, events=["*"]))
    return desk
