"""Pictures as data for SVG elements: bars whose heights follow some values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

__all__ = ["Bar", "Bars", "bars"]

_WIDTH: Final = 600
_HEIGHT: Final = 120
_FEWEST: Final = 12
"""With fewer bars the picture is not filled, so that no bar is a block."""


@attrs.frozen
class Bar:
    """One bar, in the units of the picture."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: int


@attrs.frozen
class Bars:
    """A picture of bars; the table beside it has the same values, so it is no loss not to see it."""

    width: int
    height: int
    most: int
    bars: tuple[Bar, ...]


def bars(values: Sequence[tuple[str, int]]) -> Bars | None:
    """The picture of these values, or nothing where there is nothing to see."""
    most = max((value for _, value in values), default=0)
    if most <= 0 or len(values) < 2:
        return None
    step = _WIDTH / max(len(values), _FEWEST)
    drawn = []
    for number, (label, value) in enumerate(values):
        height = round(max(value, 0) / most * _HEIGHT, 1)
        drawn.append(Bar(round(number * step, 1), _HEIGHT - height, round(step * 0.8, 1), height, label, value))
    return Bars(_WIDTH, _HEIGHT, most, tuple(drawn))
