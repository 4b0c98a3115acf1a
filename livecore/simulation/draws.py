"""Chance of the virtual players: each draw has its own key, so a decision changes no other decision's draw.

The key is who decides, what about, and the how-manieth time this is. Two variants of a season that are played with the same
keys differ only by what the change itself causes (the method of common random numbers).
"""

from __future__ import annotations

from livecore.kernel.entropy import Entropy, derive_seed


class Draws:
    """Gives each decision its own stream of randomness."""

    __slots__ = ("_made", "_root")

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._made: dict[tuple[str, str], int] = {}

    def next(self, who: str, what: str) -> Entropy:
        """The stream of the next decision of `who` about `what`."""
        key = (who, what)
        number = self._made.get(key, 0) + 1
        self._made[key] = number
        return Entropy(derive_seed(self._root, f"{who}/{what}", number))
