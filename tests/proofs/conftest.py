"""What all proofs share: a PostgreSQL server that ends with them, and an environment without settings of this machine.

What says how far a proof goes, such as `LIVECORE_CRASH_ROUNDS`, is read when its module is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.postgres.server import started_server


@pytest.fixture(scope="session", autouse=True)
def _server() -> Iterator[None]:
    """A PostgreSQL that was started for the tests ends with them."""
    with started_server():
        yield


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own environment must not reach the programs under test."""
    for name in [name for name in os.environ if name.startswith("LIVECORE_")]:
        if name != "LIVECORE_TEST_POSTGRES":
            monkeypatch.delenv(name)
