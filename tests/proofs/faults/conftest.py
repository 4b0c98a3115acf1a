"""What the tests of faults share: a receiver for events."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crash.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Where the events go."""
    receiver = Receiver()
    yield receiver
    receiver.close()
