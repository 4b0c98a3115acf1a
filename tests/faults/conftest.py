"""What the tests of faults share: a PostgreSQL server that ends with them, and a receiver for events."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crash.receiver import Receiver
from tests.postgres.server import started_server


@pytest.fixture(scope="session", autouse=True)
def _server() -> Iterator[None]:
    with started_server():
        yield


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Where the events go."""
    receiver = Receiver()
    yield receiver
    receiver.close()
