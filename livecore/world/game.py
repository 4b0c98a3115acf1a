"""A whole game in memory: virtual time, a seed, every operation, and all emitted events.

    world = World(config)
    alice, bob = world.player("alice"), world.player("bob")
    alice.friends.send_request(external_player_id="bob")
    bob.friends.send_request(external_player_id="alice")
    world.server.wallet.credit("alice", "gold", amount=50)
    alice.gifts.send(external_player_id="bob", type="currency", resource_key="gold", amount=10)
    world.advance(days=8)                       # nobody claims, so the gold goes back

The methods, rows and exceptions are those of the clients; `alice.call("gifts.send", …)` calls any operation by its name and
answers with JSON. The rules are exactly those of the server: a call goes through the same `Application.handle`, over the
store in memory. Equal seeds and equal calls give equal worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Final, TypeVar, overload

import attrs

from livecore.access.directory import GAMES, STUDIOS, Game, require_game
from livecore.access.member_rows import Role
from livecore.access.members import BY_EMAIL, MEMBERSHIPS, add_member
from livecore.access.sessions import session_cookie, start_session
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import (
    NewGame,
    make_game,
    prepare_scope,
    run_due,
    system_unit,
    take,
    write_config,
    write_taken,
)
from livecore.api.operating.configuring import change_config
from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.api.table.operation import Operation
from livecore.kernel.declarations.area import Areas
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.errors import JsonObject, Refusal
from livecore.kernel.scope import DIRECTORY, Scope, scope_of
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, HOUR, MINUTE, SECOND, Millis, Timestamp
from livecore.kernel.units import due
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Actor, Event, Unit
from livecore.kernel.values import value
from livecore.kernel.wire import encode
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.endpoints import PlainVault
from livecore.world.callers import WorldOperator, WorldPlayer, WorldServer
from livecore.world.checks import (
    config_of_world,
    hint,
    require_environment,
    require_player_id,
    require_seed,
    spans_by_name,
)

T = TypeVar("T")
E = TypeVar("E", bound=Event)
START: Final = Timestamp.parse("2026-01-01T00:00:00.000Z")
"""The default time at which a world begins."""


@value
class Emitted:
    """An event of the world: time, scope, kind, and the payload as the catalog's class and as JSON data."""

    at: Timestamp
    environment: str
    kind: str
    payload: Event = attrs.field(repr=False)

    @cached_property
    def data(self) -> JsonObject:
        """The payload as JSON data."""
        data = encode(self.payload)
        assert isinstance(data, dict)  # noqa: S101 - a payload is an object
        return data

    def __repr__(self) -> str:
        return f"Emitted(at={self.at!r}, environment={self.environment!r}, kind={self.kind!r}, data={self.data!r})"


class World:
    """One game of one studio, in memory."""

    def __init__(
        self,
        config: GameConfig | Mapping[str, object] | str | None = None,
        *,
        seed: int = 0,
        start: Timestamp = START,
        environment: str = "test",
        limits: RateLimits | None = None,
        areas: Areas = AREAS,
        operations: Sequence[Operation] = OPERATIONS,
    ) -> None:
        self._root, self._drawn, self._keys = require_seed(seed), 0, 0
        self.seed = seed
        """The seed of all randomness in this world."""
        self.now: Millis = int(start)
        self.environment = require_environment(environment)
        parsed = config_of_world(config)
        self.store = MemoryStore()
        self.operations = {entry.id: entry for entry in operations}
        """The operations, by surface and name: `sdk:gifts.send`."""
        self.events: list[Emitted] = []
        """Everything that was emitted so far, oldest first."""
        self._players: dict[str, WorldPlayer] = {}
        self._clients: dict[tuple[object, ...], WorldPlayer] = {}
        # Time stands still between two calls, so nothing is gained by waiting before a ranking is loaded again.
        self._rankings = Rankings(self.store.notices, clock=lambda: self.now, ranks_are_stored=True, patient=False)
        self._rankings.wake = self._run_rankings
        self.application = Application(
            self.store,
            clock=lambda: self.now,
            seeds=self._seed,
            deployment=new_deployment(
                secrets=[derive_seed(self._root, "deployment", 0)],
                areas=areas,
                rankings=self._rankings,
                vault=PlainVault(),
                urls=NetworkRules(),
            ),
            limits=limits or RateLimits.off(),
            operations=operations,
        )
        made = self.store.write(DIRECTORY, lambda tx: self._make(tx, parsed))
        self.game: Game = made.game
        self.keys: dict[str, str] = {
            permission: made.keys[environment, permission].text for permission in ("client", "server")
        }
        """The keys of the world's environment: `client` and `server`."""
        self.all_keys = {f"{env}_{permission}": key.text for (env, permission), key in made.keys.items()}
        self.server = WorldServer(self, "server", {"authorization": f"Bearer {self.keys['server']}"}, None)
        """The studio's backend."""
        self._prepare_scopes()

    @cached_property
    def routes(self) -> Mapping[tuple[str, str], Operation]:
        """The operations, by method and template of the path."""
        return {(entry.method, entry.path): entry for entry in self.operations.values()}

    # -- time

    @spans_by_name
    def advance(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0) -> list[Emitted]:
        """Let time pass and run the work that becomes due, in its order; returns the events emitted meanwhile."""
        span = round(seconds * SECOND + minutes * MINUTE + hours * HOUR + days * DAY)
        if span < 0:
            raise ValueError("a world's time does not run backwards")
        return self.advance_to(self.now + span)

    def advance_to(self, moment: Millis) -> list[Emitted]:
        """Let time pass until `moment`; see `advance`."""
        first = len(self.events)
        self.flush()
        while True:
            coming = [at for at in (self._earliest(scope) for scope in (*self.scopes, DIRECTORY)) if at is not None]
            if not coming or min(coming) > moment:
                break
            self.now = max(self.now, min(coming))
            self._run_due_now()
        self.now = max(self.now, moment)
        return self.events[first:]

    @property
    def time(self) -> Timestamp:
        """The world's time as the wire writes it; `now` is the same instant in milliseconds since 1970."""
        return Timestamp(self.now)

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        """The game's two scopes."""
        return scope_of(self.game.game_id, "test"), scope_of(self.game.game_id, "live")

    def _earliest(self, scope: Scope) -> Millis | None:
        return self.store.read(scope, due.earliest)

    def _run_due_now(self) -> None:
        for scope in (*self.scopes, DIRECTORY):
            for work in self.store.read(scope, lambda tx: due.due(tx, self.now, 1_000)):
                self.unit_of_work(partial(run_due, work=work), scope)

    def flush(self) -> None:
        """Write the ephemeral state to the store, as the server does every few seconds."""
        for taken in take(self.ephemeral, 1_000_000, self.application.areas):
            for ref in self.store.write(taken.scope, partial(write_taken, taken=taken)):
                self.ephemeral.forget(taken.scope, ref)

    # -- who acts

    def player(self, external_id: str, **headers: str) -> WorldPlayer:
        """A player's client. The first use of a name registers the player; later uses give the same player.

        `headers` are added to that player's requests, such as `**{"x-svc-platform": "ios"}`; with other headers it is
        another client of the same player. Raises `TypeError` and `ValueError` for what is no player's id.
        """
        known = self._players.get(require_player_id(external_id)) or self._register(external_id, headers)
        if not headers:
            return known
        key = (external_id, *sorted(headers.items()))
        client = self._clients.get(key)
        if client is None or client.player_secret != known.player_secret:
            client = self._clients[key] = attrs.evolve(known, headers={**known.headers, **headers})
        return client

    def newcomer(self, external_id: str, **headers: str) -> WorldPlayer:
        """A player's client before it has registered: `players.register` does that, as with a client of a server."""
        key = {"authorization": f"Bearer {self.keys['client']}"}
        return WorldPlayer(self, "sdk", {**key, **headers}, external_id)

    def _register(self, external_id: str, headers: Mapping[str, str]) -> WorldPlayer:
        # By name, so that a world that hands its requests to a server registers its players there.
        registered = self.newcomer(external_id, **headers).call("players.register")
        player = registered["player"]
        assert isinstance(player, dict)  # noqa: S101 - the answer's shape
        with_secret = {**self.newcomer(external_id).headers, "x-player-secret": str(registered["playerSecret"])}
        made = WorldPlayer(self, "sdk", with_secret, external_id, str(player["playerId"]))
        self._players[external_id] = made
        return made

    def keep(self, player: WorldPlayer) -> None:
        """Give this object for its name from now on: its player has registered by it."""
        self._players[player.external_player_id] = player

    def operator(self, email: str = "owner@example.com", role: Role = "OWNER") -> WorldOperator:
        """A member of the studio who is signed in, and becomes one with this role at the first call for the address.

        Its calls are about the world's game and environment unless they say otherwise.
        """

        def enter(unit: Unit) -> str:
            member = unit.tx.find(BY_EMAIL, email.lower())
            if member is None or unit.tx.get(MEMBERSHIPS, self.game.studio_id, member.member_id) is None:
                studio = unit.tx.get(STUDIOS, self.game.studio_id)
                assert studio is not None  # noqa: S101 - the world has made it
                member, _ = add_member(unit.tx, studio, email, role, unit.now, unit.entropy)
            return start_session(unit.tx, member.member_id, unit.now, unit.entropy).token

        token = self.unit_of_work(enter, DIRECTORY)
        cookie = f"{session_cookie(self.application.origin)}={token}"
        return WorldOperator(self, "admin", {"cookie": cookie, "sec-fetch-site": "same-origin"}, None)

    # -- inside

    @property
    def ephemeral(self) -> EphemeralState:
        """The ephemeral state."""
        return self.application.ephemeral

    def unit_of_work(self, work: Callable[[Unit], T], scope: Scope | None = None) -> T:
        """Run `work(unit)` as the service itself, in one transaction."""
        scope = scope or scope_of(self.game.game_id, self.environment)
        return self._run(work, scope, None if scope == DIRECTORY else self.game)

    def _run(self, work: Callable[[Unit], T], scope: Scope, game: Game | None) -> T:
        seed = self._seed()

        def step(tx: Transaction) -> tuple[T, list[Event]]:
            unit = system_unit(tx, game, self.now, seed, self.application.deployment)
            return work(unit), unit.events

        result, events = self.store.write(scope, step)
        self._note(events, scope.environment)
        return result

    def configure(self, config: GameConfig | Mapping[str, object] | str, *, refund_pending_gifts: bool = False) -> None:
        """Replace the game's configuration from now on.

        A configuration with another `economyMode` raises `PaidGiftsPending` while paid gifts are pending, unless
        `refund_pending_gifts` gives them back first. One that lacks an event with an open window, or
        that rosters for a window to come would not fit, raises `ConfigRefused`.
        """
        parsed = config_of_world(config)

        def write(_: int) -> Game:
            return self.store.write(
                DIRECTORY,
                lambda tx: write_config(tx, require_game(tx, self.game.game_id), parsed, self.now, Actor("system")),
            )

        try:
            self.game, _ = change_config(
                self._run, self.game, parsed, write, lambda: self.game, refund=refund_pending_gifts
            )
        except Refusal as refusal:
            raise refusal.bare() from None

    def handle(self, request: Request) -> Response:
        """Answer a request in the form of HTTP; in-process transports call this."""
        outcome = self.application.perform(request)
        self._note(outcome.events, outcome.scope.environment)
        for scope, events in outcome.touched.items():
            self._note(events, scope.environment)
        if DIRECTORY in outcome.touched:
            # The request may have given the game another configuration, or deleted it.
            self.game = self.store.read(DIRECTORY, lambda tx: tx.get(GAMES, self.game.game_id)) or self.game
        return outcome.response

    @overload
    def emitted(self, kind: str) -> list[JsonObject]: ...
    @overload
    def emitted(self, kind: type[E]) -> list[E]: ...
    def emitted(self, kind: str | type[E]) -> list[JsonObject] | list[E]:
        """The payloads of every event of this kind so far, oldest first.

        `emitted("gift.sent")` returns them as the JSON that a webhook carries; `emitted(GiftSent)`, with a class of
        `livecore_client.webhooks`, gives them typed. Raises `LookupError` when there is no such kind.
        """
        if isinstance(kind, str):
            kinds = self.application.areas.events
            if kind not in kinds:
                raise LookupError(f"no event is of the kind {kind!r}{hint(kind, tuple(kinds))}")
            return [event.data for event in self.events if event.kind == kind]
        return [event.payload for event in self.events if isinstance(event.payload, kind)]

    def _note(self, events: Sequence[Event], environment: str) -> None:
        at = Timestamp(self.now)
        for event in events:
            self.events.append(Emitted(at, environment, event.kind, event))

    def _run_rankings(self) -> None:
        """Load rankings and make messages of streams at once: the store is in memory."""
        while (read := self._rankings.next_read()) is not None:
            read.take(self.store.read(read.scope, read.read))

    def new_idempotency_key(self) -> str:
        """A key for a write whose shape requires one."""
        self._keys += 1
        return f"world-{self._keys}"

    def _seed(self) -> bytes:
        self._drawn += 1
        return derive_seed(self._root, "world", self._drawn)

    def _make(self, tx: Transaction, config: GameConfig) -> NewGame:
        return make_game(tx, config, self.now, Entropy(self._seed()), studio_name="World studio", actor=Actor("system"))

    def _prepare_scopes(self) -> None:
        for scope in self.scopes:
            self.unit_of_work(prepare_scope, scope)
