"""What the proofs on PostgreSQL share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres.server import fresh_database


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database of the test's own."""
    with fresh_database() as found:
        yield found
