"""Two whole servers on one database: what one is told, the other knows, and due work runs once."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from livecore.access import audit, audit_addresses, former_members, personal_keys, sessions
from livecore.access.keys import revoke_key
from livecore.demo import DEMO
from livecore.events import windows
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE_BY_TIME
from livecore.leaderboards import rollover
from livecore_server.service import Service
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Server, make_game, serving

_IN_ENVIRONMENTS: Final = 9
"""Kinds of due work that both environments of a game have and the directory has not, without the windows of events."""
_EVERYWHERE: Final = 2
"""Those that the directory has as well."""
_IN_DIRECTORY: Final = 3
"""Those that it alone has."""


async def _two(stack: AsyncExitStack, url: str, folder: Path) -> list[Server]:
    game = await asyncio.to_thread(make_game, url)
    return [await stack.enter_async_context(serving(folder, game=game, database=url)) for _ in range(2)]


def test_a_key_that_is_revoked_stops_on_the_next_request_of_every_process(url: str, tmp_path: Path) -> None:
    """Both have used it a moment ago; whoever revokes it is a third process."""

    def revoke(server: Server) -> None:
        key = server.game.keys["test", "client"].key
        with store_at(url) as store:
            store.write(DIRECTORY, lambda tx: revoke_key(tx, key.game_id, key.key_id, now_millis()))

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            servers = await _two(stack, url, tmp_path)
            secret = await servers[0].register("ann")
            statuses = [(await server.sdk("GET", "/ann/profile", secret=secret)).status for server in servers]
            await asyncio.to_thread(revoke, servers[0])
            replies = [await server.sdk("GET", "/ann/profile", secret=secret) for server in servers]
            assert statuses == [200, 200]
            assert [(reply.status, reply.code) for reply in replies] == [(401, "api_key_revoked")] * 2

    asyncio.run(scenario())


def test_due_work_that_two_processes_see_runs_once(url: str, tmp_path: Path) -> None:
    """Both loops turn at the same moment, over work of every kind that has come due."""

    async def turn(service: Service) -> None:
        await service._due.turn()

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            servers = await _two(stack, url, tmp_path)
            done = [server.service.metrics._due for server in servers]
            events = len(json.loads(DEMO)["events"])
            scope = Scope(servers[0].game.game.game_id, "test")
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (
                    sum(number for counted in done for (_, result), number in counted.items() if result == "ran")
                    < 2 * _IN_ENVIRONMENTS + 2 * events + 3 * _EVERYWHERE + _IN_DIRECTORY
                ):
                    await asyncio.gather(*(turn(server.service) for server in servers))
                    await servers[0].service.executor.read(scope, due.earliest)  # the servers' own loops turn meanwhile
            await asyncio.gather(*(turn(server.service) for server in servers))
            left = await servers[0].service.executor.read(scope, lambda tx: tx.scan(DUE_BY_TIME))
            kinds = {kind for counted in done for kind, _ in counted}
            # Each kind once in both environments, windows once for each of the demo's events. In the directory audit
            # entries are swept too and their addresses shortened, and sessions, personal keys and members there alone.
            # Recurring work waits for its next time, and the windows that have opened for their end, as the week of the
            # league does.
            ran = {kind: sum(counted.get((kind, "ran"), 0) for counted in done) for kind in kinds}
            usual = dict.fromkeys(kinds, 2)
            in_directory = {sessions.SWEEP.kind, personal_keys.SWEEP.kind, former_members.FORGET.kind}
            everywhere = dict.fromkeys({audit.SWEEP.kind, audit_addresses.SHORTEN.kind}, 3)
            assert ran == {**usual, windows.OPEN: 2 * events, **everywhere, **dict.fromkeys(in_directory, 1)}
            assert all((kind, "failed") not in counted for counted in done for kind in kinds)
            of_windows = [*[windows.OPEN] * (events - 1), *[windows.CLOSE] * events]
            in_game = kinds - in_directory
            assert sorted(work.kind for work in left) == sorted([*in_game, *of_windows, rollover.ROLL])

    asyncio.run(scenario())
