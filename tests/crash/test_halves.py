"""The checks of a database that has been through something find nothing wrong in one that has been through nothing."""

from __future__ import annotations

from itertools import count

import pytest

from livecore.kernel.errors import JsonObject
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.world import World
from tests.crash.game import CONFIG, PLAYERS
from tests.crash.halves import check_scope
from tests.laws.rows import PlaceRows


@pytest.mark.parametrize("seconds", [0, 10], ids=["while the window is open", "once its rows are removed"])
def test_what_everybody_left_is_accounted_for(seconds: int) -> None:
    """The answers speak of a team whose rows go with their window."""
    world, numbers = World(CONFIG), count()
    world.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://receiver.example/", events=["*"])
    )
    player = world.player(PLAYERS[0])

    def call(operation: str, **arguments: object) -> JsonObject:
        return player.call(operation, **arguments, idempotency_key=f"key-{next(numbers)}")

    world.server.call(
        "wallet.credit", external_id=PLAYERS[0], economy_key="gold", amount=5, idempotency_key="key-first"
    )
    call("teams.join", key="crews")
    call("teams.leave", key="crews")
    world.advance(seconds=seconds)
    rows = PlaceRows(world.store.dump()[world.scopes[0].id])
    assert bool(rows.tables.get("event_team_seats")) is (seconds == 0)
    check_scope(rows)
