"""A game that several processes serve at once: each with a store, ephemeral state and an application of its own.

The processes are threads here, and share nothing but the database.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from threading import Barrier
from typing import Any, Final, TypeVar

import attrs

from livecore.access.directory import Game as DirectoryGame
from livecore.api.application import Application
from livecore.api.configuration.game_config import parse_config
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import NewGame, make_game, prepare_scope, system_unit
from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.economy.ledger import ENTRIES_OF_PLAYER, HOLDINGS_OF_PLAYER
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Actor, Unit
from livecore.players.player import BY_EXTERNAL_ID
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore_server.known_request import expect_reads
from livecore_server.storage.postgres import PostgresStore
from livecore_server.system import draw_seed, now_millis
from tests.laws.arena import Rows
from tests.patience import PATIENCE_SECONDS

T = TypeVar("T")
CONFIG: Final[dict[str, Any]] = {
    "name": "Race",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency", "public": True}],
    "items": [{"key": "potion", "name": "Potion"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 3600,
        "dailySendLimit": 3,
        "dailyReceiveLimit": 8,
        "claimExpirySeconds": 600,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
}
_names = itertools.count(1)


@attrs.frozen
class Reply:
    """An answer: its status, what is under `data`, and the code of an error."""

    status: int
    data: Any
    code: str | None
    replay: bool


class Game:
    """One game in the live environment, and the processes that serve it."""

    def __init__(self, stores: Sequence[Rows], made: NewGame) -> None:
        self.stores = stores
        self.made = made
        self.scope = Scope(made.game.game_id, "live")
        self.processes = [
            Application(
                store,
                clock=lambda: now_millis() + self.ahead,
                seeds=draw_seed,
                deployment=new_deployment(ephemeral=EphemeralState(), vault=PlainVault()),
                limits=RateLimits.off(),
                begun=expect_reads,
            )
            for store in stores
        ]
        self.ahead = 0
        """How far every process's clock is ahead, in milliseconds."""
        self.secrets: dict[str, str] = {}

    @property
    def directory_game(self) -> DirectoryGame:
        """The game's row."""
        return self.made.game

    def ask(self, method: str, path: str, body: object = None, *, process: int = 0, server: bool = False) -> Reply:
        """Ask one of the processes, as the player whom the path names or as the studio's backend."""
        application = self.processes[process % len(self.processes)]
        player = path.split("/", maxsplit=1)[0]
        surface, permission = ("server", "server") if server else ("sdk", "client")
        headers = {"authorization": f"Bearer {self.made.keys['live', permission].text}"}
        if player in self.secrets:
            headers["x-player-secret"] = self.secrets[player]
        if body is not None:
            headers["content-type"] = "application/json"
        content = b"" if body is None else json.dumps(body).encode()
        request = Request(method, f"/{surface}/v1/players/{path}", "", headers, content, "192.0.2.1", (None, None))
        prepared = application.store.read(DIRECTORY, partial(application.prepare, request))
        assert prepared.refused is None
        step = application.store.write if prepared.runs == "write" else application.store.read
        try:
            response = step(prepared.scope, partial(application.run, prepared)).response
        except Refusal as refusal:
            response = refuse(prepared, refusal)
        answer = json.loads(response.body)
        replay = ("Idempotent-Replay", "true") in response.headers
        return Reply(response.status, answer.get("data"), answer.get("error", {}).get("code"), replay)

    def player(self, gold: int = 0) -> str:
        """A new registered player, with some gold."""
        name = f"player-{next(_names)}"
        reply = self.ask("POST", f"{name}/register")
        self.secrets[name] = reply.data["playerSecret"]
        if gold:
            assert self.ask("POST", f"{name}/wallet/gold/credit", {"amount": gold}, server=True).status == 200
        return name

    def friends(self, gold: int = 0) -> tuple[str, str]:
        """Two players who are friends; the first has some gold."""
        one, other = self.player(gold), self.player()
        self.ask("POST", f"{one}/friends/requests", {"externalPlayerId": other})
        assert self.ask("POST", f"{other}/friends/requests", {"externalPlayerId": one}).data["status"] == "accepted"
        return one, other

    def gold(self, *players: str) -> int:
        """What the players have together, by their holdings; each must equal the sum of its entries."""

        def count(tx: Transaction) -> int:
            total = 0
            for name in players:
                row = tx.find(BY_EXTERNAL_ID, name)
                assert row is not None
                held = {
                    holding.asset_key: holding.amount
                    for holding in tx.scan(HOLDINGS_OF_PLAYER, row.player_id, "currency")
                }
                entries = tx.scan(ENTRIES_OF_PLAYER, row.player_id)
                assert held.get("gold", 0) == sum(entry.delta for entry in entries)
                total += held.get("gold", 0)
            return total

        return self.stores[0].read(self.scope, count)

    def as_service(self, work: Callable[[Unit], T], *, process: int = 0) -> T:
        """Run a unit that nobody asked for, such as due work."""
        seed, now = draw_seed(), now_millis() + self.ahead
        ephemeral = self.processes[process].ephemeral
        return self.stores[process].write(
            self.scope,
            lambda tx: work(system_unit(tx, self.directory_game, now, seed, new_deployment(ephemeral=ephemeral))),
        )

    def events(self) -> list[str]:
        """The kind and payload of every stored event, oldest first."""
        rows = self.stores[0].dump()[self.scope.id].get("webhook_events", [])
        return [f"{row.kind} {row.data}" for row in rows]


@contextmanager
def game_in(url: str, processes: int = 2, config: Mapping[str, Any] = CONFIG) -> Iterator[Game]:
    """A new game in a database, and its processes."""
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(PostgresStore(url))) for _ in range(processes)]
        yield game_over(stores, config)


def game_over(stores: Sequence[Rows], config: Mapping[str, Any] = CONFIG) -> Game:
    """A new game over the stores of its processes."""
    parsed = parse_config(dict(config))

    def make(tx: Transaction) -> NewGame:
        return make_game(tx, parsed, now_millis(), Entropy(draw_seed()), studio_name="S", actor=Actor("system"))

    game = Game(stores, stores[0].write(DIRECTORY, make))
    game.as_service(prepare_scope)
    game.as_service(
        lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://studio.example/hooks", events=["*"])
    )
    return game


def race(*runners: Callable[[], T]) -> list[T]:
    """Run all of them at the same moment, each in a thread of its own; gives their results in order."""
    barrier = Barrier(len(runners))

    def started(runner: Callable[[], T]) -> T:
        barrier.wait(PATIENCE_SECONDS)
        return runner()

    with ThreadPoolExecutor(len(runners)) as threads:
        return list(threads.map(started, runners))
