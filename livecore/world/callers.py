"""Who calls operations in a world: a player, the studio's backend, a member of the studio.

Each has the methods of the client of its surface (`livecore.surfaces`), and does any operation by its name as well.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from urllib.parse import quote, urlencode

import attrs

from livecore.api.requests.http import Request
from livecore.api.requests.typed import Reply
from livecore.api.table.operation import Operation
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Environment
from livecore.players.rows import Registered
from livecore.surfaces.namespaces.sdk import SdkNamespaces
from livecore.surfaces.namespaces.server import ServerNamespaces
from livecore.surfaces.operator.namespaces import OperatorNamespaces
from livecore.world.boards import WorldLeaderboards
from livecore.world.checks import entry_of, note_arguments, require_self
from livecore.world.refusals import refused, refused_by
from livecore.world.requests import request_of, typed_request
from livecore.world.results import CallResult, has_field, result_of, shape_of
from livecore.world.stream import StreamRefused, WorldStream

if TYPE_CHECKING:
    from livecore.world.game import World


T = TypeVar("T")
_PROOF: Final = "x-player-secret"


@attrs.define(eq=False)
class Caller:
    """A caller of operations of one surface, by name."""

    world: World = attrs.field(repr=False)
    surface: str
    headers: Mapping[str, str] = attrs.field(repr=False)
    external_id: str | None

    def request(self, operation_name: str, **arguments: object) -> Request:
        """The request of a call in the form of HTTP: arguments have Python names, and are shapes or plain values."""
        entry = self._operation(operation_name)
        external_id = arguments.pop("external_id", self.external_id)
        if self.external_id is not None:
            require_self(operation_name, self.external_id, external_id)
        if external_id is None and "externalId" in entry.variables:
            raise TypeError(f"{operation_name} is about a player: give external_id=…")
        return request_of(entry, self.headers, external_id, arguments)

    def call(self, operation_name: str, **arguments: object) -> JsonObject:
        """Call an operation by its name, such as `gifts.send`; returns the answer's data.

        Arguments are those of the operation's request, with Python names. Raises the class of `livecore.errors` that the
        refusal's code has when the service refuses, `LookupError` when there is no such operation, and `TypeError` when a
        call of the studio's backend names no player or a player's call names another one.
        """
        response = self.world.handle(self.request(operation_name, **arguments))
        body = json.loads(response.body)
        if "error" in body:
            error = refused(response.status, body["error"], response.headers)
            raise note_arguments(error, self._operation(operation_name), arguments)
        data: JsonObject = body["data"]
        return data

    def try_call(self, operation_name: str, /, **arguments: object) -> CallResult:
        """Call an operation by its name, and take a refusal as a value: the status with the answer or with the refusal.

            >>> from livecore import World
            >>> from livecore.demo import DEMO
            >>> ada = World(DEMO).player("ada")
            >>> result = ada.try_call("wallet.debit", economy_key="gold", amount=5)
            >>> result.ok, result.status, result.code
            (False, 409, 'insufficient_balance')

        The call is a typed one, so it costs less than `call`, and means the same; `row` is what a client reads and `data`
        the JSON of it. A mistake of the program raises: `LookupError` for an operation that there is not, `TypeError` for
        arguments that it does not have or that are missing, and the exceptions of `call` for values that no request may
        have, such as `validation_failed`.
        """
        entry = self._operation(operation_name)
        return self._try(entry, *self._placed(entry, arguments))

    def try_perform(
        self,
        operation: Operation,
        arguments: object,
        *,
        external_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> CallResult:
        """As `perform`, with a refusal as a value; see `try_call`."""
        return self._try(operation, arguments, {"externalId": external_id}, idempotency_key, "")

    def _placed(
        self, entry: Operation, given: dict[str, object]
    ) -> tuple[object, Mapping[str, str | None], str | None, str]:
        """Arguments by name as the shape, the variables of the path that are none, the idempotency key, and the query."""
        external_id = given.pop("external_id", self.external_id)
        if self.external_id is not None:
            require_self(entry.name, self.external_id, external_id)
        key = None
        if not entry.takes_body and "idempotency_key" in given and not has_field(entry, "idempotency_key"):
            key = cast("str | None", given.pop("idempotency_key", None))
        return shape_of(entry, given), {"externalId": cast("str | None", external_id)}, key, ""

    def _try(
        self,
        operation: Operation,
        arguments: object,
        path_values: Mapping[str, str | None],
        idempotency_key: str | None,
        query: str,
    ) -> CallResult:
        return result_of(self._reply(operation, arguments, path_values, idempotency_key, query))

    def perform(
        self,
        operation: Operation,
        arguments: object,
        *,
        external_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Any:  # noqa: ANN401 - the row of the operation's answer
        """Do an operation with its arguments as its own shape; returns the answer as the row that a client reads.

        The arguments go through the same checks, order and refusals as those of a request. `idempotency_key` is the key of a
        shape that has one, unless the shape holds it already. Raises like `call`, and `TypeError` for arguments of another
        shape, or with a value that JSON cannot hold.
        """
        return self._perform(operation, arguments, {"externalId": external_id}, idempotency_key)

    def _perform(
        self,
        operation: Operation,
        arguments: object,
        path_values: Mapping[str, str | None],
        idempotency_key: str | None = None,
        query: str = "",
    ) -> Any:  # noqa: ANN401 - the row of the operation's answer
        reply = self._reply(operation, arguments, path_values, idempotency_key, query)
        if reply.refusal is not None:
            raise refused_by(reply.refusal)
        return reply.row

    def _reply(
        self,
        operation: Operation,
        arguments: object,
        path_values: Mapping[str, str | None],
        idempotency_key: str | None,
        query: str,
    ) -> Reply:
        if self.world.operations.get(operation.id) is not operation or operation.surface != self.surface:
            raise TypeError(f"{operation.id} is no operation of this caller")
        if self.external_id is not None and path_values["externalId"] is None:
            path_values = {**path_values, "externalId": self.external_id}
        reply = self.world.handle(
            typed_request(operation, self.headers, arguments, path_values, idempotency_key, query)
        )
        assert isinstance(reply, Reply)  # noqa: S101 - a typed request gets one
        return reply

    def follow(self, operation_name: str, *, last_event_id: str | None = None, **arguments: object) -> WorldStream:
        """Open a stream by its operation's name; `last_event_id` is the last message that the caller has received of it.

        Raises like `call`.
        """
        headers = self.headers if last_event_id is None else {**self.headers, "last-event-id": last_event_id}
        request = attrs.evolve(self, headers=headers).request(operation_name, **arguments)
        try:
            return WorldStream(self.world.application, request, self.world.store.notices)
        except StreamRefused as answered:
            response = answered.response
            raise refused(response.status, json.loads(response.body)["error"], response.headers) from None

    def _operation(self, name: str) -> Operation:
        """The operation of the caller's surface with this name. Raises `LookupError`."""
        return entry_of(self.world.operations, self.surface, name)


class _Sender:
    """Sends what the methods of a caller ask for; see `livecore.surfaces.resource.Sender`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def external_player_id(self) -> str | None:
        """The player that the calls act for."""
        return self._caller.external_id

    @property
    def player_secret(self) -> str | None:
        """The secret of the player that the calls act for."""
        return self._caller.headers.get(_PROOF)

    @player_secret.setter
    def player_secret(self, secret: str | None) -> None:
        others = {name: text for name, text in self._caller.headers.items() if name != _PROOF}
        self._caller.headers = others if secret is None else {**others, _PROOF: secret}

    def new_idempotency_key(self) -> str:
        """A key for a shape that requires one: the same in equal worlds."""
        return self._caller.world.draws.idempotency_key(self._caller.surface, self._caller.external_id or "")

    def send_arguments(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None,
        query: Collection[str] = (),  # noqa: ARG002 - nothing is written
        needs_secret: bool = False,
        offers_secret: bool = False,
    ) -> T:
        """Do the operation in the world; a call without the player's secret says nothing of it."""
        caller = self._caller
        if _PROOF in caller.headers and not (needs_secret or offers_secret):
            without = {name: text for name, text in caller.headers.items() if name != _PROOF}
            caller = attrs.evolve(caller, headers=without)
        row = caller.perform(caller.world.routes[method, path], arguments, external_id=player)
        if answer is Registered and isinstance(self._caller, WorldPlayer):
            self._caller.player_id = cast(Registered, row).player.player_id
            self._caller.world.keep(self._caller)
        return cast(T, row)


def _sender(caller: Caller) -> _Sender:
    return _Sender(caller)


@attrs.define(eq=False)
class WorldPlayer(Caller, SdkNamespaces):
    """A registered player's client: `alice.gifts.send(…)` as with `livecore_client.SdkClient`.

    It satisfies `livecore.SdkSurface`, as that client does.
    """

    player_id: str = ""
    """The service's id of the player; empty until the player has registered."""
    _caller: _Sender = attrs.field(init=False, repr=False, default=attrs.Factory(_sender, takes_self=True))

    @property
    def external_player_id(self) -> str:
        """The studio's id of the player."""
        return str(self.external_id)

    @cached_property
    def leaderboards(self) -> WorldLeaderboards:
        """Who leads, in events and over weeks, months and all time."""
        return WorldLeaderboards(self._caller, self.follow)

    @property
    def player_secret(self) -> str | None:
        """The player's secret, which registering sets."""
        return self.headers.get(_PROOF)

    @property
    def secret(self) -> str:
        """The player's secret; empty until the player has registered."""
        return self.headers.get(_PROOF, "")


@attrs.define(eq=False)
class WorldServer(Caller, ServerNamespaces):
    """The studio's backend: `world.server.wallet.credit("bob", …)` as with `livecore_client.ServerClient`.

    It satisfies `livecore.ServerSurface`, as that client does.
    """

    _caller: _Sender = attrs.field(init=False, repr=False, default=attrs.Factory(_sender, takes_self=True))


class _OperatorSender:
    """Sends what the methods of an operator ask for; see `livecore.surfaces.operator_resource.OperatorSender`."""

    def __init__(self, caller: WorldOperator) -> None:
        self._caller = caller

    @property
    def studio_id(self) -> str:
        """The studio of the world's game."""
        return self._caller.world.game.studio_id

    @property
    def game_id(self) -> str:
        """The world's game."""
        return self._caller.world.game.game_id

    @property
    def environment(self) -> Environment:
        """The world's environment."""
        return cast("Environment", self._caller.world.environment)

    def new_idempotency_key(self) -> str:
        """A key for a shape that requires one: the same in equal worlds."""
        return self._caller.world.draws.idempotency_key(self._caller.surface, self._caller.email)

    def send_arguments(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],  # noqa: ARG002 - the row is of this shape already
        *,
        player: str | None,
        studio_id: str | None,
        game_id: str | None,
        environment: Environment | None,
    ) -> T:
        """Do the operation in the world."""
        caller = self._caller
        row = caller.perform(
            caller.world.routes[method, path],
            arguments,
            external_id=player,
            studio_id=studio_id,
            game_id=game_id,
            environment=environment,
        )
        return cast(T, row)


def _operator_sender(caller: WorldOperator) -> _OperatorSender:
    return _OperatorSender(caller)


@attrs.define(eq=False)
class WorldOperator(Caller, OperatorNamespaces):
    """A member of the studio at work: `world.operator().players.ban("bob", reason="spam")`.

    Calls are about the world's studio, game and environment unless they name another.
    """

    email: str = ""
    """The member's address."""
    _caller: _OperatorSender = attrs.field(
        init=False, repr=False, default=attrs.Factory(_operator_sender, takes_self=True)
    )

    def perform(
        self,
        operation: Operation,
        arguments: object,
        *,
        external_id: str | None = None,
        idempotency_key: str | None = None,
        studio_id: str | None = None,
        game_id: str | None = None,
        environment: str | None = None,
    ) -> Any:  # noqa: ANN401 - the row of the operation's answer
        """As `Caller.perform`; what the path and the query name is the world's unless it is given."""
        path_values = self._path_values(external_id, studio_id, game_id)
        return self._perform(operation, arguments, path_values, idempotency_key, self._query(operation, environment))

    def try_perform(
        self,
        operation: Operation,
        arguments: object,
        *,
        external_id: str | None = None,
        idempotency_key: str | None = None,
        studio_id: str | None = None,
        game_id: str | None = None,
        environment: str | None = None,
    ) -> CallResult:
        """As `perform`, with a refusal as a value; see `try_call`."""
        path_values = self._path_values(external_id, studio_id, game_id)
        return self._try(operation, arguments, path_values, idempotency_key, self._query(operation, environment))

    def _placed(
        self, entry: Operation, given: dict[str, object]
    ) -> tuple[object, Mapping[str, str | None], str | None, str]:
        studio_id, game_id = (cast("str | None", given.pop(name, None)) for name in ("studio_id", "game_id"))
        asked = attrs.fields_dict(entry.args).get("environment")
        query = ""
        if entry.takes_environment:
            query = self._query(entry, cast("str | None", given.pop("environment", None)))
        elif asked is not None and asked.default is attrs.NOTHING:
            given.setdefault("environment", self.world.environment)
        elif asked is None:
            given.pop("environment", None)
        arguments, path_values, key, _ = super()._placed(entry, given)
        return arguments, self._path_values(path_values["externalId"], studio_id, game_id), key, query

    def _path_values(
        self, external_id: str | None, studio_id: str | None, game_id: str | None
    ) -> Mapping[str, str | None]:
        game = self.world.game
        return {
            "externalId": external_id,
            "studioId": game.studio_id if studio_id is None else studio_id,
            "gameId": game.game_id if game_id is None else game_id,
        }

    def _query(self, operation: Operation, environment: str | None) -> str:
        if not operation.takes_environment:
            return ""
        return urlencode({"environment": environment or self.world.environment})

    def request(self, operation_name: str, **arguments: object) -> Request:
        """The request of a call; `environment`, `studio_id` and `game_id` are the world's unless they are given."""
        entry = self._operation(operation_name)
        game = self.world.game
        path_values = {
            "studioId": arguments.pop("studio_id", game.studio_id),
            "gameId": arguments.pop("game_id", game.game_id),
        }
        asked = {field.name: field for field in attrs.fields(entry.args)}.get("environment")
        environment = self.world.environment
        # Where it is an optional filter, leaving it out means something else.
        if entry.takes_environment or asked is None or asked.default is attrs.NOTHING:
            environment = str(arguments.pop("environment", environment))
        if not entry.takes_environment and asked is not None and asked.default is attrs.NOTHING:
            arguments["environment"] = environment
        request = Caller.request(self, operation_name, **arguments)
        path = request.path
        for name, value in path_values.items():
            path = path.replace("{" + name + "}", quote(str(value), safe=""))
        query = request.query
        if entry.takes_environment:
            query = "&".join(filter(None, (query, urlencode({"environment": str(environment)}))))
        return Request(request.method, path, query, request.headers, request.body, request.remote)
