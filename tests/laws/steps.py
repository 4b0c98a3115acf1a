"""The steps of a sequence: what can be done to the games, as values that can be written down and played again.

A step stands for itself: what it refers to is named symbolically (`@request:-1` is the latest friend request of the place,
`@code:ann:-1` Ann's friend code) and looked up when it is played.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import attrs

from tests.laws.games import Place


@attrs.frozen
class Call:
    """Call an operation. `secret` says whose player secret is shown, `api_key` which key."""

    place: Place
    name: str
    player: str
    arguments: dict[str, Any] = attrs.field(factory=dict)
    key: str | None = None
    secret: Literal["own", "stale", "another's", "none"] = "own"
    api_key: Literal["newest", "older", "of the other surface", "of the other environment"] = "newest"


@attrs.frozen
class Again:
    """Send the request of an earlier write once more, byte for byte; `back` counts the keyed writes before this step."""

    back: int


@attrs.frozen
class Wait:
    """Let time pass."""

    milliseconds: int


@attrs.frozen
class RotateKey:
    """Give an API key a successor."""

    place: Place
    permission: Literal["client", "server"]


@attrs.frozen
class Switch:
    """Switch a game's gifting on or off."""

    game: int
    enabled: bool


Step: TypeAlias = Call | Again | Wait | RotateKey | Switch
Scene: TypeAlias = list[Step]
