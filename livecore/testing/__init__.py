"""Tools for a studio's tests of its own game, and the types that its tests and fixtures name.

    from livecore.testing import Config, MakePlayer, World, WorldPlayer

    def test_gifts_come_back(livecore_world: World, livecore_player: MakePlayer) -> None: ...

A name is imported when it is first used, because pytest imports this package in every run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from livecore.testing.rehearsing import Rehearsal as Rehearsal
    from livecore.testing.types import Config as Config
    from livecore.testing.types import MakePlayer as MakePlayer
    from livecore.world import Emitted as Emitted
    from livecore.world import World as World
    from livecore.world import WorldOperator as WorldOperator
    from livecore.world import WorldPlayer as WorldPlayer
    from livecore.world import WorldRefused as WorldRefused
    from livecore.world import WorldServer as WorldServer

__all__ = [
    "Config",
    "Emitted",
    "MakePlayer",
    "Rehearsal",
    "World",
    "WorldOperator",
    "WorldPlayer",
    "WorldRefused",
    "WorldServer",
]


_HOMES: Final = {
    "Config": "livecore.testing.types",
    "MakePlayer": "livecore.testing.types",
    "Rehearsal": "livecore.testing.rehearsing",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use."""
    if name not in __all__:
        raise AttributeError(f"module 'livecore.testing' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "livecore.world")), name)
