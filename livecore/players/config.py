"""The players' part of a game's configuration: the pool of names, and the platforms."""

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
    """Words and pictures for anonymised identities: one of each is drawn once for each player."""

    first_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    second_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    avatars: Annotated[tuple[Annotated[str, Text(1, 512)], ...], Items(0, 2_000, unique=True)] = ()


@section
class PlayersConfig(Config):
    """The players' part of the configuration."""

    identity_pool: IdentityPool | None = None
    platforms: Annotated[tuple[Key, ...], Items(0, 100, unique=True)] = ()


players_config: Final[Callable[[Unit], PlayersConfig]] = attrgetter("config")
"""The players' part of a unit's configuration."""
