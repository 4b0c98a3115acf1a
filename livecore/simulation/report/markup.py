"""HTML and SVG as text: every text and attribute is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

Markup = NewType("Markup", str)
"""Text that is HTML already."""
EMPTY = Markup("")


def tag(name: str, *inner: str | Markup | None, **attributes: object) -> Markup:
    """An element. Inner texts that are no `Markup` made here are escaped by `text`; attributes that are `None` are left out.

    An attribute's trailing underscore goes, and other underscores become hyphens: `class_="wide"`, `aria_hidden="true"`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-") if key not in _AS_WRITTEN else key}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{''.join(part for part in inner if part)}</{name}>")


_AS_WRITTEN = frozenset(("viewBox", "preserveAspectRatio"))


def text(value: object) -> Markup:
    """A text, escaped."""
    return Markup(escape(str(value)))


def joined(parts: Iterable[Markup]) -> Markup:
    """One after the other."""
    return Markup("".join(parts))


def table(header: Sequence[str], rows: Iterable[Sequence[str | Markup]], *, numbers: Iterable[int] = ()) -> Markup:
    """A table; the columns at the places `numbers` are aligned to the right. Cells are markup."""
    right = frozenset(numbers)

    def line(name: str, cells: Sequence[str | Markup], **more: object) -> Markup:
        return tag(
            "tr", *(tag(name, cell, class_="n" if at in right else None, **more) for at, cell in enumerate(cells))
        )

    head = tag("thead", line("th", [text(cell) for cell in header], scope="col"))
    return tag("div", tag("table", head, tag("tbody", *(line("td", row) for row in rows))), class_="wide")


def section(anchor: str, title: str, *inner: Markup | None) -> Markup:
    """A section with its heading; nothing where it would be empty."""
    if not any(inner):
        return EMPTY
    return tag("section", tag("h2", text(title)), *inner, id=anchor)


def figure(caption: str, drawing: Markup, about: Markup = EMPTY) -> Markup:
    """A drawing with its caption."""
    return tag("figure", tag("figcaption", text(caption)), drawing, about)
