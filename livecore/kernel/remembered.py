"""Functions of stored texts that remember their results, bounded by bytes and not by their number.

What is parsed again and again, such as the configuration of a game or the contents of a grant, is parsed once for each text.
Callers choose how long some of these texts are, so a bound on the number of results would bound nothing. Like the caches of
rows it keeps two generations: when the young one is full it becomes the old one, and the previous old one is dropped. The
newest result always stays, however large it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
V = TypeVar("V")
_MISSING: Final = object()
_ENTRY_BYTES: Final = 500
_BYTES_OF_A_CHARACTER: Final = 16
"""What a character of JSON takes as text and parsed: less for long texts, twice as much for lists of empty lists."""


class Remembered(Generic[P, V]):
    """A function of texts (or `None`) that remembers its results; arguments are given by position."""

    def __init__(self, function: Callable[P, V], most_bytes: int) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self._most_bytes = most_bytes // 2
        self._young: dict[tuple[Any, ...], V] = {}
        self._old: dict[tuple[Any, ...], V] = {}
        self._bytes = 0

    def __call__(self, *texts: P.args, **_: P.kwargs) -> V:
        """The function's result for these texts."""
        result = self._young.get(texts, _MISSING)
        if result is _MISSING:
            result = self._old.get(texts, _MISSING)
            if result is _MISSING:
                result = self.__wrapped__(*texts, **_)
            self._keep(texts, cast(V, result))
        return cast(V, result)

    def __len__(self) -> int:
        """How many results are remembered; those in use may be counted twice."""
        return len(self._young) + len(self._old)

    def _keep(self, texts: tuple[Any, ...], result: V) -> None:
        self._young[texts] = result
        self._bytes += _ENTRY_BYTES + _BYTES_OF_A_CHARACTER * sum(len(text) for text in texts if text is not None)
        if self._bytes > self._most_bytes:
            self._old, self._young, self._bytes = self._young, {}, 0


def remembered(most_bytes: int) -> Callable[[Callable[P, V]], Remembered[P, V]]:
    """Have a function of texts remember its results, in about so many bytes."""
    return lambda function: Remembered(function, most_bytes)
