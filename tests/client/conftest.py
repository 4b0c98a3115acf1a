"""Fixtures of the client tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
import respx

from livecore.world import World
from livecore_client import NO_RETRIES, LocalTransport, SdkClient, ServerClient
from tests.client.flavours import BASE_URL, Flavour
from tests.client.local import ADDRESS, CONFIG, game_client


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def flavour(request: pytest.FixtureRequest) -> Iterator[Flavour]:
    """One of the two flavours; a test that uses it runs with both."""
    with asyncio.Runner() as runner:
        made = Flavour(is_async=request.param, runner=runner)
        yield made
        made.close()


@pytest.fixture
def router() -> respx.Router:
    """The other side: it answers what a test tells it to, and remembers what it was asked."""
    return respx.Router(base_url=BASE_URL, assert_all_called=False)


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own environment must not reach the clients under test."""
    for name in ("BASE_URL", "API_KEY", "EXTERNAL_PLAYER_ID", "PLAYER_SECRET", "PLATFORM", "APP_VERSION"):
        monkeypatch.delenv(f"LIVECORE_{name}", raising=False)


@pytest.fixture
def world() -> World:
    """A game in memory, of platform mode, with gold to give."""
    return World(json.dumps(CONFIG))


@pytest.fixture
def players(world: World) -> Iterator[tuple[SdkClient, SdkClient]]:
    """Two registered players."""
    with game_client(world, "anna") as anna, game_client(world, "bea ö%2") as bea:
        anna.players.register()
        bea.players.register(player_context={"country": "SE"})
        yield anna, bea


@pytest.fixture
def server(world: World) -> Iterator[ServerClient]:
    """The studio's backend."""
    with ServerClient(
        base_url=ADDRESS, api_key=world.keys["server"], transport=LocalTransport(world), retries=NO_RETRIES
    ) as client:
        yield client
