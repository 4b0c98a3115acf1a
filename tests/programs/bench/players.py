"""The players of a run, with their secrets, and what they do before anything is timed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.programs.bench import game
from tests.programs.bench.databases import CannotRun
from tests.programs.bench.load import Result, run_load
from tests.programs.bench.processes import Served

Pair = tuple[str, str]


class Players:
    """Players of one served game. `secrets` may come from whoever has registered them."""

    def __init__(self, served: Served, secrets: dict[str, str] | None = None) -> None:
        self.served = served
        self.client_key = served.game.client_key
        self.secrets = {} if secrets is None else secrets

    async def load(self, requests: Sequence[bytes], keep: list[bytes] | None = None) -> Result:
        """Send requests; `keep` takes the bodies of the answers. Raises `CannotRun` unless every one succeeds."""
        result = await run_load(self.served.address, iter(requests), keep=None if keep is None else keep.append)
        if result.refused:
            first = result.refused[0].decode("utf-8", "replace")
            raise CannotRun(
                f"the server refused {len(result.refused)} of {result.requests} requests, first with {first}; "
                f"its log ends with: {self.served.last_words()}"
            )
        return result

    async def register(self, names: Sequence[str]) -> None:
        """First contact of each; their secrets are kept."""
        bodies: list[bytes] = []
        await self.load([game.register(self.client_key, name) for name in names], bodies)
        for body in bodies:
            data = json.loads(body)["data"]
            self.secrets[data["player"]["externalPlayerId"]] = data["playerSecret"]

    async def befriend(self, pairs: Sequence[Pair]) -> None:
        """Each asks the other, and is accepted."""
        await self.load([self.add(one, other) for one, other in pairs])
        await self.load([self.add(other, one) for one, other in pairs])

    async def give_gold(self, names: Sequence[str]) -> None:
        """Enough gold for any number of gifts."""
        await self.load([game.credit(self.served.game.server_key, name, 10**9) for name in names])

    def add(self, player: str, target: str) -> bytes:
        """A friend request."""
        return game.add(self.client_key, player, self.secrets[player], target)
