"""What one call costs in a World: by its name, typed, and through the client in the same process; in processor time.

    python -m tests.programs.bench.calls
    python -m tests.programs.bench.calls --rounds 40

Each way has a world of its own with the same past. They take turns in short blocks, so that all of them see the machine in
the same state, and the quickest block of each counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Final

import attrs
import click

from livecore import World
from livecore.api.operations import OPERATIONS
from livecore.events.rows import ReportProgress
from livecore.kernel.errors import JsonObject
from livecore.social.gift_rows import SendGift
from livecore.social.rows import SendRequest
from livecore.world import WorldPlayer
from livecore_client import LocalTransport, SdkClient
from tests.programs.bench.game import CONFIG, RACE

_BLOCK: Final = 100
_PLAYERS: Final = 50
_WAYS: Final = ("call", "typed", "client")
"""By name with JSON, typed, and through the client with `LocalTransport`."""
_OPERATIONS: Final = {operation.id: operation for operation in OPERATIONS}

Call = Callable[[int], object]


@attrs.frozen
class CallRow:
    """One operation: microseconds of processor time for a call, by the way in which it is called."""

    operation: str
    microseconds: Mapping[str, float]

    @property
    def share(self) -> float:
        """The time of a typed call as a share of that of `call`."""
        return self.microseconds["typed"] / self.microseconds["call"]


class _Scene:
    """A world in which friends play, and the calls that are measured in it."""

    def __init__(self, newcomers: int) -> None:
        self.world = World({**CONFIG, "events": [RACE]})
        self.givers = [self.world.player(f"giver-{number}") for number in range(_PLAYERS)]
        self.attempts: list[str] = []
        for number, giver in enumerate(self.givers):
            taker = self.world.player(f"taker-{number}")
            giver.call("friends.sendRequest", external_player_id=taker.external_id)
            taker.call("friends.sendRequest", external_player_id=giver.external_id)
            self.world.server.call("wallet.credit", external_id=giver.external_id, economy_key="gold", amount=10**9)
            attempt = giver.call("events.start", key="race")["attempt"]
            assert isinstance(attempt, dict)
            self.attempts.append(str(attempt["attemptId"]))
        self.newcomers = [self.world.player(f"newcomer-{number}") for number in range(newcomers)]

    def calls(self, way: str) -> dict[str, Call]:
        """The call with a number, for each operation, in one of the ways."""
        return {"call": self._by_name, "typed": self._typed, "client": self._by_client}[way]()

    def _by_name(self) -> dict[str, Call]:
        def gift(number: int) -> JsonObject:
            return self.givers[number % _PLAYERS].call(
                "gifts.send", type="currency", resource_key="gold", amount=1, external_player_id=self._taker(number)
            )

        def request(number: int) -> JsonObject:
            return self.newcomers[number].call("friends.sendRequest", external_player_id=self._giver(number))

        def progress(number: int) -> JsonObject:
            attempt = self.attempts[number % _PLAYERS]
            player = self.givers[number % _PLAYERS]
            return player.call("events.progress", key="race", attempt_id=attempt, metrics={"points": number + 1})

        return {"gifts.send": gift, "friends.sendRequest": request, "events.progress": progress}

    def _typed(self) -> dict[str, Call]:
        def gift(number: int) -> object:
            arguments = SendGift(type="currency", resource_key="gold", amount=1, external_player_id=self._taker(number))
            return self.givers[number % _PLAYERS].perform(_OPERATIONS["sdk:gifts.send"], arguments)

        def request(number: int) -> object:
            arguments = SendRequest(external_player_id=self._giver(number))
            return self.newcomers[number].perform(_OPERATIONS["sdk:friends.sendRequest"], arguments)

        def progress(number: int) -> object:
            attempt = self.attempts[number % _PLAYERS]
            arguments = ReportProgress(key="race", attempt_id=attempt, metrics={"points": number + 1})
            return self.givers[number % _PLAYERS].perform(_OPERATIONS["sdk:events.progress"], arguments)

        return {"gifts.send": gift, "friends.sendRequest": request, "events.progress": progress}

    def _by_client(self) -> dict[str, Call]:
        givers = [self._client(player) for player in self.givers]
        newcomers = [self._client(player) for player in self.newcomers]

        def gift(number: int) -> object:
            return givers[number % _PLAYERS].gifts.send(
                type="currency", resource_key="gold", amount=1, external_player_id=self._taker(number)
            )

        def request(number: int) -> object:
            return newcomers[number].friends.send_request(external_player_id=self._giver(number))

        def progress(number: int) -> object:
            attempt = self.attempts[number % _PLAYERS]
            return givers[number % _PLAYERS].events.progress("race", attempt, metrics={"points": number + 1})

        return {"gifts.send": gift, "friends.sendRequest": request, "events.progress": progress}

    def _client(self, player: WorldPlayer) -> SdkClient:
        return SdkClient(
            base_url="http://world",
            api_key=self.world.keys["client"],
            external_player_id=str(player.external_id),
            player_secret=player.secret,
            transport=LocalTransport(self.world),
        )

    @staticmethod
    def _taker(number: int) -> str:
        return f"taker-{number % _PLAYERS}"

    @staticmethod
    def _giver(number: int) -> str:
        return f"giver-{number % _PLAYERS}"


def measured(rounds: int) -> list[CallRow]:
    """The table, after so many blocks of each way for each operation."""
    scenes = {way: _Scene(rounds * _BLOCK) for way in _WAYS}
    calls = {way: scene.calls(way) for way, scene in scenes.items()}
    rows: list[CallRow] = []
    for operation in calls["call"]:
        gc.collect()
        gc.freeze()
        best = dict.fromkeys(_WAYS, float("inf"))
        for turn in range(rounds):
            for way in _WAYS:
                best[way] = min(best[way], _block(scenes[way].world, calls[way][operation], turn * _BLOCK))
        rows.append(CallRow(operation, best))
    return rows


def _block(world: World, call: Call, first: int) -> float:
    started = time.process_time()
    for number in range(first, first + _BLOCK):
        world.now += 1
        call(number)
    return (time.process_time() - started) * 1e6 / _BLOCK


@click.command()
@click.option("--rounds", default=20, show_default=True, help="Blocks of a hundred calls, for each way and operation.")
def main(rounds: int) -> None:
    """Print the processor time of a call, by the way in which it is called."""
    click.echo(f"{'µs a call':<22}" + "".join(f"{way:>10}" for way in _WAYS) + f"{'typed/call':>12}")
    for row in measured(rounds):
        times = "".join(f"{row.microseconds[way]:>10.1f}" for way in _WAYS)
        click.echo(f"{row.operation:<22}{times}{row.share:>12.2f}")


if __name__ == "__main__":
    main()
