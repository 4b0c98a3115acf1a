"""What a run shows that its designer should know, in sentences."""

from __future__ import annotations

from typing import Literal

from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.values import value
from livecore.simulation.observed import Observed


@value
class Finding:
    """One sentence about a run; `path` is where in the configuration one would change it."""

    weight: Literal["warning", "note"]
    topic: Literal["economy", "gifts", "events", "crates", "guilds", "players", "limits", "rewards", "webhooks"]
    text: str
    path: str | None = None


def findings_of(observed: Observed, config: GameConfig) -> list[Finding]:
    """What stands out in a run: the warnings first."""
    return []
