"""The same request of an operator, many times at one moment, over servers: one effect, and one answer for all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from livecore.access.directory import GAMES_OF_STUDIO, STUDIOS
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.system import draw_seed, now_millis
from tests.postgres.server import ready_database
from tests.server.serving import Reply, Server, make_game, serving

AT_ONCE: Final = 12


@contextmanager
def _file(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'game.db'}"


@contextmanager
def _postgres(_: Path) -> Iterator[str]:
    with ready_database() as url:
        yield url


DATABASES: Final = {"sqlite": _file, "postgres": _postgres}


async def signed_in(server: Server) -> dict[str, str]:
    """The headers of an owner's page."""
    studio_id, seed = server.game.game.studio_id, draw_seed()

    def enter(tx: Transaction) -> str:
        studio = tx.get(STUDIOS, studio_id)
        assert studio is not None
        now, entropy = now_millis(), Entropy(seed)
        member, _ = add_member(tx, studio, "owner@example.com", "OWNER", now, entropy)
        return start_session(tx, member.member_id, now, entropy).token

    token = await server.service.executor.write(DIRECTORY, enter)
    return {"Cookie": f"livecore={token}", "Sec-Fetch-Site": "same-origin"}


async def games(server: Server) -> int:
    """How many games the studio has had."""
    studio_id = server.game.game.studio_id
    return len(await server.service.executor.read(DIRECTORY, lambda tx: tx.scan(GAMES_OF_STUDIO, studio_id)))


async def at_once(
    servers: Sequence[Server], method: str, path: str, headers: dict[str, str], body: object = None
) -> list[Reply]:
    """The answers to one request, sent many times at one moment to all servers in turn."""
    asked = (servers[number % len(servers)].ask(method, path, body, headers=headers) for number in range(AT_ONCE))
    return await asyncio.gather(*asked)


@pytest.mark.parametrize("kind", DATABASES)
def test_one_effect_and_one_answer(tmp_path: Path, kind: str) -> None:
    """Making a game, applying settings to it and deleting it, over two servers where a database serves two."""

    async def scenario(url: str) -> None:
        game = await asyncio.to_thread(make_game, url)
        async with AsyncExitStack() as stack:
            servers = [
                await stack.enter_async_context(serving(tmp_path, game=game, database=url))
                for _ in range(2 if kind == "postgres" else 1)
            ]
            person = await signed_in(servers[0])
            creating, applying, deleting = ({**person, "Idempotency-Key": f"key of {what}"} for what in "abc")
            path = f"/admin/v1/studios/{game.game.studio_id}/games"
            made = await at_once(servers, "POST", path, creating, {"name": "Once"})
            assert {reply.status for reply in made} == {201}
            assert len({reply.body for reply in made}) == 1
            assert sum("idempotent-replay" in reply.headers for reply in made) == AT_ONCE - 1
            assert await games(servers[0]) == 2
            path = f"{path}/{made[0].json['data']['game']['gameId']}"
            applied = await at_once(
                servers, "PUT", f"{path}/settings", applying, {"config": {"name": "Twice"}, "version": 1}
            )
            assert {(reply.status, reply.body) for reply in applied} == {(200, applied[0].body)}
            assert applied[0].json["data"]["version"] == 2
            deleted = await at_once(servers, "DELETE", f"{path}?confirm=Twice", deleting)
            assert {(reply.status, reply.body) for reply in deleted} == {(200, b'{"data":{"deleted":true}}')}
            late = await servers[0].ask("DELETE", f"{path}?confirm=Twice", headers=deleting)
            assert (late.status, late.headers["idempotent-replay"]) == (200, "true")

    with DATABASES[kind](tmp_path) as url:
        asyncio.run(scenario(url))
