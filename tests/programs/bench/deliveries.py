"""Webhook deliveries a second: events that wait in the outbox when the server starts, and a receiver on this machine.

The clock runs from the moment at which the receiver answers the first to the last delivery; the server's start is no part
of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Final

from livecore.kernel.scope import Scope
from livecore.webhooks import endpoints
from livecore_server.storage.database import vault_for
from tests.programs.bench import game
from tests.programs.bench.databases import Database, StoreName, fresh
from tests.programs.bench.figures import DeliveriesRow
from tests.programs.bench.inside import inside
from tests.programs.bench.processes import Made, Receiver, make_game, receiver, serve

_EVENT: Final = "player.registered"
_PATIENCE_SECONDS: Final = 60.0


def measure(store: StoreName, workers: int, deliveries: int, receivers: int) -> DeliveriesRow:
    """Queue so many deliveries in all, and have them sent. Raises `CannotRun`."""
    events = deliveries // receivers
    with fresh(store) as database, receiver(events * receivers) as receiving:
        made = make_game(database, game.CONFIG)
        _queue(database, made, [f"{receiving.address}/{number}" for number in range(receivers)], events)
        with serve(database, made, workers=workers) as served:
            before, database_before = served.usage(), database.usage()
            summary = _received(receiving)
            used, database_used = served.usage(), database.usage()
    return DeliveriesRow(
        store=store,
        workers=workers,
        endpoints=receivers,
        deliveries=events * receivers,
        repeated=int(summary["repeated"]),
        per_second=events * receivers / summary["seconds"],
        server_cpu_seconds=used.cpu_seconds - before.cpu_seconds,
        server_memory_mb=used.memory_mb,
        database_cpu_seconds=(
            database_used.cpu_seconds - database_before.cpu_seconds if database_used and database_before else None
        ),
    )


def _queue(database: Database, made: Made, urls: Sequence[str], events: int) -> None:
    """Endpoints at these addresses, and players whose registration each of them is told of."""
    vault = vault_for(database.url, None)
    with inside(database) as asked:
        for number, url in enumerate(urls):
            add = partial(endpoints.add_endpoint, vault=vault, key=f"endpoint-{number}", url=url, events=[_EVENT])
            asked.as_service(Scope(made.game_id, "test"), add)
        for _ in asked.ask_all(game.register(made.client_key, f"player-{number}") for number in range(events)):
            pass


def _received(receiving: Receiver) -> dict[str, float]:
    receiving.go()
    summary: dict[str, float] = json.loads(receiving.line(_PATIENCE_SECONDS))
    return summary
