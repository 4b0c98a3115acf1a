"""What the tests of commerce share: a game with exchange rates, and buying in it."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

from livecore import World
from livecore.api.invariants import faults_in
from livecore.kernel.storage.examination import Finding
from livecore.kernel.storage.memory import MemoryReader
from livecore.kernel.storage.reads import Scan
from livecore.world import Caller, WorldPlayer
from tests.worlds import Reply, ask, scope_of, world

R = TypeVar("R")
RATES = {"EUR": "1.08", "JPY": "0.0067", "KWD": "3.25"}
GEMS: dict[str, object] = {
    "store": "app_store",
    "product_id": "gems",
    "product_type": "consumable",
    "amount_minor": 999,
    "currency": "USD",
}
"""A good purchase, but for its transaction."""


def shop() -> World:
    """A world whose game knows some currencies."""
    return world(exchangeRates=RATES)


def buy(player: Caller, transaction_id: str, **changes: object) -> Reply:
    """Report a purchase, as the player's client."""
    return ask(player, "purchases.track", transaction_id=transaction_id, **{**GEMS, **changes})


def report(player: WorldPlayer, transaction_id: str, **changes: object) -> Reply:
    """Report a purchase of a player, as the studio's backend."""
    arguments = {**GEMS, **changes}
    return ask(
        player.world.server,
        "purchases.track",
        external_id=player.external_id,
        transaction_id=transaction_id,
        **arguments,
    )


class Looking(MemoryReader):
    """A reader of a world's rows that knows the order of each table's key as well: the store in memory keeps none."""

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        index = scan.index
        if index in index.table.indexes:
            return super().scan(scan)
        held = self._tables.get(index.table)
        position_of: Any = index.position_of
        rows = [] if held is None else sorted(held.rows.values(), key=position_of)
        beyond = [row for row in rows if scan.after is None or position_of(row) > scan.after]
        return beyond[: scan.limit]


def found_wrong(game: World) -> list[Finding]:
    """What a check of the game's test environment would find."""
    scope = scope_of(game)
    tables = game.store.reader(scope)._tables
    return list(faults_in(scope, lambda: Looking(tables), lambda _: None, Counter()))
