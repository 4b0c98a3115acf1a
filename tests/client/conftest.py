"""Fixtures of the client tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import respx

from tests.client.flavours import BASE_URL, Flavour


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
