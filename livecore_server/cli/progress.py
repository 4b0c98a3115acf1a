"""A progress bar for a person who waits: on standard error, and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import attrs
import click


@contextmanager
def progress(label: str, steps: int) -> Iterator[Callable[[int], None]]:
    """Gives a function that moves the bar on by a number of steps."""
    bar = click.progressbar(length=max(steps, 1), label=label, file=sys.stderr, hidden=not sys.stderr.isatty())
    with bar as shown:
        yield shown.update


@attrs.define
class ProgressBar:
    """A bar for work that finds out itself how long it is."""

    label: str
    _stack: ExitStack
    _move: Callable[[int], None] = lambda _: None
    _done: int = 0

    def expect(self, steps: int) -> None:
        """There are so many steps; shows the bar."""
        self._move = self._stack.enter_context(progress(self.label, steps))

    def advance(self, steps: int) -> None:
        """So many further steps are done."""
        self._done += steps
        self._move(steps)

    def reached(self, done: int, steps: int) -> None:
        """So many are done of so many; what is expected is what the first call says."""
        if not self._done:
            self.expect(steps)
        self.advance(done - self._done)


@contextmanager
def progress_of(label: str) -> Iterator[ProgressBar]:
    """A bar that is shown once the work has said how long it is."""
    with ExitStack() as stack:
        yield ProgressBar(label, stack)
