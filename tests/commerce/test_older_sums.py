"""Databases whose sums of purchases had no verified parts: a new release computes them from the purchases, once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from livecore import World
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.store import Store
from livecore.kernel.time import DAY, Timestamp
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.commerce.shop import buy, report
from tests.older_databases import KINDS, Layout, make_older, place_of, store_in
from tests.worlds import ask, config, scope_of

_SUMS: Final = ("spend_totals", "spend_days", "product_days")
_FORGET: Final = (
    *(f"ALTER TABLE {name} DROP COLUMN verified_cents" for name in _SUMS),
    "DELETE FROM livecore_migrations WHERE number = 6",
)


def _forget(layout: Layout) -> None:
    for name in _SUMS:
        del layout[name]["columns"]["verified_cents"]


def _world_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("livecore.world.game.MemoryStore", lambda: store)
    return World(config())


def _bought(world: World) -> None:
    """Several players buy on several days and in both environments' way: reported, verified later, verified at once."""
    for number, name in enumerate(("anna", "bert", "cleo")):
        player = world.player(name)
        for place in range(9):
            at = str(Timestamp(world.now - place * DAY))
            bought: JsonObject = {
                "product_id": f"p{place % 2}",
                "amount_minor": 10 + number + place,
                "purchased_at": at,
            }
            transaction = f"{name}-{place}"
            assert buy(player, transaction, **bought).status == 200
            if place % 3 == number:
                assert report(player, transaction, validation_status="verified", **bought).status == 200
    ask(world.server, "players.flagDebug", external_id="cleo")


def _figures(world: World) -> list[JsonObject]:
    one_by_one = [
        ask(world.server, "spend.get", external_id=name, windows=[2]).data for name in ("anna", "bert", "cleo")
    ]
    return [ask(world.server, "spend.summary").data, ask(world.server, "spend.listPlayers").data, *one_by_one]


def _goes_on(world: World, before: list[JsonObject]) -> None:
    """The figures are those of before, and what is bought, verified and merged from then on agrees as ever."""
    assert _figures(world) == before
    assert before[0]["verifiedAmountMinor"] not in (0, before[0]["grossAmountMinor"])
    anna = world.server
    more = {"product_id": "p1", "amount_minor": 11}
    assert ask(anna, "purchases.track", external_id="anna", transaction_id="anna-1", store="app_store",
               product_type="consumable", currency="USD", validation_status="verified", **more).status == 200  # fmt: skip
    assert ask(anna, "players.merge", external_id="bert", to_external_id="anna").status == 200


def _continue(world: World, store: Store) -> World:
    world.store = store  # type: ignore[assignment] # a store that is not the world's own
    world.application.store = store
    return world


def _findings(world: World, store: SqliteStore | PostgresStore) -> list[str]:
    found = check(store, [scope_of(world)], lambda _: None).findings
    return [f"{finding.table} {finding.key} {finding.problem}" for _, finding in found]


@pytest.mark.parametrize("kind", KINDS)
def test_a_database_from_before_gets_the_verified_parts(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its old rows say how much is verified, and a check finds nothing."""
    with place_of(kind, tmp_path) as place:
        with closing(store_in(place)) as store:
            world = _world_over(store, monkeypatch)
            _bought(world)
            before = _figures(world)
        make_older(place, _FORGET, _forget)
        with closing(store_in(place)) as store:
            assert store.migrated == ["verified-sums"]
            assert _findings(world, store) == []
            _goes_on(_continue(world, store), before)
            assert _findings(world, store) == []
