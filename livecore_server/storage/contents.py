"""What a database holds before anything is done to it: nothing, somebody else's tables, or a database of Livecore's.

Opening a store brings the schema up to date, and in an empty database makes it. So it is looked at first, without a change:
a mistyped path or URL must not become a database of ours, nor get our tables beside its own.
"""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Contents", "NoDatabase", "require"]


class Contents(Enum):
    """What was found."""

    NOTHING = auto()
    """No table at all, or what is left of making ours when that was interrupted."""
    STRANGE = auto()
    """Tables, and none of them is ours."""
    OURS = auto()


class NoDatabase(Exception):
    """What is there is no database of Livecore's. The text says what to do."""


def require(held: Contents, place: str, *, create: bool, init: str) -> None:
    """Go on with a database of ours, or with `create` with an empty one. `init` is the command that makes one.

    Raises `NoDatabase`.
    """
    if held is Contents.STRANGE:
        raise NoDatabase(
            f"{place} holds something else and no database of Livecore's, and is left as it is: "
            f"name another one, or make one with `{init}`"
        )
    if held is Contents.NOTHING and not create:
        raise NoDatabase(f"{place} is empty: `{init}` makes a game in it")
