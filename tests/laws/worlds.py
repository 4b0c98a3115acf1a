"""The games of the laws as two `World`s of the library, behind the face of an arena."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.access.directory import KEY_BY_HASH
from livecore.access.keys import key_hash, rotate_key
from livecore.api.requests.http import Request, Response
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Event
from livecore.world import World
from tests.laws.arena import START, Arena, Happened, Permission
from tests.laws.games import GAMES, Environment, Place, config_of


class Worlds(Arena):
    """One world for each game, with stores, keys and clocks of their own: nothing of an arena is left but its face."""

    def __init__(self) -> None:
        self.worlds = [World(config, seed=at, start=Timestamp(START)) for at, config in enumerate(GAMES)]
        self.number = 0
        self.now = START
        self._texts: dict[tuple[Place, Permission], list[str]] = {}
        environments: tuple[Environment, ...] = ("test", "live")
        permissions: tuple[Permission, ...] = ("client", "server")
        for game, world in enumerate(self.worlds):
            for environment in environments:
                for permission in permissions:
                    text = world.all_keys[f"{environment}_{permission}"]
                    self._texts[Place(game, environment), permission] = [text]
        self.places = sorted({place for place, _ in self._texts})

    def key(self, place: Place, permission: Permission, age: int = 0) -> str:
        """The text of an API key: the newest one, or an older one."""
        keys = self._texts[place, permission]
        return keys[max(0, len(keys) - 1 - age)]

    def rotate_key(self, place: Place, permission: Permission) -> str:
        """Give a key a successor."""
        world, keys = self.worlds[place.game], self._texts[place, permission]

        def rotate(tx: Transaction) -> str:
            old = tx.find(KEY_BY_HASH, key_hash(keys[-1]))
            assert old is not None
            entropy = Entropy(f"{place}/{permission}/{len(keys)}".encode())
            return rotate_key(tx, world.game.game_id, old.key_id, world.now, entropy).text

        keys.append(world.store.write(DIRECTORY, rotate))
        return keys[-1]

    def switch_gifting(self, number: int, *, enabled: bool) -> None:
        """Switch a game's gifting on or off."""
        self.worlds[number].configure(config_of(number, gifting=enabled))

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Answer a request in the world whose key it shows, and say what it emitted."""
        token = request.headers["authorization"].removeprefix("Bearer ")
        (game,) = {place.game for (place, _), keys in self._texts.items() if token in keys}
        outcome = self.worlds[game].application.perform(request)
        return outcome.response, outcome.events

    def advance(self, milliseconds: int) -> list[Happened]:
        """Let time pass in both worlds."""
        happened: list[Happened] = []
        self.now += milliseconds
        for game, world in enumerate(self.worlds):
            for emitted in world.advance_to(self.now):
                environment: Environment = "live" if emitted.environment == "live" else "test"
                happened.append(Happened(Place(game, environment), emitted.kind, emitted))
        return happened
