"""What a player's client does when an answer is lost on a real connection, after the server has done what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest

from livecore_client import AsyncMachine, AsyncSdkClient
from livecore_server.vault import new_key
from tests.server.serving import Server, serving


@attrs.define
class Line:
    """A line to a server that breaks as soon as an answer comes through it, as often as it is told to."""

    server_port: int
    breaks: int
    port: int = 0
    broken: int = 0

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[Line]:
        """Take connections on a port of its own."""
        listening = await asyncio.start_server(self._through, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        async with listening:
            yield self

    async def _through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_connection("127.0.0.1", self.server_port)
        sending = asyncio.create_task(_pour(reader, requests))
        try:
            while answer := await answers.read(65_536):
                if self.broken < self.breaks:
                    self.broken += 1
                    writer.transport.abort()
                    return
                writer.write(answer)
        finally:
            sending.cancel()
            requests.close()
            writer.close()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)


async def _at_once(_: float) -> None:
    """Wait for nothing between two tries."""


def _client(server: Server, port: int) -> AsyncSdkClient:
    return AsyncSdkClient(
        base_url=f"http://127.0.0.1:{port}",
        api_key=server.key("client", "live"),
        external_player_id="anna",
        machine=AsyncMachine(sleep=_at_once),
    )


@pytest.mark.parametrize("lost", [1, 3])
def test_a_player_whose_registration_was_not_answered_plays_on(tmp_path: Path, lost: int) -> None:
    """The client tries again under the same key and has a secret that works; the player was registered once."""

    async def play() -> None:
        async with (
            serving(tmp_path) as server,
            Line(server.port, breaks=lost).laid() as line,
            _client(server, line.port) as anna,
        ):
            registered = await anna.players.register()
            assert line.broken == lost
            assert anna.player_secret == registered.player_secret
            profile = await anna.players.get_profile()
            assert profile.player_id == registered.player.player_id
            assert registered.player_secret not in server.log.getvalue()

    asyncio.run(play())


def test_another_process_and_another_vault_key_in_front_tell_the_same(tmp_path: Path) -> None:
    """The second try may reach a server that was started since; what an older vault key derived is still told."""
    old, new = new_key(), new_key()
    key = "5f2c8e11a0d94b7c8e6f0a1b2c3d4e5f"

    async def play() -> None:
        async with serving(tmp_path, vault_key=old) as server, _client(server, server.port) as anna:
            first = await anna.players.register(idempotency_key=key)
            assert key not in server.log.getvalue()
            game = server.game
        async with (
            serving(tmp_path, vault_key=f"{new},{old}", game=game) as server,
            _client(server, server.port) as anna,
        ):
            assert (await anna.players.register(idempotency_key=key)).player_secret == first.player_secret

    asyncio.run(play())
