"""Metrics: what is counted, that labels cannot grow, and who may read them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from livecore_server.metrics import CONTENT_TYPE, Metrics
from tests.server.serving import Server, serving


async def samples(server: Server) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample by name and labels, as Prometheus reads them."""
    reply = await server.ask("GET", "/metrics")
    assert reply.headers["content-type"] == CONTENT_TYPE
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.body.decode())
        for sample in family.samples
    }


def test_requests_are_counted_by_operation_and_status(tmp_path: Path) -> None:
    """Refusals are requests too; what has no route is `none`."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            await server.register("ann")
            await server.sdk("POST", "/ann/register")
            await server.ask("GET", "/wp-login.php")
            found = await samples(server)
            counted = {labels: value for (name, labels), value in found.items() if name == "livecore_requests_total"}
            register = ("operation", "sdk:players.register")
            assert counted == {
                (register, ("status", "201")): 1,
                (register, ("status", "409")): 1,
                (("operation", "none"), ("status", "404")): 1,
            }
            assert found["livecore_request_seconds_count", (register,)] == 2
            assert found["livecore_request_seconds_bucket", (("le", "+Inf"), register)] == 2
            assert found["livecore_commit_seconds_count", ()] >= 1
            assert found["livecore_requests_in_progress", ()] == 1

    asyncio.run(scenario())


def test_labels_do_not_grow_with_players_and_paths(tmp_path: Path) -> None:
    """A scanner that tries a thousand paths, or a game with a thousand players, adds no series."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            await server.register("ann")
            await server.ask("GET", "/path0")
            await samples(server)
            before = set(await samples(server))
            for number in range(20):
                await server.register(f"player{number}")
                await server.ask("GET", f"/path{number}?query={number}")
            # Due work may run for the first time meanwhile, and has a series for each of its few kinds.
            assert {series for series in await samples(server) if series[0] != "livecore_due_work_total"} <= before

    asyncio.run(scenario())


async def ping(server: Server, sdk: str | None) -> None:
    """Show a key, and name an SDK."""
    named = {} if sdk is None else {"X-Svc-SDK": sdk}
    headers = {"Authorization": f"Bearer {server.key('server')}", **named}
    assert (await server.ask("GET", "/server/v1/ping", headers=headers)).status == 200


def test_requests_are_counted_by_sdk(tmp_path: Path) -> None:
    """Those that showed a key: what has none, or what is no name and version, can make no label."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            for sdk in ("my-game/1.4.0", "my-game/1.4.0", 'x"} 1', None):
                await ping(server, sdk)
            await server.ask("GET", "/server/v1/ping", headers={"X-Svc-SDK": "stranger/1.0"})
            found = await samples(server)
            counted = {
                labels: value for (name, labels), value in found.items() if name == "livecore_sdk_requests_total"
            }
            assert counted == {
                (("sdk", "my-game/1.4.0"),): 2,
                (("sdk", "other"),): 1,
                (("sdk", "none"),): 1,
            }
        assert " sdk=my-game/1.4.0 " in server.log.getvalue()

    asyncio.run(scenario())


def test_the_log_of_the_file_is_measured_and_has_the_length_of_the_setting(tmp_path: Path) -> None:
    """Writes that need several times as many bytes as are set do not make it longer."""
    limit, log = 1024 * 1024, tmp_path / "game.db-wal"

    async def scenario() -> None:
        async with serving(tmp_path, checkpoint_bytes=limit) as server:
            await server.register("ann")
            found = await samples(server)
            assert 0 < found["livecore_write_ahead_log_bytes", ()] <= log.stat().st_size
            for number in range(300):
                await server.register(f"player-{number}")
            found = await samples(server)
            assert limit <= found["livecore_write_ahead_log_bytes", ()] < 10 * limit

    asyncio.run(scenario())


def test_who_invents_sdks_adds_a_bounded_number_of_labels() -> None:
    """The first hundred names stand for themselves, all others for `other`; nothing is left uncounted."""
    metrics = Metrics()
    for number in range(1_000):
        metrics.asked_by(f"invented/{number}")
    (family,) = [family for family in metrics.collect() if family.name == "livecore_sdk_requests"]
    counts = {sample.labels["sdk"]: sample.value for sample in family.samples}
    assert len(counts) == 101
    assert counts["other"] == 900


_PROXYS = (
    "CF-Connecting-IP", "CF-Ray", "Forwarded", "True-Client-IP", "Via", "X-Client-IP", "X-Forwarded-For",
    "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "x-real-ip",
)  # fmt: skip


@pytest.mark.parametrize("header", _PROXYS)
def test_on_the_main_address_metrics_are_for_this_machine(tmp_path: Path, header: str) -> None:
    """What a proxy passes on comes from elsewhere, and sees no such page."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            reply = await server.ask("GET", "/metrics", headers={header: "for=203.0.113.9"})
            assert (reply.status, reply.code) == (404, "route_not_found")

    asyncio.run(scenario())


@pytest.mark.parametrize("host", ["evil.test", "evil.test:80", "192.0.2.1", "livecore.internal", "localhost.evil.test"])
def test_metrics_are_read_by_a_name_of_this_machine(tmp_path: Path, host: str) -> None:
    """A proxy that adds no header passes on its caller's `Host`; so does a page whose name is resolved to this machine."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            reply = await server.ask("GET", "/metrics", headers={"Host": host})
            assert (reply.status, reply.code) == (404, "route_not_found")
            assert "LIVECORE_METRICS_ADDRESS" in str(reply.json)
            for name in ("localhost", f"localhost:{server.port}", "127.0.0.1", "127.8.8.8:80", "[::1]:9"):
                assert (await server.ask("GET", "/metrics", headers={"Host": name})).status == 200

    asyncio.run(scenario())


def test_metrics_can_have_an_address_of_their_own(tmp_path: Path) -> None:
    """There they are for everybody, and nothing else of the main address's pages is."""

    async def scenario() -> None:
        async with serving(tmp_path, metrics_address="127.0.0.1:0") as server:
            assert (await server.ask("GET", "/metrics")).status == 404
            server.port = int(server.service.addresses[1].rpartition(":")[2])
            others = {"X-Forwarded-For": "203.0.113.9", "Host": "livecore.internal:9100"}
            assert (await server.ask("GET", "/metrics", headers=others)).status == 200
            assert (await server.ask("GET", "/admin/v1/ready")).status == 404
            assert (await server.sdk("POST", "/ann/register")).status == 404

    asyncio.run(scenario())


def test_metrics_can_be_switched_off(tmp_path: Path) -> None:
    """Then there is no such page."""

    async def scenario() -> None:
        async with serving(tmp_path, metrics=False) as server:
            assert (await server.ask("GET", "/metrics")).status == 404

    asyncio.run(scenario())
