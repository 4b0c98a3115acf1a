"""The service as one pure function, from a request to a response, both in the form of HTTP.

`handle` does, in this order: route, key, rate limit (these need the directory only, and make a `Prepared` request); then, in
one transaction of the key's scope, the body's size, the player and the player's secret, the rate limit of players, the ban,
the arguments, an earlier answer to the same idempotency key, the operation, the envelope. The arguments are parsed before
the transaction, because parsing a long body would block other transactions; their faults are reported inside it. Every
refusal is a `Refusal`, which drops the transaction.

A host may call the steps itself: the server prepares requests on its event loop, runs reads at once and writes in grouped
commits. Time and seeds come from two functions of the host. Both are fixed for a request, so a retried transaction gives
the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from livecore.access.audit import LAST_USED, note_use
from livecore.access.directory import ApiKey, Game, require_game
from livecore.access.keys import Permission, authenticate
from livecore.access.principals import key_principal
from livecore.api.configuration.game_config import GameConfig, config_of
from livecore.api.deploying import new_deployment
from livecore.api.operations import OPERATIONS, router_of
from livecore.api.requests import idempotency
from livecore.api.requests.answering import answer, dumps, envelope, refuse, replayed
from livecore.api.requests.arguments import Arguments, external_id_of, read_arguments, readable_body, too_large
from livecore.api.requests.auditing import audit_request
from livecore.api.requests.calling import arguments_of, call_in_unit, claim_key, judge, run_several
from livecore.api.requests.counting import Counting
from livecore.api.requests.event_stream import HEADERS as EVENT_STREAM_HEADERS
from livecore.api.requests.event_stream import MOST_LAST_ID, written
from livecore.api.requests.http import NO_SDK, OTHER_SDK, Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.api.requests.members import Person, admit_member, authenticate_key_holder, authenticate_member
from livecore.api.requests.operator_context import OperatorContext
from livecore.api.requests.prepared import Outcome, Prepared, deprecation_headers, request_id_of
from livecore.api.requests.revealing import revealed, source_of_secret, without_secret
from livecore.api.stepping import SteppedRun
from livecore.api.table.operation import Operation
from livecore.kernel.client_network import network_of
from livecore.kernel.declarations.area import Areas
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import BodyTooLarge, InternalError, Json, RecordedRefusal, Refusal
from livecore.kernel.scope import DIRECTORY, scope_of
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.streams import Stream
from livecore.kernel.units.unit import Actor, Deployment, Unit
from livecore.players import former
from livecore.players.player import find
from livecore.players.refusals import PlayerBanned, PlayerNotFound
from livecore.players.registration import check_secret
from livecore.players.seen import note_request
from livecore.players.throttle import Parties, note_failure, refuse_when_throttled

_UNCACHED: Final = ("Cache-Control", "no-store")


class Application:
    """The operations over a store.

    `quick_dumps` may be a faster writer of the same compact JSON; it gets only values that all JSON writers write the same.
    `deployment` is that of the process. From its secrets, player secrets are derived. The first one derives new secrets;
    a secret that any of them has derived can be derived again. Without one, a lost player secret cannot be given again. Its
    `vault` seals the secrets of webhook endpoints, and its `urls` say where these may be: without rules of its own, a host
    allows https on public addresses alone. `begun` is called with every unit of work of a request before it reads anything.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], Millis],
        seeds: Callable[[], bytes],
        deployment: Deployment | None = None,
        limits: RateLimits | None = None,
        operations: Sequence[Operation] = OPERATIONS,
        quick_dumps: Callable[[Json], bytes] | None = None,
        origin: str | None = None,
        begun: Callable[[Prepared, Transaction], None] | None = None,
    ) -> None:
        self.deployment = deployment or new_deployment()
        """What all units of work of the process have in common, those of due work as well."""
        self.store = store
        self.clock = clock
        self.seeds = seeds
        self.limits = limits or RateLimits()
        self._counting = Counting(self.limits, self.deployment.ephemeral)
        self._quotas = self.limits.quotas
        self.operations = tuple(operations)
        self.router = router_of(operations)
        """Finds the operation of a request."""
        self.begun = begun
        self.origin = origin
        """Where browsers reach the service, such as `https://live.example.com`; `None` is a loopback address over http."""

        self.envelope: Callable[[object], bytes] = partial(envelope, quick_dumps=quick_dumps or dumps)
        """Writes the body of an answer."""

    @property
    def areas(self) -> Areas:
        """The areas of the service."""
        areas = self.deployment.areas
        assert isinstance(areas, Areas)  # noqa: S101 - a deployment is made with them
        return areas

    @property
    def ephemeral(self) -> EphemeralState:
        """The ephemeral state."""
        return self.deployment.ephemeral

    # -- a whole request

    def handle(self, request: Request) -> Response:
        """Answer a request over the synchronous store."""
        return self.perform(request).response

    def perform(self, request: Request) -> Outcome:
        """Answer a request; returns the answer and the events."""
        prepared = self.store.read(DIRECTORY, partial(self.prepare, request))
        if prepared.refused is not None:
            return Outcome(prepared.refused)
        self.read(prepared)
        runs = prepared.runs
        try:
            if runs == "several":
                return self.run_several(prepared, self.store)
            if runs == "steps":
                return self._run_steps(prepared)
            step = self.store.write if runs == "write" else self.store.read
            return step(prepared.scope, partial(self.run, prepared))
        except Refusal as refusal:
            return Outcome(refuse(prepared, refusal))

    # -- before the transaction

    def prepare(
        self, request: Request, directory: Transaction, *, begun: Callable[[Prepared], None] | None = None
    ) -> Prepared:
        """Route, key and rate limit. If one of them refuses, `refused` is already the response.

        `begun` gets the request before anything is read: a failing store leaves it as far as it came.
        """
        prepared = self.begin(request)
        if begun is not None:
            begun(prepared)
        try:
            self._enter(prepared, directory)
        except Refusal as refusal:
            prepared.refused = refuse(prepared, refusal)
        return prepared

    def begin(self, request: Request) -> Prepared:
        """A request with its id, time and seed, and nothing checked yet; enough to refuse it."""
        now = self.clock()
        seed = self.seed_of(request)
        request_id, network = request_id_of(request, now, seed), network_of(request.remote)
        return Prepared(request, request_id, now, seed, (), network, request.sdk())

    def seed_of(self, request: Request) -> bytes:  # noqa: ARG002 - for hosts whose seeds follow from the request
        """The seed of a request."""
        return self.seeds()

    def route(self, request: Request) -> Prepared:
        """A request of which only the operation is known, for a host whose store cannot be read."""
        prepared = self.begin(request)
        with suppress(Refusal):
            prepared.operation, prepared.values = self.router.of(request)
        return prepared

    def meet(self, request: Request, _: Transaction) -> Prepared:
        """A request without a key that the host itself answers: counted by address; `refused` as in `prepare`."""
        prepared = self.begin(request)
        try:
            self._counting.stranger(prepared)
        except Refusal as refusal:
            prepared.refused = refuse(prepared, refusal)
        return prepared

    def meet_key_holder(self, request: Request, directory: Transaction) -> Prepared:
        """A request with a personal key that the host itself answers: counted, and who asks is in `principal`.

        A caller without a valid one is counted by address; `refused` as in `prepare`.
        """
        prepared = self.begin(request)
        prepared.headers, now = (_UNCACHED,), prepared.now
        try:
            try:
                person, prepared.principal = authenticate_key_holder(directory, self.deployment.ephemeral, request, now)
            except Refusal:
                self._counting.stranger(prepared)
                raise
            self._counting.member(prepared, None, person.credential)
            self.deployment.ephemeral.refresh()
            self._note_use(person.credential, "mcp", prepared)
        except Refusal as refusal:
            prepared.refused = refuse(prepared, refusal)
        return prepared

    def _enter(self, prepared: Prepared, directory: Transaction) -> None:
        request, now = prepared.request, prepared.now
        try:
            operation, values = self.router.of(request)
            prepared.operation, prepared.values = operation, values
            if operation.deprecation is not None:
                prepared.headers = deprecation_headers(operation)
            if operation.credential == "none":
                # A document is hundreds of times larger than its request, so it is counted; a probe is always answered.
                if operation.surface != "admin" and not request.counted:
                    self._counting.stranger(prepared)
                return
            who = self._authenticate(operation, request, directory, now)
        except Refusal:
            # A caller without a valid key for the route is counted by address; above that limit `rate_limited` is the only
            # answer.
            self._counting.stranger(prepared)
            raise
        if isinstance(who, Person):
            self._admit_member(prepared, operation, who, directory)
            return
        key = prepared.key = who
        prepared.principal = key_principal(key.permission, key.prefix)
        prepared.scope = scope_of(key.game_id, key.environment)
        # Before counting: a remote directory checks these rows in the same query as the count.
        prepared.game = require_game(directory, key.game_id)
        self._counting.entrance(prepared)
        self.deployment.ephemeral.refresh()
        self._note_use(key.key_id, operation.id, prepared)

    def _authenticate(
        self, operation: Operation, request: Request, directory: Transaction, now: Millis
    ) -> ApiKey | Person:
        """The key or the member that a request shows."""
        if operation.credential == "member":
            return authenticate_member(directory, self.deployment.ephemeral, request, now, origin=self.origin)
        permission: Permission = "server" if operation.credential == "server_key" else "client"
        return authenticate(directory, request.headers.get("authorization"), permission, now)

    def _admit_member(self, prepared: Prepared, operation: Operation, person: Person, directory: Transaction) -> None:
        """The member in the studio and game of the path, counted by session or key. Its answers are for nobody else."""
        prepared.headers += (_UNCACHED,)
        if not prepared.request.counted:
            self._counting.member(prepared, operation, person.credential)
        self.deployment.ephemeral.refresh()
        named = dict(zip(operation.variables, prepared.values, strict=True))
        admitted = admit_member(directory, person, operation, prepared.request, named)
        prepared.principal, prepared.game, prepared.scope = admitted.principal, admitted.game, admitted.scope
        if person.key is not None:
            self._note_use(person.key.key_id, operation.id, prepared)

    def count_unproven(self, prepared: Prepared, _: Transaction) -> None:
        """Count a request that is refused before it runs, unless that has been done. Raises `RateLimited`."""
        self._counting.unproven(prepared)

    def _note_use(self, key_id: str, name: str, prepared: Prepared) -> None:
        values = self.deployment.ephemeral.values(LAST_USED)
        sdk = None if prepared.sdk in _NO_SDKS else prepared.sdk
        usage = note_use(values.get(DIRECTORY, key_id), key_id, name, sdk, prepared.now)
        if usage is not None:
            values.put(DIRECTORY, key_id, usage)

    def read(self, prepared: Prepared) -> None:
        """Parse the arguments, before the transaction, however long that takes; reads no rows.

        Their faults are reported later, after the checks of the player, the secret and the ban.
        """
        operation, request = prepared.operation, prepared.request
        if operation is None or too_large(operation, request):
            return
        try:
            prepared.body = readable_body(operation, request) if operation.judged else None
            prepared.arguments = read_arguments(operation, request, prepared.values)
        except Refusal as refusal:
            prepared.arguments = refusal.bare()

    def admit(self, prepared: Prepared, tx: Transaction) -> None:
        """Make the checks of player, secret and ban before a long body is received; writes nothing."""
        operation = prepared.operation
        assert operation is not None  # noqa: S101 - prepare has set it
        if operation.credential != "member":
            self._admit_player(prepared, operation, self.step_unit(prepared, tx, prepared.game, prepared.seed))

    # -- inside the transaction

    def step_unit(self, prepared: Prepared, tx: Transaction, game: Game | None, seed: bytes) -> Unit:
        """One of the units of work of a prepared request, in a scope of `game` or in the directory."""
        if self.begun is not None:
            self.begun(prepared, tx)
        return Unit(
            tx=tx,
            now=prepared.now,
            entropy=Entropy(seed),
            config=_NO_CONFIG if game is None else config_of(game),
            deployment=self.deployment,
            studio_id=prepared.principal.studio_id if game is None else game.studio_id,
            actor=prepared.principal.actor,
            origin=prepared.request.origin(),
            misses=prepared.misses,
            principal=prepared.principal,
            quotas=self._quotas,
            waits=prepared.waits,
        )

    def run(self, prepared: Prepared, tx: Transaction) -> Outcome:
        """Run the operation in a transaction of its scope. Raises `Refusal`, which must drop the transaction."""
        operation = prepared.operation
        assert operation is not None  # noqa: S101 - prepare has set it
        # A host that reads a body from a socket stops there before all other checks. What has been read was small enough.
        if prepared.arguments is None and too_large(operation, prepared.request):
            self._counting.unproven(prepared)
            raise BodyTooLarge(limit_bytes=operation.most_body_bytes)
        unit = self.step_unit(prepared, tx, prepared.game, prepared.seed)
        if operation.credential == "member":
            if operation.judged:
                judge(prepared, operation)
            # To operators a player is one of the things that a path names, so the request's form is checked first.
            arguments_of(prepared, operation)
        self._admit_player(prepared, operation, unit)
        arguments = arguments_of(prepared, operation)
        owner = claim_key(operation, prepared, unit, arguments)
        if operation.guard is not None:
            operation.guard(unit, arguments.shape)
        if operation.messages:
            return self._open(prepared, operation, unit, arguments)
        if unit.idempotency_key is not None and owner is not None:
            return self._run_keyed(prepared, operation, unit, arguments, owner, unit.idempotency_key)
        status, data, headers = call_in_unit(operation, unit, arguments)
        if isinstance(data, RecordedRefusal):
            return Outcome(refuse(prepared, data.refusal), scope=unit.scope)
        if operation.leaves_entry and not unit.replayed:
            audit_request(prepared, unit)
        response = answer(prepared, status, data, self.envelope, replay=unit.replayed, further=headers)
        return Outcome(response, unit.events, unit.scope)

    def run_several(self, prepared: Prepared, store: Store) -> Outcome:
        """Run an operation that reaches several scopes, each in transactions of `store`. Raises `Refusal`."""
        return run_several(prepared, OperatorContext(prepared, store, self.step_unit), self.envelope)

    def _run_steps(self, prepared: Prepared) -> Outcome:
        steps = SteppedRun(self, prepared)
        while True:
            outcome = steps.take(self.store.write(prepared.scope, steps.step))
            if outcome is not None:
                return outcome

    def _open(self, prepared: Prepared, operation: Operation, unit: Unit, arguments: Arguments) -> Outcome:
        shown = prepared.last_event_id or prepared.request.headers.get("last-event-id") or ""
        unit.last_event_id = shown[:MOST_LAST_ID] or None
        stream = operation.handler(unit, arguments.shape)
        if not isinstance(stream, Stream):
            raise TypeError(f"{operation.id} is a stream and answered with {type(stream).__name__}")
        # A stream says itself that it is not to be kept.
        further = (header for header in prepared.headers if header != _UNCACHED)
        headers = (*EVENT_STREAM_HEADERS, ("X-Request-Id", prepared.request_id), *further)
        return Outcome(Response(200, headers, written(stream.first)), scope=unit.scope, stream=stream)

    def recheck(self, prepared: Prepared, directory: Transaction) -> Game | None:
        """Check in the directory whether the caller of a stream may still have it; returns the game as it is now.

        Refuses like a new request: the key or the session, the game, the permission.
        """
        operation, key = prepared.operation, prepared.key
        if operation is None or operation.credential == "none":
            return None
        now = self.clock()
        if key is None:
            person = authenticate_member(
                directory, self.deployment.ephemeral, prepared.request, now, origin=self.origin
            )
            named = dict(zip(operation.variables, prepared.values, strict=True))
            return admit_member(directory, person, operation, prepared.request, named).game
        key = authenticate(directory, prepared.request.headers.get("authorization"), key.permission, now)
        return require_game(directory, key.game_id)

    def _admit_player(self, prepared: Prepared, operation: Operation, unit: Unit) -> None:
        try:
            self._resolve_player(prepared, operation, unit)
        except Refusal:
            # All others have been counted already.
            self._counting.unproven(prepared)
            raise

    def _resolve_player(self, prepared: Prepared, operation: Operation, unit: Unit) -> None:
        """Find the player whom the path names, and on the client surface check that the caller is this player.

        Refusals, in order: the shape of the id, `PlayerNotFound`, the throttle of wrong secrets, `PlayerSecretInvalid`, the
        rate limit of the player or the key, `PlayerBanned`.
        """
        if operation.subject == "none":
            return
        external_id = prepared.values[operation.player_index]
        unit.external_id = external_id_of(external_id)
        player = find(unit, external_id)
        if operation.credential == "client_key":
            unit.actor = Actor("player", "")
        if player is None:
            if operation.subject == "existing":
                raise PlayerNotFound.of(external_id)
            return
        unit.player_id = player.player_id
        secret = prepared.request.headers.get("x-player-secret")
        if operation.credential != "player" and not (operation.recognises and secret is not None):
            return
        try:
            check_secret(player, secret)
        except Refusal:
            parties: Parties = {"player_secret": f"{prepared.network}:{player.player_id}"}
            # Only wrong secrets are throttled: somebody who sends them must not keep out the player of the same address.
            refuse_when_throttled(unit, parties)
            note_failure(unit, parties)
            raise
        self._counting.player(prepared, player.player_id)
        unit.actor = Actor("player", player.player_id)
        note_request(unit, player)
        if player.banned and operation.method != "GET":
            raise PlayerBanned

    def _run_keyed(
        self, prepared: Prepared, operation: Operation, unit: Unit, arguments: Arguments, owner: str, key: str
    ) -> Outcome:
        fingerprint = arguments.fingerprint or ""
        unit.fingerprint = former.hashed(unit, fingerprint) if operation.forgets else fingerprint
        kept = idempotency.kept(unit, owner, key)
        if kept is not None:
            if operation.reveals is not None:
                kept = revealed(unit, operation.reveals, owner, key, kept)
            return Outcome(replayed(prepared, operation, kept, unit.fingerprint))
        if operation.reveals is not None:
            unit.secret_source = source_of_secret(unit, owner, key, unit.now)
        status, data, headers = call_in_unit(operation, unit, arguments)
        if isinstance(data, RecordedRefusal):
            return Outcome(refuse(prepared, data.refusal), scope=unit.scope)
        body = self.envelope(data)
        reply = partial(answer, prepared, data=data, write=self.envelope, body=body, further=headers)
        if unit.replayed:
            return Outcome(reply(operation.status_of_replay(status), replay=True))
        named = () if operation.forgets else idempotency.players_named(arguments.shape, data)
        stored = body if operation.reveals is None else without_secret(body, operation.reveals)
        idempotency.keep(unit, owner, key, status, stored.decode(), named=named)
        if operation.leaves_entry:
            audit_request(prepared, unit)
        return Outcome(reply(status), unit.events, unit.scope)

    # -- the answer

    def fail(self, prepared: Prepared) -> Response:
        """The response to an internal failure; the host logs the exception with the same request id."""
        return refuse(prepared, InternalError(request_id=prepared.request_id))


_NO_CONFIG = GameConfig()
_NO_SDKS: Final = (NO_SDK, OTHER_SDK)
