"""A whole game in memory: `World`, who calls operations in it, and what they are told."""

from __future__ import annotations

from livecore.world.callers import Caller, WorldOperator, WorldPlayer, WorldServer
from livecore.world.commands import Command, Playback
from livecore.world.emitted import Emitted
from livecore.world.game import World
from livecore.world.refusals import WorldRefused
from livecore.world.results import CallResult
from livecore.world.stream import Received, WorldStream

__all__ = [
    "CallResult",
    "Caller",
    "Command",
    "Emitted",
    "Playback",
    "Received",
    "World",
    "WorldOperator",
    "WorldPlayer",
    "WorldRefused",
    "WorldServer",
    "WorldStream",
]
