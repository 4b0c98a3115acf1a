"""What the tests of PostgreSQL share: databases, and a game that several processes serve."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres.rig import Game, game_in
from tests.postgres.server import fresh_database, ready_database, started_server


@pytest.fixture(scope="session", autouse=True)
def _server() -> Iterator[None]:
    """A server that was started for the tests ends with them."""
    with started_server():
        yield


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database of the test's own."""
    with fresh_database() as found:
        yield found


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    """A game that two processes serve; each test has players of its own."""
    with ready_database() as found, game_in(found) as made:
        yield made
