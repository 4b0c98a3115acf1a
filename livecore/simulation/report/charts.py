"""Charts as SVG: lines, stacked bars, and bars, each with axes, values on hover, and a table's worth of words for readers.

Colours are classes (`c0` to `c7`), so that the page's style chooses them for light, dark and print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10

from livecore.simulation.report.markup import EMPTY, Markup, joined, tag, text

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 8, 10, 24
COLOURS = 8
"""How many colours there are; what is beyond is added up as `other`."""
_TICKS = 4


def short(number: float) -> str:
    """A number in few characters: `1.2k`, `3M`, `0.05`."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from at most `low` to at least `high`, which an axis shows."""
    if high <= low:
        high = low + 1
    rough = (high - low) / _TICKS
    size = 10 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [number * step for number in range(first, last + 1)]


class _Plane:
    """The drawing area: turns values into places."""

    def __init__(self, count: int, low: float, high: float) -> None:
        self.ticks = ticks(min(low, 0), max(high, 0))
        self._count = count
        self._low, self._high = self.ticks[0], self.ticks[-1]

    @property
    def step(self) -> float:
        return (_WIDTH - _LEFT - _RIGHT) / max(self._count, 1)

    def x(self, place: float) -> float:
        return _LEFT + self.step * place

    def y(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    def axes(self, labels: Sequence[str], write: Callable[[float], str]) -> Markup:
        """Lines for the values, and some of the labels below."""
        lines = [
            tag(
                "g",
                tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=_at(self.y(tick)), y2=_at(self.y(tick)), class_="grid"),
                tag("text", text(write(tick)), x=_LEFT - 6, y=_at(self.y(tick) + 4), class_="tick end"),
            )
            for tick in self.ticks
        ]
        every = max(1, ceil(len(labels) / 10))
        shown = [
            tag("text", text(label), x=_at(self.x(place + 0.5)), y=_HEIGHT - 6, class_="tick middle")
            for place, label in enumerate(labels)
            if place % every == 0
        ]
        return joined([*lines, *shown])


def _at(number: float) -> str:
    return f"{number:.1f}"


def _drawing(words: str, *parts: Markup) -> Markup:
    return tag("svg", tag("title", text(words)), *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", class_="chart")


def legend(names: Sequence[str]) -> Markup:
    """The names of the series with their colours."""
    if len(names) < 2:
        return EMPTY
    keys = [tag("span", tag("i", class_=f"k{place % COLOURS}"), text(name)) for place, name in enumerate(names)]
    return tag("p", *keys, class_="legend")


def folded(series: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """The largest series by what they add up to, as many as there are colours; the rest is added up as `other`."""
    largest = sorted(series, key=lambda name: (-sum(map(abs, series[name])), name))
    shown = {name: list(series[name]) for name in largest[: COLOURS - (len(series) > COLOURS)]}
    if len(series) > COLOURS:
        rest = [series[name] for name in largest[COLOURS - 1 :]]
        shown["other"] = [sum(values) for values in zip(*rest, strict=True)]
    return shown


def lines(
    words: str, labels: Sequence[str], series: Mapping[str, Sequence[float]], write: Callable[[float], str] = short
) -> Markup:
    """A line for each series."""
    shown = folded(series)
    values = [value for many in shown.values() for value in many]
    if not values:
        return EMPTY
    plane = _Plane(len(labels), min(values), max(values))
    drawn = [
        tag(
            "polyline",
            points=" ".join(f"{_at(plane.x(at + 0.5))},{_at(plane.y(value))}" for at, value in enumerate(many)),
            class_=f"line c{number}",
        )
        for number, many in enumerate(shown.values())
    ]
    return joined(
        [_drawing(words, plane.axes(labels, write), *drawn, _hover(plane, labels, shown, write)), legend([*shown])]
    )


def stacked(
    words: str, labels: Sequence[str], series: Mapping[str, Sequence[float]], write: Callable[[float], str] = short
) -> Markup:
    """A bar for each label, in which the series lie on one another; what is negative lies below the axis."""
    shown = folded(series)
    columns = list(zip(*shown.values(), strict=True))
    if not columns:
        return EMPTY
    highs = [sum(value for value in column if value > 0) for column in columns]
    lows = [sum(value for value in column if value < 0) for column in columns]
    plane = _Plane(len(labels), min(lows), max(highs))
    drawn: list[Markup] = []
    for at, column in enumerate(columns):
        above = below = 0.0
        for number, value in enumerate(column):
            if not value:
                continue
            start = above if value > 0 else below
            drawn.append(_bar(plane, at, start, start + value, f"fill c{number}"))
            if value > 0:
                above += value
            else:
                below += value
    return joined(
        [_drawing(words, plane.axes(labels, write), *drawn, _hover(plane, labels, shown, write)), legend([*shown])]
    )


def bars(words: str, labels: Sequence[str], values: Sequence[float], write: Callable[[float], str] = short) -> Markup:
    """A bar for each label."""
    return stacked(words, labels, {words: values}, write)


def _bar(plane: _Plane, at: int, start: float, end: float, style: str) -> Markup:
    top, bottom = sorted((plane.y(start), plane.y(end)))
    gap = min(2, plane.step / 5)
    return tag(
        "rect",
        x=_at(plane.x(at) + gap / 2),
        y=_at(top),
        width=_at(plane.step - gap),
        height=_at(max(bottom - top, 0.3)),
        class_=style,
    )


def _hover(
    plane: _Plane,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    write: Callable[[float], str],
) -> Markup:
    """An invisible column for each label, which says its values to a pointer."""
    columns = []
    for at, label in enumerate(labels):
        said = [f"{name}: {write(many[at])}" for name, many in series.items() if at < len(many) and many[at]]
        columns.append(
            tag(
                "rect",
                tag("title", text("\n".join((label, *said)))),
                x=_at(plane.x(at)),
                y=_TOP,
                width=_at(plane.step),
                height=_HEIGHT - _TOP - _BOTTOM,
                class_="hover",
            )
        )
    return joined(columns)


def spark(values: Sequence[float]) -> Markup:
    """A small line within a table."""
    if len(values) < 2:
        return EMPTY
    low, high = min(0, *values), max(values)
    points = " ".join(
        f"{_at(2 + 96 * at / (len(values) - 1))},{_at(18 - 16 * (value - low) / ((high - low) or 1))}"
        for at, value in enumerate(values)
    )
    line = tag("polyline", points=points, class_="line c0")
    return tag(
        "svg", tag("title", text(", ".join(map(short, values)))), line, viewBox="0 0 100 20", class_="spark", role="img"
    )


def share(part: float) -> Markup:
    """A bar of a share from 0 to 1 within a table."""
    width = _at(100 * min(max(part, 0), 1))
    bar = tag("rect", width=width, height=8, class_="fill c0")
    return tag("svg", bar, viewBox="0 0 100 8", class_="share", role="img", aria_hidden="true")
