"""Fixtures of the whole suite; the one that matters stands around every request (see `tests.refusals`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from livecore.api.application import Application
from tests.refusals import CHECKED, sealed, watched


@pytest.fixture(autouse=True, scope="session")
def _refusals_change_nothing() -> Iterator[None]:
    """Look at the store around every request that the suite makes of an application, and keep refused writes from hosts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Application, "perform", watched(Application.perform))
        patch.setattr(Application, "run", sealed(Application.run))
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often the check ran."""
    refused = sum(count for name, count in CHECKED.items() if name.isdecimal())
    if refused:
        terminalreporter.write_line(f"{refused} refused requests left every row as it was")
