"""What a game declares about its players: the names that they get, and the platforms that they come from."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Annotated, Final

from livecore.kernel.config import Config, section
from livecore.kernel.shapes import Items, Key, Text, shape
from livecore.kernel.unit import Unit

__all__ = ["IdentityPool", "PlayersConfig", "players_config"]

_WORD = Annotated[str, Text(1, 19, name=True)]


@shape
class IdentityPool:
    """Words and pictures that anonymised identities are composed of: one of each, drawn once for each player."""

    first_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    second_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    avatars: Annotated[tuple[Annotated[str, Text(1, 512)], ...], Items(0, 2_000, unique=True)] = ()


@section
class PlayersConfig(Config):
    """The players' part of the configuration."""

    identity_pool: IdentityPool | None = None
    platforms: Annotated[tuple[Key, ...], Items(0, 100, unique=True)] = ()


players_config: Final[Callable[[Unit], PlayersConfig]] = attrgetter("config")
"""The players' part of the configuration by which a unit goes."""
