"""Livecore: live operations for games, as deterministic Python with no I/O.

`World` is a game in memory. The rest is in the packages: `livecore.kernel` (the ground), the areas (the rules), and
`livecore.api` (operations as data, and the function from a request to a response).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from livecore import version

if TYPE_CHECKING:
    from livecore import errors as errors
    from livecore.api.configuration.game_config import GameConfig as GameConfig
    from livecore.api.configuration.game_config import load_config as load_config
    from livecore.kernel.wire.config import ConfigurationAdvice as ConfigurationAdvice
    from livecore.surfaces import SdkSurface as SdkSurface
    from livecore.surfaces import ServerSurface as ServerSurface
    from livecore.world import Emitted as Emitted
    from livecore.world import World as World
    from livecore.world import WorldOperator as WorldOperator
    from livecore.world import WorldPlayer as WorldPlayer
    from livecore.world import WorldRefused as WorldRefused
    from livecore.world import WorldServer as WorldServer

__all__ = [
    "ConfigurationAdvice",
    "Emitted",
    "GameConfig",
    "SdkSurface",
    "ServerSurface",
    "World",
    "WorldOperator",
    "WorldPlayer",
    "WorldRefused",
    "WorldServer",
    "__version__",
    "errors",
    "load_config",
]

__version__ = version.VERSION

_HOMES = {
    "ConfigurationAdvice": "livecore.kernel.wire.config",
    "Emitted": "livecore.world",
    "SdkSurface": "livecore.surfaces",
    "ServerSurface": "livecore.surfaces",
    "World": "livecore.world",
    "WorldOperator": "livecore.world",
    "WorldPlayer": "livecore.world",
    "WorldRefused": "livecore.world",
    "WorldServer": "livecore.world",
    "GameConfig": "livecore.api.configuration.game_config",
    "load_config": "livecore.api.configuration.game_config",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that the client does not load the world."""
    if name == "errors":
        return import_module("livecore.errors")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'livecore' has no attribute {name!r}")
    return getattr(import_module(home), name)
