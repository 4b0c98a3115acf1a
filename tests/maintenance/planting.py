"""How a fault is planted in a database: a row is changed, removed or added, against what operations would leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from livecore.kernel.storage.examination import in_key_order
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.players.player import BY_EXTERNAL_ID, Player

Plant = Callable[[Transaction], None]
NOBODY: Final = PlayerId("plr_nobody")
GONE: Final = PlayerId("plr_gone")


def rows(tx: Transaction, table: Table[Any]) -> list[Any]:
    """All rows of a table, by key."""
    return tx.scan(in_key_order(table))


def player(tx: Transaction, name: str) -> Player:
    """One of the two players that are always there."""
    found = tx.find(BY_EXTERNAL_ID, name)
    assert found is not None
    return found


def change(table: Table[Any], pick: Callable[[Transaction], Any], **changes: object) -> Plant:
    """A fault: some fields of a row are other ones."""

    def plant(tx: Transaction) -> None:
        tx.put(table, evolve(pick(tx), **changes))

    return plant


def remove(table: Table[Any], pick: Callable[[Transaction], tuple[Any, ...]]) -> Plant:
    """A fault: a row is gone."""
    return lambda tx: tx.delete(table, *pick(tx))


def add(table: Table[Any], make: Callable[[Transaction], Any]) -> Plant:
    """A fault: a row too many."""

    def plant(tx: Transaction) -> None:
        tx.insert(table, make(tx))

    return plant


def both(*plants: Plant) -> Plant:
    """Several faults at once."""

    def plant(tx: Transaction) -> None:
        for one in plants:
            one(tx)

    return plant
