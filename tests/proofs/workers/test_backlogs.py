"""What an operator sees of webhooks that wait, on servers of one and of two processes: the same, and nothing twice."""

from __future__ import annotations

import asyncio
from contextlib import closing
from functools import partial

import pytest
from prometheus_client.parser import text_string_to_metric_families

from livecore.api.maintenance import NewGame, system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.database import open_store
from livecore_server.system import draw_seed, now_millis
from livecore_server.vault import new_key
from tests.faults.siege import pause
from tests.patience import PATIENCE_SECONDS
from tests.samples import sample
from tests.server.commands import Command
from tests.server.serving import http, make_game
from tests.workers.cluster import Cluster, serving_workers

_MANY = 1_200


def _emit(tx: Transaction, made: NewGame, count: int) -> None:
    unit = system_unit(tx, made.game, now_millis(), draw_seed())
    for _ in range(count):
        unit.emit(sample("friend.removed"))


def _wait_for(made: NewGame, database: str, count: int) -> None:
    """Let so many events happen in the game's live environment, while no server runs."""
    scope = Scope(made.game.game_id, "live")
    with closing(open_store(database)) as store:
        for _ in range(count // 100):
            store.write(scope, partial(_emit, made=made, count=100))


async def _gauges(cluster: Cluster) -> dict[str, dict[str, float]]:
    """What the metrics say of each endpoint, once somebody has looked: by family, and by endpoint."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            reply = await cluster.ask(http("GET", "/metrics"))
            families = text_string_to_metric_families(reply.body.decode())
            found = {
                family.name: {sample.labels.get("endpoint", ""): sample.value for sample in family.samples}
                for family in families
                if family.name.startswith("livecore_webhook")
            }
            if found.get("livecore_webhook_deliveries_waiting"):
                return found
            await pause()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_backlog_is_seen_once_however_many_processes_count_it(
    url: str, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """As long as the pause lasts, also after all processes were replaced; the list of endpoints says the same."""
    made, livecore, key = make_game(url), Command(capsys), new_key()
    place = ["--database", url, "--game", made.game.game_id]
    about = ["--environment", "live", "--url", "https://hooks.example.com/in", "--events", "friend.removed"]
    endpoint = livecore.done("webhooks", "add", *place, *about, "--vault-key", key, "--json").json["endpointId"]
    livecore.done("webhooks", "pause", *place, endpoint)
    _wait_for(made, url, _MANY)
    (row,) = livecore.done("webhooks", "list", *place, "--json").json["endpoints"]
    assert (row["waiting"], row["held"]) == (_MANY, _MANY)
    for _ in range(2):
        with serving_workers(url, "--vault-key", key, workers=workers, game=made) as cluster:
            found = asyncio.run(_gauges(cluster))
            assert found["livecore_webhook_deliveries_waiting"] == {endpoint: _MANY}
            assert found["livecore_webhook_deliveries_held"] == {endpoint: _MANY}
            assert found["livecore_webhook_oldest_waiting_seconds"][endpoint] > 0
            assert 0 < found["livecore_webhook_paused_since_seconds"][endpoint] < now_millis() / 1000
            assert found["livecore_webhook_endpoints_unsealable"] == {"": 0}
            assert cluster.stop() == 0
            assert not any("signing secrets" in line for line in cluster.log.to_the_end())


@pytest.mark.parametrize("workers", [1, 2])
def test_a_wrong_vault_key_is_told_once_at_the_start(
    url: str, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """By one line for all workers; the server serves nevertheless, and its metrics say it as long as it lasts."""
    made, livecore = make_game(url), Command(capsys)
    about = ["--game", made.game.game_id, "--environment", "live", "--url", "https://hooks.example.com/in", "--json"]
    added = livecore.done("webhooks", "add", "--database", url, *about, "--vault-key", new_key())
    with serving_workers(url, "--vault-key", new_key(), workers=workers, game=made) as cluster:
        found = asyncio.run(_gauges(cluster))
        assert found["livecore_webhook_endpoints_unsealable"] == {"": 1}
        assert asyncio.run(cluster.ask(cluster.register("anna"))).status == 201
        assert cluster.stop() == 0
        told = [line for line in cluster.log.to_the_end() if "signing secrets of webhook endpoints" in line]
    assert len(told) == 1
    assert added.json["endpointId"] in told[0]
