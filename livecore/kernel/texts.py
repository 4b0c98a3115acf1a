"""The texts in a shape, with the names of their fields: by these one knows which players a payload or an answer names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs

__all__ = ["texts_in"]


def texts_in(shape: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - shapes have no common type
    """Every text of a shape and of the shapes in it; what stands in a free-form object is the caller's, and left out."""
    if isinstance(shape, tuple):
        for member in shape:
            yield from texts_in(member)
        return
    kind: Any = type(shape)
    if attrs.has(kind):
        for name in _field_names(kind):
            member = getattr(shape, name)
            if isinstance(member, str):
                yield name, member
            else:
                yield from texts_in(member)


@cache
def _field_names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - shapes have no common type
    return tuple(field.name for field in attrs.fields(kind))
