"""Fixtures of the server tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from livecore_server.storage.sqlite import SqliteStore
from tests.stores.tables import STORE_TABLES


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own environment must not reach the programs under test."""
    for name in [name for name in os.environ if name.startswith("LIVECORE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A database that is not there yet."""
    return f"sqlite:///{tmp_path / 'game.db'}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with the tables of `tests/stores`, on a new file."""
    with closing(SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)) as store:
        yield store
