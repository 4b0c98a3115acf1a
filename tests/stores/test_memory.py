"""The store in memory does what every store must do."""

from __future__ import annotations

import pytest

from livecore.kernel.storage.memory import MemoryStore
from tests.stores.suite import StoreSuite


class TestMemoryStore(StoreSuite):
    """The suite on `MemoryStore`."""

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls) -> MemoryStore:
        """One store for the class."""
        return MemoryStore()
