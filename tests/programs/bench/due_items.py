"""Due items a second: gifts that nobody claimed and that ran out while no server was running.

Each is a unit of work of its own, as in life: the grant and the gift expire, and the sender gets back what the gift cost.
The clock runs from the first to the last look in which some of them were left, on the rows of the database.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import cycle
from threading import Event
from typing import Final

import psycopg

from livecore.economy.grants import EXPIRE
from livecore.kernel.errors import Json
from livecore_server.storage.database import sqlite_path
from tests.programs.bench import game
from tests.programs.bench.databases import CannotRun, Database, StoreName, fresh
from tests.programs.bench.figures import DueRow
from tests.programs.bench.inside import inside
from tests.programs.bench.processes import Made, make_game, serve

_PLAYERS: Final = 100
_HOURS_AGO: Final = 2
_LOOK_EVERY_SECONDS: Final = 0.1
_LOOKS: Final = 1_200
_LEFT: Final = "SELECT count(*) FROM due_work WHERE kind = {mark}"


def measure(store: StoreName, workers: int, items: int) -> DueRow:
    """Let so many gifts expire. Raises `CannotRun`."""
    with fresh(store) as database:
        made = make_game(database, _config())
        _send(database, made, items)
        with due_left(database, EXPIRE) as left, serve(database, made, workers=workers) as served:
            before, database_before, first = served.usage(), database.usage(), left()
            seconds = _until_none(left)
            used, database_used = served.usage(), database.usage()
    return DueRow(
        store=store,
        workers=workers,
        items=first,
        per_second=first / seconds,
        server_cpu_seconds=used.cpu_seconds - before.cpu_seconds,
        database_cpu_seconds=(
            database_used.cpu_seconds - database_before.cpu_seconds if database_used and database_before else None
        ),
    )


def _config() -> dict[str, Json]:
    """The measured game, in which a gift waits for an hour."""
    gifting = game.CONFIG["gifting"]
    assert isinstance(gifting, dict)
    return {**game.CONFIG, "gifting": {**gifting, "claimExpirySeconds": 3_600}}


def _send(database: Database, made: Made, items: int) -> None:
    key, names = made.client_key, [f"player-{number}" for number in range(_PLAYERS)]
    pairs = list(zip(names[::2], names[1::2], strict=True))
    with inside(database, hours_ago=_HOURS_AGO) as asked:
        registered = asked.ask_all(game.register(key, name) for name in names)
        secrets = {data["player"]["externalPlayerId"]: data["playerSecret"] for data in registered}
        for one, other in (*pairs, *((other, one) for one, other in pairs)):
            asked.ask(game.add(key, one, secrets[one], other))
        for giver, _ in pairs:
            asked.ask(game.credit(made.server_key, giver, 10**9))
        sends = (
            game.send_gift(key, giver, secrets[giver], taker, number)
            for number, (giver, taker) in zip(range(items), cycle(pairs), strict=False)
        )
        for _ in asked.ask_all(sends):
            pass


@contextmanager
def due_left(database: Database, kind: str) -> Iterator[Callable[[], int]]:
    """Asks how many items of a kind are left, beside the server."""
    if database.store == "sqlite":
        with closing(sqlite3.connect(f"file:{sqlite_path(database.url)}?mode=ro", uri=True)) as file:
            yield lambda: int(file.execute(_LEFT.format(mark="?"), [kind]).fetchone()[0])
        return
    with closing(psycopg.connect(database.url, autocommit=True)) as connection:

        def count() -> int:
            row = connection.execute(_LEFT.format(mark="%s"), [kind]).fetchone()
            assert row is not None
            return int(row[0])

        yield count


def _until_none(left: Callable[[], int]) -> float:
    """Seconds until nothing is left, to the tenth of a second in which that is seen."""
    started = time.perf_counter()
    for _ in range(_LOOKS):
        if left() == 0:
            return time.perf_counter() - started
        Event().wait(_LOOK_EVERY_SECONDS)
    raise CannotRun(f"{left()} due items had not run within two minutes")
