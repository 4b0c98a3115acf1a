"""What waits for endpoints as the metrics show it: looked at now and then, bounded, and the same in every process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args

import psycopg
import pytest

from livecore.kernel.errors import Overloaded
from livecore.webhooks import dispatch, endpoints
from livecore.webhooks.backlog import backlog_of
from livecore_server.background.webhooks.backlogs import BacklogLoop
from livecore_server.backlog_gauges import MOST_ENDPOINTS, BacklogGauges, WatchedEndpoint
from livecore_server.storage.postgres import PostgresStore
from livecore_server.vault import KeyVault
from tests.delivery.rig import START, VAULT, Deployment, Kind, play
from tests.patience import PATIENCE_SECONDS

KINDS: tuple[Kind, ...] = get_args(Kind)
URL = "https://hooks.example/in"
WAITING = "livecore_webhook_deliveries_waiting"
HELD = "livecore_webhook_deliveries_held"
OLDEST = "livecore_webhook_oldest_waiting_seconds"
PAUSED = "livecore_webhook_paused_since_seconds"
UNSEALABLE = "livecore_webhook_endpoints_unsealable"


def shown(gauges: BacklogGauges) -> dict[str, dict[tuple[str, ...], float]]:
    """The value of each series, by the name of its family and the values of its labels."""
    return {
        family.name: {
            tuple(sample.labels[name] for name in ("game", "environment", "endpoint") if name in sample.labels): (
                sample.value
            )
            for sample in family.samples
        }
        for family in gauges.collect()
    }


@pytest.mark.parametrize("kind", KINDS)
def test_each_endpoint_has_its_own_figures(tmp_path: Path, kind: Kind) -> None:
    """In every game and environment: how much waits and is held, for how long, and since when there is a pause."""

    async def scenario(made: Deployment) -> None:
        gauges = BacklogGauges(lambda: made.now)
        loop = BacklogLoop(made.executor, VAULT, gauges)
        first = (await made.add(URL)).endpoint.endpoint_id
        other = (await made.add(URL, scope=made.other_scope)).endpoint.endpoint_id
        one = (made.scope.game_id, "test", first)
        two = (made.other_scope.game_id, "test", other)
        await loop.look()
        assert shown(gauges) == {
            WAITING: {one: 0, two: 0}, HELD: {one: 0, two: 0}, OLDEST: {one: 0, two: 0}, PAUSED: {one: 0, two: 0},
            UNSEALABLE: {(): 0},
        }  # fmt: skip
        await made.emit(2)
        await made.unit(lambda unit: endpoints.pause(unit, "first"))
        await made.unit(lambda unit: dispatch.lease_due(unit, 10))
        await made.emit(3)
        await made.emit(1, made.other_scope)
        made.now = START + 90_000
        await loop.look()
        found = shown(gauges)
        assert (found[WAITING], found[HELD]) == ({one: 5, two: 1}, {one: 5, two: 0})
        assert found[OLDEST] == {one: 90, two: 89.995}
        assert found[PAUSED] == {one: (START + 2) / 1000, two: 0}
        await made.unit(lambda unit: endpoints.unpause(unit, "first"))
        await made.unit(lambda unit: endpoints.remove_endpoint(unit, "first"), made.other_scope)
        await loop.look()
        found = shown(gauges)
        assert (found[WAITING], found[HELD], found[PAUSED]) == ({one: 5}, {one: 0}, {one: 0})

    play(tmp_path, scenario, kind)


def test_a_long_backlog_is_counted_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much waits, a look reads a bounded number of rows; the age of the oldest is exact."""

    async def scenario(made: Deployment) -> None:
        gauges = BacklogGauges(lambda: made.now)
        await made.add(URL)
        await made.unit(lambda unit: endpoints.pause(unit, "first"))
        await made.emit(7)
        monkeypatch.setattr(backlog_of, "__kwdefaults__", {"limit": 5})
        made.now = START + 60_000
        await BacklogLoop(made.executor, VAULT, gauges).look()
        found = shown(gauges)
        assert [list(found[name].values()) for name in (WAITING, HELD, OLDEST)] == [[5], [5], [60]]

    play(tmp_path, scenario)


def test_endpoints_that_cannot_be_signed_for_are_counted(tmp_path: Path) -> None:
    """By the newest secret of each: a key that opens only an earlier one does not help."""

    async def scenario(made: Deployment) -> None:
        gauges, new = BacklogGauges(lambda: made.now), KeyVault([b"x" * 32])
        for key in ("first", "second"):
            await made.add(URL, key=key)
        loop = BacklogLoop(made.executor, new, gauges)
        await loop.look()
        assert shown(gauges)[UNSEALABLE] == {(): 2}
        await made.unit(lambda unit: endpoints.rotate_endpoint_secret(unit, new, "first"))
        await loop.look()
        assert shown(gauges)[UNSEALABLE] == {(): 1}

    play(tmp_path, scenario)


def test_a_store_that_fails_leaves_the_figures_and_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next look brings them up to date."""

    async def scenario(made: Deployment) -> None:
        gauges = BacklogGauges(lambda: made.now)
        await made.add(URL)
        await made.emit()
        looked = asyncio.Event()
        loop = BacklogLoop(made.executor, VAULT, gauges, interval_seconds=0)
        look, faults = loop.look, [Overloaded(1), RuntimeError("unexpected")]

        async def failing() -> None:
            if faults:
                raise faults.pop()
            await look()
            looked.set()

        monkeypatch.setattr(loop, "look", failing)
        running = asyncio.create_task(loop.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            await looked.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert list(shown(gauges)[WAITING].values()) == [1]

    play(tmp_path, scenario)


def watched(number: int, *, waiting: int = 0, paused_at: int | None = None) -> WatchedEndpoint:
    """An endpoint with as much waiting as is said."""
    return WatchedEndpoint(
        labels=("gam_1", "live", f"whe_{number:04}"), waiting=waiting, held=waiting // 2,
        oldest_at=START + number if waiting else None, paused_at=paused_at, sealed=False,
    )  # fmt: skip


def test_a_look_after_a_restart_of_the_database_uses_a_new_connection(tmp_path: Path) -> None:
    """The connections that were idle have ended meanwhile, without anybody having noticed."""

    async def scenario(made: Deployment) -> None:
        gauges = BacklogGauges(lambda: made.now)
        await made.add(URL)
        loop = BacklogLoop(made.executor, VAULT, gauges)
        await loop.look()
        assert isinstance(made.store, PostgresStore)
        with made.store.wire() as wire:
            url = wire.connection.info.dsn
        with psycopg.connect(url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        gauges.seen = []
        await loop.look()
        assert len(gauges.seen) == 1

    play(tmp_path, scenario, "postgres")


def test_however_many_endpoints_there_are_the_series_are_bounded() -> None:
    """Paused ones and those with the longest backlog have names; the figures of all others are one series."""
    gauges = BacklogGauges(lambda: START + 10_000)
    quiet = [watched(number, waiting=2) for number in range(300)]
    gauges.seen = [*quiet, watched(900, waiting=5_000), watched(901, paused_at=START)]
    found = shown(gauges)
    assert {len(series) for name, series in found.items() if name != UNSEALABLE} == {MOST_ENDPOINTS + 1}
    assert found[WAITING]["gam_1", "live", "whe_0900"] == 5_000
    assert found[PAUSED]["gam_1", "live", "whe_0901"] == START / 1000
    others = ("other", "other", "other")
    assert (found[WAITING][others], found[HELD][others]) == (2 * 202, 202)
    assert found[OLDEST][others] == (10_000 - MOST_ENDPOINTS + 2) / 1000
    assert sum(found[WAITING].values()) == 2 * 300 + 5_000


def test_a_clock_that_was_set_back_gives_no_negative_age() -> None:
    """What was queued ahead of the clock has waited for no time."""
    gauges = BacklogGauges(lambda: START - 5_000)
    gauges.seen = [watched(1, waiting=1)]
    assert list(shown(gauges)[OLDEST].values()) == [0]
