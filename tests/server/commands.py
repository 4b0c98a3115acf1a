"""Runs the program `livecore` within the test, as its console script does."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest

from livecore_server.cli import main


@attrs.frozen
class Ended:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the command printed
        """Standard output, read as one JSON value."""
        return json.loads(self.out)


@contextmanager
def logging_as_it_was() -> Iterator[None]:
    """Undo what a program does to the logging of its process."""
    loggers = [logging.getLogger(name) for name in (None, "aiohttp", "asyncio")]
    before = [(logger, list(logger.handlers), logger.level) for logger in loggers]
    try:
        yield
    finally:
        for logger, handlers, level in before:
            logger.handlers[:] = handlers
            logger.setLevel(level)


class Command:
    """Calls the program."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: object) -> Ended:
        """Run the program; it must not end with a traceback."""
        self._capture.readouterr()
        with logging_as_it_was(), pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = self._capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, captured.out, captured.err)

    def done(self, *arguments: object) -> Ended:
        """Run the program, which must succeed."""
        ended = self(*arguments)
        assert ended.status == 0, ended
        return ended
