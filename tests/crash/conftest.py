"""What the tests of crashes share: a PostgreSQL server, which ends with them where it was started for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres.server import started_server


@pytest.fixture(scope="session", autouse=True)
def _server() -> Iterator[None]:
    with started_server():
        yield
