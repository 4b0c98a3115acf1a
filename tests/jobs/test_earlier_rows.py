"""Work that an earlier release scheduled, in a table that had no cursor, goes on where it stood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from livecore.api import maintenance
from livecore.api.areas import AREAS
from livecore.kernel.storage import tables as registry
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, all_tables
from livecore.kernel.time import DAY, Millis, day_number
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE
from livecore.kernel.values import keyword_value as record
from livecore.players.player import PLAYERS, Player
from livecore.webhooks.outbox import DELIVERIES, DELIVERIES_BY_TIME, ENDPOINTS, EVENTS, Delivery, Endpoint, StoredEvent
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.jobs.paying import SCOPE, system
from tests.postgres.server import fresh_database

NOW: Millis = 1_800_000_000_000
LAST_SEEN: Millis = (day_number(NOW) - 1) * DAY - 1


@record
class EarlierDueWork:
    """Due work as it was before there were jobs."""

    kind: str
    ref: str
    due_at: Millis
    attempts: int = 0


def _earlier() -> Table[EarlierDueWork]:
    """The table of the earlier release, kept out of the register of tables."""
    ours = registry._TABLES.pop(DUE.name)
    table = Table(DUE.name, EarlierDueWork, key=("kind", "ref"))
    table.index("by_time", order=("due_at",))
    registry._TABLES[DUE.name] = ours
    return table


EARLIER = _earlier()


@contextmanager
def sqlite(folder: Path) -> Iterator[Callable[[list[Table[Any]]], SqliteStore]]:
    """Opens the same file each time, for a release that has these tables."""
    yield lambda tables: SqliteStore(folder / "livecore.db", tables=tables)


@contextmanager
def postgres(_: Path) -> Iterator[Callable[[list[Table[Any]]], PostgresStore]]:
    """The same with a database of a server."""
    with fresh_database() as url:
        yield lambda tables: PostgresStore(url, tables=tables)


def _player(number: int) -> Player:
    player_id = PlayerId(f"plr_{number:03d}")
    return Player(
        player_id=player_id,
        external_id=f"p{number}",
        pool_name="",
        first_seen_at=0,
        last_seen_at=LAST_SEEN,
        streak=2,
        best_streak=2,
        streak_day=day_number(LAST_SEEN),
    )  # fmt: skip


def _held(number: int) -> Delivery:
    return Delivery(
        delivery_id=f"whd_{number:03d}", event_id="evt_1", endpoint_id="whe_1", status="held", queued_at=NOW - number
    )


@pytest.mark.parametrize("opening", [sqlite, postgres])
def test_scheduled_work_of_an_earlier_release_is_done(
    opening: Callable[[Path], AbstractContextManager[Callable[[list[Table[Any]]], SqliteStore | PostgresStore]]],
    tmp_path: Path,
) -> None:
    """A release under way, a sweep of streaks that stands in its `ref`, and what recurs: nothing is lost or done twice."""
    with opening(tmp_path) as opened:
        works = [EarlierDueWork(kind=kind, ref="", due_at=NOW) for kind in AREAS.recurring]
        works.append(EarlierDueWork(kind="webhooks.release", ref="whe_1", due_at=NOW))
        works.append(EarlierDueWork(kind="players.streak_sweep", ref=f"{LAST_SEEN}:plr_090", due_at=NOW))
        with closing(opened([EARLIER])) as store:
            store.write(SCOPE, lambda tx: [tx.insert(EARLIER, work) for work in works])
        with closing(opened(list(all_tables()))) as store:
            _fill(store)
            ran: list[tuple[str, str]] = []
            while found := store.read(SCOPE, lambda tx: due.due(tx, NOW, 100)):
                # What goes on comes before what begins, so that the place in the `ref` counts.
                for work in sorted(found, key=lambda work: not work.ref):
                    ran.append((work.kind, work.ref))
                    assert store.write(SCOPE, lambda tx, work=work: maintenance.run_due(system(tx, NOW), work))  # type: ignore[misc] # bound at once
                    if work.ref.endswith("plr_090"):
                        streaks = store.read(SCOPE, lambda tx: [tx.get(PLAYERS, f"plr_{n:03d}") for n in range(180)])
                        assert [player is not None and player.streak for player in streaks] == [0] * 90 + [2] * 90
            assert ran.count(("webhooks.release", "whe_1")) == 2
            assert ran.count(("players.streak_sweep", "")) == 2
            assert {row.streak for row in store.dump()[SCOPE.id]["players"]} == {0}
            assert {row.status for row in store.read(SCOPE, lambda tx: tx.scan(DELIVERIES_BY_TIME))} == {"pending"}
            left = store.read(SCOPE, lambda tx: tx.scan(due.DUE_BY_TIME))
            assert {(row.kind, row.ref) for row in left} == {(kind, "") for kind in AREAS.recurring}
            assert all(NOW < row.due_at <= NOW + DAY and row.begun_at is None for row in left)


def _fill(store: SqliteStore | PostgresStore) -> None:
    """An endpoint with 150 deliveries held, and 180 players whose streak has ended."""

    def work(tx: Transaction) -> None:
        tx.insert(ENDPOINTS, Endpoint(endpoint_id="whe_1", key="first", url="https://hooks.example/in",
                                      events=JsonText("[]"), secrets=JsonText("[]"), created_at=0))  # fmt: skip
        tx.insert(EVENTS, StoredEvent(event_id="evt_1", kind="gift.sent", occurred_at=NOW, data=JsonText("{}")))
        for number in range(150):
            tx.insert(DELIVERIES, _held(number))
        for number in range(180):
            tx.insert(PLAYERS, _player(number))

    store.write(SCOPE, work)
