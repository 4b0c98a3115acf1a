"""Several lists of reads are one question to the store, and each comes back as the list that was asked for."""

from __future__ import annotations

from livecore.kernel.reads import Each, Get, Scan
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction
from tests.laws.far_store import FarStore
from tests.stores.tables import HEROES, IN_GUILD, Hero

_SCOPE = Scope("gam_together", "test")


def _heroes(tx: Transaction) -> list[Hero]:
    heroes = [Hero(id=f"hero_{at}", level=at, guild=f"g{at % 2}") for at in range(4)]
    return [tx.insert(HEROES, hero) for hero in heroes]


def test_lists_of_reads_are_read_in_one_round_and_come_back_as_lists() -> None:
    """In the order of the reads, with nothing where there is no row; no reads give an empty list."""
    store = FarStore()
    heroes = store.write(_SCOPE, _heroes)
    store.taken_rounds()
    keys, guilds = ("hero_2", "nobody", "hero_0"), ("g1", "g0")
    nobody: Each[Hero | None] = Each([])
    rows, members, nothing = store.read(
        _SCOPE,
        lambda tx: tx.read_together(
            Each([Get(HEROES, (key,)) for key in keys]),
            Each([Scan(IN_GUILD, (guild,)) for guild in guilds]),
            nobody,
        ),
    )
    assert rows == [heroes[2], None, heroes[0]]
    assert [[hero.id for hero in found] for found in members] == [["hero_1", "hero_3"], ["hero_0", "hero_2"]]
    assert nothing == []
    assert store.taken_rounds() == 1
