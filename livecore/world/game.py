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
from typing import Final, Self, TypeVar, overload

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
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.endpoints import PlainVault
from livecore.world.callers import WorldOperator, WorldPlayer, WorldServer
from livecore.world.checks import (
    config_of_world,
    require_environment,
    require_flush_seconds,
    require_player_id,
    require_seed,
    spans_by_name,
)
from livecore.world.commands import Command, command_of
from livecore.world.draws import Draws, WorldApplication
from livecore.world.due_times import DueTimes
from livecore.world.emitted import Emitted, Environments, EventLog
from livecore.world.saving import Snapshot, read, written

T = TypeVar("T")
E = TypeVar("E", bound=Event)
START: Final = Timestamp.parse("2026-01-01T00:00:00.000Z")
"""The default time at which a world begins."""


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
        keep_events: bool = True,
        on_event: Callable[[Emitted], None] | None = None,
        on_command: Callable[[Command], None] | None = None,
        flush_seconds: float = 0,
    ) -> None:
        """`on_event` is called with each event once it is committed. Without `keep_events` the list `events` stays empty.

        `on_command` is called with each request once it is answered, after its events. Last-seen values are written when
        time passes a multiple of `flush_seconds` (up to 60, as the server's setting); with 0, whenever time passes.
        """
        self._on_command = on_command
        self._passed: list[Millis] = []
        self.flush_seconds = require_flush_seconds(flush_seconds)
        parsed = config_of_world(config)
        self.seed = seed
        """The seed of all randomness in this world."""
        self.now: Millis = int(start)
        self.environment = require_environment(environment)
        self._log = EventLog(keep=keep_events, on_event=on_event)
        self._build(MemoryStore(), EphemeralState(), limits or RateLimits.off(), areas, operations)
        made = self.store.write(DIRECTORY, lambda tx: self._make(tx, parsed))
        self._open(made.game, {f"{env}_{permission}": key.text for (env, permission), key in made.keys.items()})
        self._prepare_scopes()

    def _build(
        self,
        store: MemoryStore,
        ephemeral: EphemeralState,
        limits: RateLimits,
        areas: Areas,
        operations: Sequence[Operation],
    ) -> None:
        """Make the service over a store, which may have rows already."""
        root = require_seed(self.seed)
        self.store = store
        self.draws = Draws(root)
        """What all randomness of this world is drawn from."""
        self.operations = {entry.id: entry for entry in operations}
        """The operations, by surface and name: `sdk:gifts.send`."""
        # Time stands still between two calls, so nothing is gained by waiting before a ranking is loaded again.
        self._rankings = Rankings(store.notices, clock=lambda: self.now, ranks_are_stored=True, patient=False)
        self._rankings.wake = self._run_rankings
        deployment = new_deployment(
            secrets=[derive_seed(root, "deployment", 0)],
            areas=areas,
            ephemeral=ephemeral,
            rankings=self._rankings,
            vault=PlainVault(),
            urls=NetworkRules(),
        )
        self.application: Application = WorldApplication(
            store,
            clock=lambda: self.now,
            draws=self.draws,
            deployment=deployment,
            limits=limits,
            operations=operations,
        )

    def _open(self, game: Game, all_keys: dict[str, str]) -> None:
        """Take the game that the store has, and let callers come."""
        self.game: Game = game
        self._due_times = DueTimes((*self.scopes, DIRECTORY))
        self.all_keys = all_keys
        self.keys = {permission: all_keys[f"{self.environment}_{permission}"] for permission in ("client", "server")}
        """The keys of the world's environment: `client` and `server`."""
        self.server = WorldServer(self, "server", {"authorization": f"Bearer {self.keys['server']}"}, None)
        """The studio's backend."""
        self._players: dict[str, WorldPlayer] = {}
        self._clients: dict[tuple[object, ...], WorldPlayer] = {}

    @property
    def events(self) -> list[Emitted]:
        """Everything that was emitted so far in both environments, oldest first, where events are kept."""
        return self._log.kept

    @cached_property
    def routes(self) -> Mapping[tuple[str, str], Operation]:
        """The operations, by method and template of the path."""
        return {(entry.method, entry.path): entry for entry in self.operations.values()}

    # -- time

    @spans_by_name
    def advance(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0) -> list[Emitted]:
        """Let time pass and run the work that becomes due, in its order; returns the events emitted meanwhile.

        It returns those of both environments, and also those of a world that keeps no events.
        """
        span = round(seconds * SECOND + minutes * MINUTE + hours * HOUR + days * DAY)
        if span < 0:
            raise ValueError("a world's time does not run backwards")
        return self.advance_to(self.now + span)

    def advance_to(self, moment: Millis) -> list[Emitted]:
        """Let time pass until `moment`; see `advance`."""
        self._note_passed(moment)
        with self._log.collected() as emitted:
            if not (every := round(self.flush_seconds * SECOND)) or self.now // every != moment // every:
                self.flush()
            while (coming := self._due_times.coming(self.store)) and (first := min(coming.values())) <= moment:
                self.now = max(self.now, first)
                self._run_due_now(coming)
            self.now = max(self.now, moment)
        return emitted

    def step(self) -> list[Emitted] | None:
        """Let time pass until the next work is due, and run all work of that moment; returns the events emitted meanwhile.

        Work that is late already runs at once, without time passing. Returns `None` where no work is ever due.
        """
        with self._log.collected() as emitted:
            self.flush()
            coming = self._due_times.coming(self.store)
            if not coming:
                return None
            self.now = max(self.now, min(coming.values()))
            self._note_passed(self.now)
            # Work may cause other work of the same moment.
            while coming and min(coming.values()) <= self.now:
                self._run_due_now(coming)
                coming = self._due_times.coming(self.store)
        return emitted

    @property
    def time(self) -> Timestamp:
        """The world's time as the wire writes it; `now` is the same instant in milliseconds since 1970."""
        return Timestamp(self.now)

    @property
    def scope(self) -> Scope:
        """The scope of the game that the world's callers are in."""
        return scope_of(self.game.game_id, self.environment)

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        """The game's two scopes."""
        return scope_of(self.game.game_id, "test"), scope_of(self.game.game_id, "live")

    def _note_passed(self, moment: Millis) -> None:
        """Keep when time was let pass, where commands are told: what is written then shows in later answers."""
        if self._on_command is not None:
            self._passed.append(max(self.now, moment))

    def _run_due_now(self, coming: Mapping[Scope, Millis]) -> None:
        """Run what is due now in the scopes of whose next work the moment has come."""
        for scope in (scope for scope, at in coming.items() if at <= self.now):
            for work in self.store.read(scope, lambda tx: due.due(tx, self.now, 1_000)):
                seed = self.draws.draw_due(scope, work.kind, work.ref, self.now)
                self._run(partial(run_due, work=work), scope, None if scope == DIRECTORY else self.game, seed)

    def flush(self) -> None:
        """Write the ephemeral state to the store, as the server does every few seconds."""
        for taken in take(self.ephemeral, 1_000_000, self.application.areas):
            for ref in self.store.write(taken.scope, partial(write_taken, taken=taken)):
                self.ephemeral.forget(taken.scope, ref)

    # -- other worlds like it

    def fork(self, *, on_event: Callable[[Emitted], None] | None = None) -> Self:
        """An independent world that is what this one is at this instant: equal calls have equal answers in both.

            >>> from livecore.demo import DEMO
            >>> world = World(DEMO)
            >>> _ = world.player("ada")
            >>> other = world.fork()
            >>> _ = other.server.wallet.credit("ada", "gold", amount=5)
            >>> [here.player("ada").wallet.get().balances[0].balance for here in (world, other)]
            [0, 5]

        The fork has callers of its own: `fork.player("ada")` is the same player, and signed-in operators ask it for
        `operator()`. Open streams and callbacks stay with this world. `copy.deepcopy` does the same.
        """
        cls, operations = type(self), tuple(self.operations.values())
        return cls._resume(cls.__new__(cls), self._snapshot(), self.application.areas, operations, on_event)

    def save(self) -> bytes:
        """This world at this instant as bytes, which `load` reads. They hold keys and secrets of the world's game."""
        return written(self._snapshot())

    @classmethod
    def load(
        cls,
        data: bytes,
        *,
        areas: Areas = AREAS,
        operations: Sequence[Operation] = OPERATIONS,
        on_event: Callable[[Emitted], None] | None = None,
    ) -> Self:
        """The world that `save` has written; reading it runs no code of the data.

        Raises `ValueError` for a world of another version of Livecore, and for what is no saved world. A world with
        `areas` or `operations` of its own is given them again.
        """
        return cls._resume(cls.__new__(cls), read(data, areas), areas, operations, on_event)

    def __deepcopy__(self, _: object) -> Self:
        return self.fork()

    def __reduce__(self) -> tuple[object, ...]:
        if self.application.areas is not AREAS or tuple(self.operations.values()) != tuple(OPERATIONS):
            raise TypeError(
                "a world with areas or operations of its own is not pickled: save it, and load it with them"
            )
        return type(self).load, (self.save(),)

    def _snapshot(self) -> Snapshot:
        draws = self.draws
        return Snapshot(
            seed=self.seed,
            now=self.now,
            flush_seconds=self.flush_seconds,
            environment=self.environment,
            limits=self.application.limits,
            game_id=self.game.game_id,
            all_keys=dict(self.all_keys),
            players={name: (player.player_id, player.secret) for name, player in self._players.items()},
            counts=dict(draws.counts),
            moment=draws.moment,
            counts_now=dict(draws.counts_now),
            store=self.store.copy(),
            ephemeral=self.ephemeral.copy(),
            events=list(self.events) if self._log.keeps else None,
        )

    def _resume(
        self,
        saved: Snapshot,
        areas: Areas,
        operations: Sequence[Operation],
        on_event: Callable[[Emitted], None] | None,
    ) -> Self:
        """Become the world that was saved, in place of `__init__`."""
        self.seed, self.now, self.environment = saved.seed, saved.now, saved.environment
        self.flush_seconds = saved.flush_seconds
        self._log = EventLog(keep=saved.events is not None, on_event=on_event)
        self._on_command = None
        self._passed = []
        self._log.kept += saved.events or ()
        self._build(saved.store, saved.ephemeral, saved.limits, areas, operations)
        draws = self.draws
        draws.counts, draws.moment, draws.counts_now = saved.counts, saved.moment, saved.counts_now
        self._open(self.store.read(DIRECTORY, lambda tx: require_game(tx, saved.game_id)), saved.all_keys)
        for name, (player_id, secret) in saved.players.items():
            headers = {**self.newcomer(name).headers, "x-player-secret": secret}
            self._players[name] = WorldPlayer(self, "sdk", headers, name, player_id)
        return self

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

        token = self.unit_of_work(enter, DIRECTORY, label=f"operator {email.lower()}")
        cookie = f"{session_cookie(self.application.origin)}={token}"
        return WorldOperator(self, "admin", {"cookie": cookie, "sec-fetch-site": "same-origin"}, None, email.lower())

    # -- inside

    @property
    def ephemeral(self) -> EphemeralState:
        """The ephemeral state."""
        return self.application.ephemeral

    def unit_of_work(self, work: Callable[[Unit], T], scope: Scope | None = None, *, label: str = "") -> T:
        """Run `work(unit)` as the service itself, in one transaction.

        What it draws follows from `label` and from how often that was given in this scope.
        """
        scope = scope or self.scope
        seed = self.draws.draw("unit", scope.environment, label)
        return self._run(work, scope, None if scope == DIRECTORY else self.game, seed)

    def _configure_in(self, work: Callable[[Unit], T], scope: Scope, game: Game | None) -> T:
        return self._run(work, scope, game, self.draws.draw("configure", scope.environment))

    def _run(self, work: Callable[[Unit], T], scope: Scope, game: Game | None, seed: bytes) -> T:

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
                self._configure_in, self.game, parsed, write, lambda: self.game, refund=refund_pending_gifts
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
        if self._on_command is not None and isinstance(self.application, WorldApplication):
            passed, self._passed = self._passed, []
            at = Timestamp(self.now)
            self._on_command(command_of(self.application, request, outcome.response, at, passed))
        return outcome.response

    @overload
    def emitted(self, kind: str, *, environment: Environments | None = None) -> list[JsonObject]: ...
    @overload
    def emitted(self, kind: type[E], *, environment: Environments | None = None) -> list[E]: ...
    def emitted(self, kind: str | type[E], *, environment: Environments | None = None) -> list[JsonObject] | list[E]:
        """The payloads of every event of this kind so far, oldest first.

        `emitted("gift.sent")` returns them as the JSON that a webhook carries; `emitted(GiftSent)`, with a class of
        `livecore_client.webhooks`, gives them typed. They are those of the world's own environment: a schedule runs in
        both, so `environment="live"` gives those of the other one, and `environment="*"` those of both. Raises
        `LookupError` when there is no such kind, and `RuntimeError` in a world that keeps no events.
        """
        of = environment or self.environment
        if isinstance(kind, str):
            return self._log.of_kind(kind, tuple(self.application.areas.events), of)
        return self._log.of_class(kind, of)

    def _note(self, events: Sequence[Event], environment: str) -> None:
        self._log.note(events, environment, Timestamp(self.now))

    def _run_rankings(self) -> None:
        """Load rankings and make messages of streams at once: the store is in memory."""
        while (read := self._rankings.next_read()) is not None:
            read.take(self.store.read(read.scope, read.read))

    def _make(self, tx: Transaction, config: GameConfig) -> NewGame:
        entropy = Entropy(self.draws.draw("make"))
        return make_game(tx, config, self.now, entropy, studio_name="World studio", actor=Actor("system"))

    def _prepare_scopes(self) -> None:
        for scope in self.scopes:
            self.unit_of_work(prepare_scope, scope, label="prepare")
