"""Fixtures of the whole suite; the one that matters stands around every request (see `tests.refusals`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a worker has counted to the process that reports."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["checked"] = dict(CHECKED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - pytest-xdist publishes no types
    """Add what a worker has counted; one that has crashed has handed nothing over."""
    CHECKED.update(getattr(node, "workeroutput", {}).get("checked", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often the check ran."""
    refused = sum(count for name, count in CHECKED.items() if name.isdecimal())
    if refused:
        terminalreporter.write_line(f"{refused} refused requests left every row as it was")
