"""Streams over a real socket, as server-sent events: opened, kept alive, bounded, and ended from either end.

The stream is the tests' own (`tests.boards`); its notices are published in the process that serves it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from livecore.access.directory import require_game
from livecore.access.keys import revoke_key
from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import write_config
from livecore.demo import DEMO
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import SYSTEM
from livecore.players.moderation import DEBUG_ACCOUNTS
from livecore_server.http import streams as streams_module
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.boards import ENDED
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.serving import Server, make_game, serving
from tests.server.stream_reader import (
    ALL,
    PATH,
    READY,
    Event,
    Reader,
    publish,
    reading,
    run,
    stuck,
    until_open,
)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the data is."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'game.db'}"
    else:
        with ready_database() as url:
            yield url


def test_it_tells_how_things_stand_and_then_what_changes(database: str, tmp_path: Path) -> None:
    """The head says what it is; the first message comes at once, others as they happen, in this environment alone."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert reader.status == 200
            assert reader.headers["content-type"] == "text/event-stream"
            assert reader.headers["cache-control"] == "no-cache, no-transform"
            assert (reader.headers["connection"], "content-length" in reader.headers) == ("close", False)
            assert await reader.next() == READY
            publish(server, 9, environment="live")
            publish(server, 1, "ann", "x\n\ny")
            assert await reader.next() == Event("update", {"player": "ann", "revision": 1, "text": "x\n\ny"}, "1")
            publish(server, 2, "")
            assert await reader.next() == Event("closed", {"reason": "finalized"})
            assert await reader.next() is None

    run(database, tmp_path, scenario)


def test_with_many_streams_what_follows_within_a_moment_is_sent_together(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update that is overtaken while messages are collected is never sent."""

    async def scenario(server: Server) -> None:
        streams, over = server.service._streams, asyncio.Event()

        async def until_over() -> None:
            await over.wait()

        async with reading(server) as reader:
            assert await reader.next() == READY
            monkeypatch.setattr(streams, "gather", until_over)
            publish(server, 1, "ann", "first")
            for _ in range(20):
                await asyncio.sleep(0)
            publish(server, 2, "ann", "second")
            over.set()
            assert await reader.next() == Event("update", {"player": "ann", "revision": 2, "text": "second"}, "2")

    run(database, tmp_path, scenario)


def test_the_moment_grows_with_the_streams_that_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one stream there is none."""

    async def scenario(server: Server) -> None:
        streams, paused = server.service._streams, []

        async def pause(seconds: float) -> None:
            paused.append(seconds)

        async with reading(server) as reader:
            assert await reader.next() == READY
            with monkeypatch.context() as patch:
                patch.setattr(streams_module, "asyncio", SimpleNamespace(sleep=pause))
                await streams.gather()
                streams.limits = attrs.evolve(streams.limits, gathering_seconds=0.1)
                await streams.gather()
            assert paused == [0.1]

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


def test_what_a_request_publishes_reaches_the_reader(database: str, tmp_path: Path) -> None:
    """A unit's notice, after its commit, becomes a message."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            assert (await server.studio("POST", "/boards/main", {"revision": 1, "player": "ann"})).status == 200
            assert await reader.next() == Event("update", {"player": "ann", "revision": 1, "text": ""}, "1")

    run(database, tmp_path, scenario)


def test_it_reaches_the_readers_of_another_process(tmp_path: Path) -> None:
    """Two servers on one database: what one commits, the other's readers are sent, and a key ends in both."""

    async def scenario(url: str) -> None:
        game = make_game(url)
        async with (
            serving(tmp_path, game=game, operations=ALL, database=url) as one,
            serving(tmp_path, game=game, operations=ALL, database=url) as two,
            reading(one) as near,
            reading(two) as far,
        ):
            assert [await near.next(), await far.next()] == [READY, READY]
            update = Event("update", {"player": "ann", "revision": 1, "text": ""}, "1")
            # Said again until it arrives: a process that is just coming up may not hear of others yet.
            arrived = asyncio.create_task(_first_update(far))
            while not arrived.done():
                assert (await one.studio("POST", "/boards/main", {"revision": 1, "player": "ann"})).status == 200
                await asyncio.wait([arrived], timeout=PATIENCE_SECONDS / 100)
            assert await arrived == update
            assert await _first_update(near) == update
            key = game.keys["test", "client"].key

            def revoke() -> None:
                with store_at(url) as store:
                    store.write(DIRECTORY, lambda tx: revoke_key(tx, game.game.game_id, key.key_id, now_millis()))

            await asyncio.get_running_loop().run_in_executor(None, revoke)
            for reader in (near, far):
                last = None
                while (event := await reader.next()) is not None:
                    last = event
                assert last == Event("closed", {"reason": "key_revoked"})

    with ready_database() as url:
        asyncio.run(scenario(url))


async def _first_update(reader: Reader) -> Event | None:
    while (event := await reader.next()) is not None and event.event != "update":
        pass
    return event


def test_the_first_message_is_of_what_is_committed(database: str, tmp_path: Path) -> None:
    """What was answered before is in it, and a notice of it that comes late is not told again."""

    async def scenario(server: Server) -> None:
        await server.register("ann")
        assert (await server.studio("POST", "/players/ann/debug", {})).status == 200
        async with reading(server) as reader:
            assert await reader.next() == Event("ready", {"revision": 1, "resync": False}, "1")
            publish(server, 1, "late")
            publish(server, 2, "bob")
            update = await reader.next()
            assert update is not None
            assert update.data["player"] == "bob"

    run(database, tmp_path, scenario)


def test_nothing_happens_unnoticed_while_it_opens(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change right after the state was read is told, and one right before it is in it."""

    async def scenario(server: Server) -> None:
        executor, read, revisions = server.service.executor, server.service.executor.read, iter(range(1, 100))

        async def interrupted(scope: Scope, work: Callable[[Transaction], Any]) -> object:
            result = await read(scope, work)
            if getattr(work, "func", None) == server.service.application.run:
                publish(server, next(revisions), "ann")
            return result

        monkeypatch.setattr(executor, "read", interrupted)
        async with reading(server) as reader:
            assert await reader.next() == READY
            # That of the first reading came before there was a subscriber.
            assert await reader.next() == Event("update", {"player": "ann", "revision": 2, "text": ""}, "2")

    run(database, tmp_path, scenario)


def test_what_was_missed_is_read_anew(database: str, tmp_path: Path) -> None:
    """After a gap in what was heard, the stream says once more how things stand, by what its reader was sent last."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            publish(server, 3)
            assert (await reader.next()) is not None
            server.service.executor.notices.miss()
            assert await reader.next() == Event("ready", {"revision": 0, "resync": True}, "0")
            publish(server, 4)
            assert await reader.next() == Event("update", {"player": "ann", "revision": 4, "text": ""}, "4")

    run(database, tmp_path, scenario)


def test_a_change_of_what_strangers_see_is_a_reason_to_read_anew(database: str, tmp_path: Path) -> None:
    """Whoever makes it and wherever: here through the database, as another process does."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            publish(server, 3)
            assert (await reader.next()) is not None
            strict = parse_config({**json.loads(DEMO), "privacy": {"strangers": {"country": False}}})

            def change(tx: Transaction) -> None:
                write_config(tx, require_game(tx, server.game.game.game_id), strict, now_millis(), SYSTEM)

            def apply() -> None:
                with store_at(database) as store:
                    store.write(DIRECTORY, change)

            await asyncio.get_running_loop().run_in_executor(None, apply)
            assert await reader.next() == Event("ready", {"revision": 0, "resync": True}, "0")

    run(database, tmp_path, scenario)


def test_a_reader_comes_back(database: str, tmp_path: Path) -> None:
    """The handler is given the last id; one that is none of ours does no harm."""

    async def scenario(server: Server) -> None:
        for last, resync in (("0", False), ("7", True), ("x" * 1000, True), ("é", True)):
            async with reading(server, last=last) as reader:
                assert await reader.next() == Event("ready", {"revision": 0, "resync": resync}, "0")

    run(database, tmp_path, scenario)


def test_what_is_over_ends_at_once(tmp_path: Path) -> None:
    """After the last message the connection is closed."""

    async def scenario(server: Server) -> None:
        async with reading(server, ENDED) as reader:
            assert [await reader.next(), await reader.next(), await reader.next()] == [
                READY,
                Event("closed", {"reason": "finalized"}),
                None,
            ]

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


def test_what_is_wrong_is_answered_like_any_request(tmp_path: Path) -> None:
    """The key, the method, a body, the arguments, and what the handler refuses: with the envelope, on an open connection."""

    async def scenario(server: Server) -> None:
        good = {"Authorization": f"Bearer {server.key('client')}"}
        for method, path, headers, code in (
            ("GET", PATH.format("main"), {}, "api_key_missing"),
            ("GET", PATH.format("main"), {"Authorization": f"Bearer {server.key('server')}"}, "wrong_permission_set"),
            ("POST", PATH.format("main"), good, "method_not_allowed"),
            ("GET", PATH.format("main") + "?x=1", good, "validation_failed"),
            ("GET", PATH.format("unknown"), good, "game_not_found"),
            ("GET", PATH.format("main"), {**good, "Content-Length": "2"}, "body_too_large"),
        ):
            reply = await server.ask(method, path, headers=headers)
            assert reply.code == code
            assert server.service.metrics.open_streams == 0

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


def test_a_quiet_stream_is_kept_alive(tmp_path: Path) -> None:
    """A comment each so many seconds, and messages in between all the same."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            for _ in range(3):
                assert await reader.block() == ":"
            publish(server, 1)
            update = await reader.next()
            assert update is not None
            assert update.event == "update"

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario, stream_heartbeat_seconds=0.1)


# -- bounds ---------------------------------------------------------------------------------------------------------------


def test_how_many_may_be_open(tmp_path: Path) -> None:
    """With one key 429, in the process 503, both with the time to come back; who leaves makes room."""

    async def scenario(server: Server) -> None:
        live = server.key("client", "live")
        headers = {"Authorization": f"Bearer {server.key('client')}"}
        async with reading(server) as one, reading(server) as two:
            assert (one.status, two.status) == (200, 200)
            reply = await server.ask("GET", PATH.format("main"), headers=headers)
            assert (reply.status, reply.code, reply.headers["retry-after"]) == (429, "rate_limited", "5")
            async with reading(server, key=live) as three:
                assert three.status == 200
                reply = await server.ask("GET", PATH.format("main"), headers=headers)
                assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "overloaded", "5")
        await until_open(server, 0)
        async with reading(server) as again:
            assert again.status == 200

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario, stream_limit=3, stream_limit_per_key=2)


def test_how_many_one_address_may_have_open(tmp_path: Path) -> None:
    """Whatever keys it has; behind a trusted proxy the client's address counts, and a /64 network of IPv6 is one."""

    async def scenario(server: Server) -> None:
        async def status(address: str, environment: str = "test") -> int:
            headers = {"Authorization": f"Bearer {server.key('client', environment)}", "X-Forwarded-For": address}
            return (await server.ask("GET", PATH.format("main"), headers=headers)).status

        async with (
            reading(server, address="192.0.2.1"),
            reading(server, address="192.0.2.1", key=server.key("client", "live")),
            reading(server, address="2001:db8:0:1::1"),
            reading(server, address="2001:db8:0:1:ffff::2"),
        ):
            assert [await status("192.0.2.1"), await status("192.0.2.1", "live")] == [429, 429]
            assert await status("2001:db8:0:1::3") == 429
            async with (
                reading(server, address="192.0.2.2") as other,
                reading(server, address="2001:db8:0:2::1") as another,
            ):
                assert (other.status, another.status) == (200, 200)
        await until_open(server, 0)
        async with reading(server, address="192.0.2.1") as again:
            assert again.status == 200

    database = f"sqlite:///{tmp_path / 'game.db'}"
    run(database, tmp_path, scenario, stream_limit_per_address=2, trusted_proxies=1)


def test_nothing_of_the_store_is_held(database: str, tmp_path: Path) -> None:
    """While streams are open, as many as one likes, others read and write, and a checkpoint is not kept waiting."""

    async def scenario(server: Server) -> None:
        async with reading(server) as one, reading(server) as two:
            assert [await one.next(), await two.next()] == [READY, READY]
            await server.register("ann")
            assert (await server.studio("POST", "/players/ann/debug", {})).status == 200
            async with reading(server) as three:
                assert await three.next() == Event("ready", {"revision": 1, "resync": False}, "1")

    run(database, tmp_path, scenario)
    with store_at(database) as store:
        assert len(store.dump().popitem()[1]) > 0
        assert any(DEBUG_ACCOUNTS.name in tables for tables in store.dump().values())


# -- ends from without ----------------------------------------------------------------------------------------------------


def test_a_revoked_key_ends_its_streams(database: str, tmp_path: Path) -> None:
    """Whoever revokes it and wherever: here through the database, as another process does; other keys' streams go on."""

    async def scenario(server: Server) -> None:
        game = server.game.game
        key = server.game.keys["test", "client"].key
        async with reading(server) as ours, reading(server, key=server.key("client", "live")) as other:
            assert [await ours.next(), await other.next()] == [READY, READY]

            def revoke() -> None:
                with store_at(database) as store:
                    store.write(DIRECTORY, lambda tx: revoke_key(tx, game.game_id, key.key_id, now_millis()))

            await asyncio.get_running_loop().run_in_executor(None, revoke)
            assert await ours.next() == Event("closed", {"reason": "key_revoked"})
            assert await ours.next() is None
            publish(server, 1, environment="live")
            assert await other.next() == Event("update", {"player": "ann", "revision": 1, "text": ""}, "1")

    assert "ending=key_revoked" in run(database, tmp_path, scenario)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_drain_ends_them(tmp_path: Path, replaced: bool) -> None:
    """With a last message, and a hint when to come back; a graceful end does not wait for readers."""

    async def scenario(server: Server) -> None:
        async with reading(server) as one, reading(server) as two:
            assert [await one.next(), await two.next()] == [READY, READY]
            await server.service.stop(replaced=replaced)
            server.service.readiness.draining = True
            for reader in (one, two):
                assert await reader.next() == Event("closed", {"reason": "server_draining"})
                assert await reader.next() is None
                assert reader.retry is not None
                assert 500 <= reader.retry < 3000

    log = run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)
    assert log.count("ending=server_draining") == 2
    assert "cut off" not in log


def test_a_drain_does_not_wait_for_who_takes_nothing(tmp_path: Path) -> None:
    """A stuck reader is cut off within a moment."""

    async def scenario(server: Server) -> None:
        async with reading(server) as slow:
            assert await slow.next() == READY
            await stuck(server)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await server.service.stop()
            assert server.service.metrics.open_streams == 0

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario, stream_patience_seconds=600)


def test_none_is_opened_while_the_server_drains(tmp_path: Path) -> None:
    """On a connection that was open before: 503."""

    async def scenario(server: Server) -> None:
        server.service._streams.drain()
        reply = await server.ask(
            "GET", PATH.format("main"), headers={"Authorization": f"Bearer {server.key('client')}"}
        )
        assert (reply.status, reply.code) == (503, "overloaded")

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)


def test_metrics_count_them(tmp_path: Path) -> None:
    """How many are open now, and how those ended that were."""

    async def scenario(server: Server) -> None:
        async with reading(server) as reader:
            assert await reader.next() == READY
            assert b"livecore_streams_open 1.0" in server.service.metrics.text()
        await until_open(server, 0)
        text = server.service.metrics.text()
        assert b"livecore_streams_open 0.0" in text
        assert b'livecore_streams_ended_total{ending="closed_by_reader"} 1.0' in text
        assert b'livecore_requests_total{operation="sdk:boards.stream",status="200"} 1.0' in text

    run(f"sqlite:///{tmp_path / 'game.db'}", tmp_path, scenario)
