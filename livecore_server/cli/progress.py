"""A progress bar for a person who waits: on standard error, and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

__all__ = ["progress"]


@contextmanager
def progress(label: str, steps: int) -> Iterator[Callable[[int], None]]:
    """Gives a function that moves the bar on by a number of steps."""
    bar = click.progressbar(length=max(steps, 1), label=label, file=sys.stderr, hidden=not sys.stderr.isatty())
    with bar as shown:
        yield shown.update
