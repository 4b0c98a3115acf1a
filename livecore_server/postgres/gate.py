"""Fairness among the units of one process: who has lost twice gets the scope's writes to itself.

Two units conflict not only over a row: the server watches the pages of its indexes, and in a young table the rows of all lie
on the same few. Of two that conflict the one that commits first wins, so a unit that runs again while others keep coming
could lose for as long as they come. Units of other processes know nothing of this gate; against them there is patience.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

__all__ = ["Gate"]


class Gate:
    """Any number of threads within, or one that has it to itself."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._within = 0
        self._wanting = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Go in with others; whoever wants to be alone goes first."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone and not self._wanting)
            self._within += 1
        try:
            yield
        finally:
            with self._changed:
                self._within -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Go in when nobody is within, and let nobody else in."""
        with self._changed:
            self._wanting += 1
            self._changed.wait_for(lambda: not self._alone and not self._within)
            self._wanting -= 1
            self._alone = True
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
