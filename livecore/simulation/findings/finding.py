"""One finding."""

from __future__ import annotations

from typing import Literal, TypeAlias

from livecore.kernel.values import value

Topic: TypeAlias = Literal["economy", "gifts", "events", "crates", "guilds", "limits", "rewards"]


@value
class Finding:
    """One sentence about a run. `path` is where in the configuration one would change it.

    A warning is what a designer hardly wants; a note is what may be meant.
    """

    weight: Literal["warning", "note"]
    topic: Topic
    text: str
    path: str | None = None


def percent(share: float) -> str:
    """A share in whole per cent, or with one digit where it is small."""
    return f"{100 * share:.0f} %" if abs(share) >= 0.1 else f"{100 * share:.1f} %"
