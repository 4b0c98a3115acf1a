"""What the fixtures are, as types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from livecore.api.configuration.game_config import GameConfig
from livecore.world import WorldPlayer

__all__ = ["Config", "MakePlayer"]

Config: TypeAlias = GameConfig | Mapping[str, object] | str
"""A game's configuration, its JSON data or its text: what the fixture `livecore_config` returns."""


class MakePlayer(Protocol):
    """What the fixture `livecore_player` is: a function that gives the registered player of a name."""

    def __call__(self, external_id: str, **headers: str) -> WorldPlayer:
        """The player; the same one when it is called again. See `World.player`."""
