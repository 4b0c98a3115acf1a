"""Bars and lines as SVG: two panels side by side, on a light or a dark ground as the reader's system has it.

Written by hand, because it is little, and because the colours then follow the reader: a plotting library draws fixed ones,
and costs an installation of a hundred megabytes. The colours can be told apart by the colour-blind; every bar has its
figure above it, and every line its name in the legend.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Final, Protocol

import attrs

_WIDTH: Final = 560
_HEIGHT: Final = 356
_LEFT: Final = 56
_RIGHT: Final = 16
_TOP: Final = 92
_BOTTOM: Final = 46
_COLOURS: Final = ("a", "b", "c", "d", "e", "f", "g", "h")
_STYLE: Final = """
text { font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; font-size: 12px; fill: #24292f }
.ground { fill: #ffffff } .title { font-size: 14px; font-weight: 600 } .value { font-size: 10px }
.grid { stroke: #d8dee4; stroke-width: 1 } .axis { stroke: #6e7781; stroke-width: 1 }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
.a { fill: #0072b2 } .b { fill: #56b4e9 } .c { fill: #d55e00 } .d { fill: #e69f00 }
.e { fill: #009e73 } .f { fill: #cc79a7 } .g { fill: #7f5f00 } .h { fill: #6e7781 }
.line.a { fill: none; stroke: #0072b2 } .line.b { fill: none; stroke: #56b4e9 }
.line.c { fill: none; stroke: #d55e00 } .line.d { fill: none; stroke: #e69f00 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #161b22 } .grid { stroke: #30363d } .axis { stroke: #8b949e }
  .a { fill: #2f86c6 } .line.a { fill: none; stroke: #2f86c6 }
  .b { fill: #8fd0f7 } .line.b { fill: none; stroke: #8fd0f7 }
  .c { fill: #f0803c } .line.c { fill: none; stroke: #f0803c }
}
"""


class Panel(Protocol):
    """One diagram of a picture."""

    @property
    def title(self) -> str:
        """What it shows, and in which unit."""

    def draw(self, parent: ET.Element) -> None:
        """Draw it into a group whose origin is the panel's upper left corner."""


def picture(panels: Sequence[Panel], *, title: str) -> str:
    """The SVG of some panels beside one another; the title is for those who cannot see it."""
    width = _WIDTH * len(panels)
    root = ET.Element(
        "svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {_HEIGHT}", "role": "img"}
    )
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "style").text = _STYLE
    ET.SubElement(root, "rect", {"class": "ground", "width": str(width), "height": str(_HEIGHT), "rx": "8"})
    for at, panel in enumerate(panels):
        group = ET.SubElement(root, "g", {"transform": f"translate({at * _WIDTH} 0)"})
        _text(group, _LEFT, 26, panel.title, "title", anchor="start")
        panel.draw(group)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


@attrs.frozen
class Bars:
    """Groups of bars: each series has one value for each group, or none."""

    title: str
    groups: Sequence[str]
    series: Sequence[tuple[str, Sequence[float | None]]]

    def draw(self, parent: ET.Element) -> None:
        """See `Panel`."""
        _legend(parent, [name for name, _ in self.series])
        ticks = nice_ticks(max((value for _, values in self.series for value in values if value), default=1.0))
        _horizontals(parent, ticks)
        room = (_WIDTH - _LEFT - _RIGHT) / max(1, len(self.groups))
        wide = room * 0.84 / max(1, len(self.series))
        for at, group in enumerate(self.groups):
            left = _LEFT + at * room
            _text(parent, left + room / 2, _HEIGHT - _BOTTOM + 20, group)
            for place, (_, values) in enumerate(self.series):
                _bar(parent, left + room * 0.08 + place * wide, wide, values[at], ticks[-1], _COLOURS[place])


@attrs.frozen
class Lines:
    """Lines through points; x is drawn by its logarithm."""

    title: str
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]]

    def draw(self, parent: ET.Element) -> None:
        """See `Panel`."""
        _legend(parent, [name for name, _ in self.series])
        points = [point for _, line in self.series for point in line]
        ticks = nice_ticks(max((y for _, y in points), default=1.0))
        _horizontals(parent, ticks)
        places = sorted({x for x, _ in points})
        for x in places:
            at = _along(x, places)
            _line(parent, at, _HEIGHT - _BOTTOM, at, _HEIGHT - _BOTTOM + 5, "axis")
            _text(parent, at, _HEIGHT - _BOTTOM + 20, short(x))
        for colour, (_, line) in zip(_COLOURS, self.series, strict=False):
            drawn = [(_along(x, places), _height(y, ticks[-1])) for x, y in line]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
            ET.SubElement(parent, "polyline", {"class": f"line {colour}", "points": path})
            for x, y in drawn:
                ET.SubElement(parent, "circle", {"class": colour, "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4"})


def nice_ticks(most: float) -> list[float]:
    """Four to six round values from nothing to at least the most."""
    rough = (most or 1.0) / 4
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(times * magnitude for times in (1, 2, 2.5, 5, 10) if times * magnitude >= rough * 0.999)
    return [step * number for number in range(math.ceil(most / step * 0.999) + 1)]


def short(value: float, digits: int = 3) -> str:
    """A figure in a few characters: 950, 9.4k, 1M."""
    rounded = float(f"{value:.{digits}g}")
    for least, unit in ((1e6, "M"), (1e3, "k")):
        if rounded >= least:
            return f"{rounded / least:g}{unit}"
    return f"{rounded:g}"


# -- parts


def _height(value: float, most: float) -> float:
    return _HEIGHT - _BOTTOM - value / most * (_HEIGHT - _TOP - _BOTTOM)


def _along(x: float, places: Sequence[float]) -> float:
    first, last = math.log10(places[0]), math.log10(places[-1])
    share = (math.log10(x) - first) / (last - first) if last > first else 0.5
    return _LEFT + 24 + share * (_WIDTH - _LEFT - _RIGHT - 48)


def _bar(parent: ET.Element, left: float, wide: float, value: float | None, most: float, colour: str) -> None:
    top = _height(value or 0.0, most)
    place = {"x": f"{left + 1:.1f}", "y": f"{top:.1f}", "width": f"{wide - 2:.1f}"}
    ET.SubElement(parent, "rect", {"class": colour, **place, "height": f"{_HEIGHT - _BOTTOM - top:.1f}", "rx": "1.5"})
    _text(parent, left + wide / 2, top - 4, "-" if value is None else short(value, digits=2), "value")


def _horizontals(parent: ET.Element, ticks: Sequence[float]) -> None:
    for tick in ticks:
        y = _height(tick, ticks[-1])
        _line(parent, _LEFT, y, _WIDTH - _RIGHT, y, "grid" if tick else "axis")
        _text(parent, _LEFT - 8, y + 4, short(tick), anchor="end")


def _legend(parent: ET.Element, names: Sequence[str]) -> None:
    """Two names in a line, the colours before them."""
    for number, (colour, name) in enumerate(zip(_COLOURS, names, strict=False)):
        line, column = divmod(number, 2)
        x, y = _LEFT + column * (_WIDTH - _LEFT - _RIGHT) // 2, 38 + line * 18
        place = {"x": str(x), "y": str(y), "width": "12", "height": "12", "rx": "2"}
        ET.SubElement(parent, "rect", {"class": colour, **place})
        _text(parent, x + 18, y + 10, name, anchor="start")


def _line(parent: ET.Element, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    ET.SubElement(parent, "line", {"class": kind, **ends})


def _text(parent: ET.Element, x: float, y: float, text: str, kind: str = "", *, anchor: str = "middle") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    ET.SubElement(parent, "text", {**place, **({"class": kind} if kind else {})}).text = text
