"""Finds what a database holds before it is opened: nothing, foreign tables, or a database of Livecore.

Opening a store migrates the schema, and makes it in an empty database. So the contents are read first, without a change: a
mistyped path or URL must not become a database of Livecore, or get its tables beside foreign ones.
"""

from __future__ import annotations

from enum import Enum, auto


class Contents(Enum):
    """What was found."""

    NOTHING = auto()
    """No table at all, or the rest of an interrupted first start."""
    STRANGE = auto()
    """Tables, but none of Livecore."""
    OURS = auto()


class NoDatabase(Exception):
    """There is no database of Livecore. The text says what to do."""


def require(held: Contents, place: str, *, create: bool, init: str) -> None:
    """Accept a database of Livecore, or with `create` an empty one. `init` is the command that makes one.

    Raises `NoDatabase`.
    """
    if held is Contents.STRANGE:
        raise NoDatabase(
            f"{place} holds something else and no database of Livecore's, and is left as it is: "
            f"name another one, or make one with `{init}`"
        )
    if held is Contents.NOTHING and not create:
        raise NoDatabase(f"{place} is empty: `{init}` makes a game in it")
