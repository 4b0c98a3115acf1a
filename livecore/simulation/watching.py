"""What a season tells whoever watches it: who plays, what each call ended with, and what the game emitted.

The time of everything is the world's (`world.now`). Amounts that the population's backend or shop moves can be told by their
reference: a grant of the backend has the `sourceRefId` `backend:<label>`, one for a purchase `purchase:<product>`, and a
debit of the shop has the reason `shop:<label>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.population import Population

if TYPE_CHECKING:
    from livecore.world import Emitted, World


class Watcher(Protocol):
    """Watches a season while it is played. It must change nothing: reads go to `world.store` or through the backend."""

    def began(self, world: World, config: GameConfig, population: Population) -> None:
        """The world is there, and nobody has registered."""

    def registered(self, player: str, behaviour: str) -> None:
        """A player, named by the studio's id, has registered."""

    def session(self, player: str, behaviour: str) -> None:
        """A player has begun a session; the first one begins right after `registered`."""

    def left(self, player: str, behaviour: str) -> None:
        """A player has left, and may come back."""

    def came_back(self, player: str, behaviour: str) -> None:
        """A player who had left is there again; the session begins right after."""

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401 - the operation's row
        """A call was answered: `code` is that of its refusal, or `None`; `answer` is the row, or the refusal.

        `operation` is `gifts.send` for a player's call, and `server:grants.create` for one of the studio's backend about a
        player of the behaviour; what the backend does about no single player has the behaviour `backend`.
        """

    def event(self, emitted: Emitted) -> None:
        """The game has emitted an event in the environment that is played.

        Those that a call causes are told before it is told how the call ended.
        """

    def day_ended(self, day: int) -> None:
        """A day of the run is over, counted from 0; the world's time is its end."""

    def ended(self, world: World) -> None:
        """The season is over."""


class Nobody:
    """Watches nothing."""

    def began(self, world: World, config: GameConfig, population: Population) -> None:
        """Nothing is kept."""

    def registered(self, player: str, behaviour: str) -> None:
        """Nothing is kept."""

    def session(self, player: str, behaviour: str) -> None:
        """Nothing is kept."""

    def left(self, player: str, behaviour: str) -> None:
        """Nothing is kept."""

    def came_back(self, player: str, behaviour: str) -> None:
        """Nothing is kept."""

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401 - as above
        """Nothing is kept."""

    def event(self, emitted: Emitted) -> None:
        """Nothing is kept."""

    def day_ended(self, day: int) -> None:
        """Nothing is kept."""

    def ended(self, world: World) -> None:
        """Nothing is kept."""
