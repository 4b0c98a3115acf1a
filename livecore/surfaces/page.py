"""Lists that come in pages, for both flavours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, TypeVar

__all__ = ["AsyncFetch", "Fetch", "Page"]

P = TypeVar("P")
AsyncFetch: TypeAlias = Callable[[str | None], Awaitable[P]]
"""Gets the page at a cursor."""
Fetch: TypeAlias = Callable[[str | None], P]
"""Gets the page at a cursor."""


class Page(Protocol):
    """An answer that is one page of a list."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins, or `None` on the last."""
