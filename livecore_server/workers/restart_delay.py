"""The delay before a dead worker is replaced: none at first, then growing up to a bound."""

from __future__ import annotations

from typing import Final

_FIRST_SECONDS: Final = 0.1
_MOST_SECONDS: Final = 10.0
_SOUND_SECONDS: Final = 30.0
"""After a worker has served this long, its death does not increase the delay."""


class Delay:
    """The delays of one place."""

    def __init__(self) -> None:
        self._next_seconds = 0.0

    def after(self, served_seconds: float) -> float:
        """The seconds to wait after the death of a worker that has served for `served_seconds`."""
        if served_seconds >= _SOUND_SECONDS:
            self._next_seconds = 0.0
        delay_seconds = self._next_seconds
        self._next_seconds = min(max(2 * delay_seconds, _FIRST_SECONDS), _MOST_SECONDS)
        return delay_seconds
