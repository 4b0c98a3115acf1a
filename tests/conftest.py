"""Fixtures of the whole suite; the one that matters stands around every request (see `tests.refusals`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from livecore.api.application import Application
from tests.refusals import CHECKED, watched


@pytest.fixture(autouse=True, scope="session")
def _refusals_change_nothing() -> Iterator[None]:
    """Take a snapshot of the store around every request that the suite makes of an application."""
    original = Application.perform
    Application.perform = watched(original)  # type: ignore[method-assign,assignment] # wrapped for the length of the session
    yield
    Application.perform = original  # type: ignore[method-assign] # and given back


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often the check ran."""
    refused = sum(count for status, count in CHECKED.items() if status != "ok")
    if refused:
        terminalreporter.write_line(f"{refused} refused requests left every row as it was")
