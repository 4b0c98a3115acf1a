"""From a request to a receiver: what happens in a running server is delivered, signed, at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from livecore_server.system import now_millis
from tests.delivery.receivers import answering, receiver
from tests.server.commands import Command
from tests.server.serving import make_game, serving


def test_what_a_player_does_reaches_the_studio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An endpoint that another process adds gets the events of the next request, with a signature that verifies."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    made, livecore = make_game(database), Command(capsys)

    async def scenario() -> None:
        async with receiver(answering(200)) as studio, serving(tmp_path, game=made) as server:
            about = ["--environment", "test", "--url", studio.url.replace("127.0.0.1", "localhost")]
            about += ["--events", "player.registered", "--events", "player.secret_set"]
            added = await asyncio.to_thread(livecore.done, "webhooks", "add", "--database", database, *about, "--json")
            await server.register("ann")
            events = [(await studio.next()).event(added.json["secret"], now=now_millis()) for _ in range(2)]
            assert {event.event_name for event in events} == {"player.registered", "player.secret_set"}
            await server.service.stop()
            text = server.service.metrics.text().decode()
            assert 'livecore_webhook_attempts_total{result="delivered"} 2.0' in text
            assert "livecore_webhooks_under_way 0.0" in text

    asyncio.run(scenario())
