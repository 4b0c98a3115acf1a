"""Requests of a world as commands: what a journal writes of each, and what is needed to perform it again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, urlencode

import attrs

from livecore.access.members import MEMBERS
from livecore.api.requests.http import Request, Response
from livecore.api.requests.typed import Reply, TypedRequest
from livecore.api.table.operation import Document, Operation
from livecore.kernel.errors import Json, JsonObject, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.wire import compact, encode
from livecore.world.draws import WorldApplication

if TYPE_CHECKING:
    from livecore.world.game import World

_KEPT: Final = (
    "accept-language", "idempotency-key", "x-svc-app-version", "x-svc-platform", "x-svc-sdk", "x-request-id",
)  # fmt: skip
"""The headers that may change what a request does or says; credentials are not among them."""
_PROOF: Final = "x-player-secret"


@attrs.frozen(kw_only=True)
class Command:
    """A request that a world has answered. What is JSON in it is made when it is first asked for."""

    at: Timestamp
    seed: bytes = attrs.field(repr=False)
    """What the request drew from."""
    operation: Operation | None
    """`None` where no operation has the request's route."""
    values: tuple[str, ...]
    passed: tuple[Timestamp, ...]
    """When time was let pass since the request before, also without any passing: due work was run then."""
    environment: str
    member: str | None
    """The address of the operator who asked."""
    request: Request = attrs.field(repr=False)
    response: Response = attrs.field(repr=False)

    @property
    def status(self) -> int:
        """The status of the answer."""
        return self.response.status

    @property
    def places(self) -> dict[str, str]:
        """The variables of the path, by name."""
        return {} if self.operation is None else dict(zip(self.operation.variables, self.values, strict=True))

    @property
    def player(self) -> str | None:
        """The player whom the path names."""
        return self.places.get("externalId")

    @property
    def headers(self) -> dict[str, str]:
        """The headers that matter, without credentials."""
        return {name: text for name, text in self.request.headers.items() if name in _KEPT}

    @cached_property
    def query(self) -> dict[str, str]:
        """The query."""
        request = self.request
        text = request.written_query() if isinstance(request, TypedRequest) else request.query
        return dict(parse_qsl(text, keep_blank_values=True))

    @cached_property
    def arguments(self) -> Json:
        """The body of the request; `None` where it has none or is no JSON."""
        request = self.request
        try:
            if isinstance(request, TypedRequest):
                return request.read_body() if request.operation.takes_body else None
            body: Json = json.loads(request.body)
        except (Refusal, ValueError):
            return None
        return body

    @cached_property
    def answer(self) -> Json:
        """The body of the answer."""
        response = self.response
        if not isinstance(response, Reply):
            answer: Json = json.loads(response.body)
            return answer
        if response.refusal is not None:
            return response.refusal.envelope()
        row = response.row
        is_document = self.operation is not None and self.operation.answers.get(self.status) is Document
        return row if is_document else {"data": encode(row)}

    def encoded(self) -> JsonObject:
        """The command as JSON data, which `World.play` takes."""
        return {
            "at": self.at.wire,
            "seed": self.seed.hex(),
            "passed": [moment.wire for moment in self.passed],
            "operation": None if self.operation is None else self.operation.id,
            "environment": self.environment,
            "places": dict(self.places),
            "query": dict(self.query),
            "headers": dict(self.headers),
            "member": self.member,
            "proves": _PROOF in self.request.headers,
            "arguments": self.arguments,
            "status": self.status,
            "answer": self.answer,
        }


def command_of(
    application: WorldApplication, request: Request, response: Response, at: Timestamp, passed: Sequence[Millis]
) -> Command:
    """The command of a request that has just been answered."""
    try:
        operation, values = application.router.of(request)
    except Refusal:
        operation, values = None, ()
    member_id = None
    if operation is not None and operation.credential == "member":
        member_id = application.member_of(request)
    member = None
    if member_id:
        member = application.store.read(DIRECTORY, lambda tx: tx.get(MEMBERS, member_id))
    return Command(
        at=at,
        seed=application.draws.last,
        passed=tuple(map(Timestamp, passed)),
        operation=operation,
        values=values,
        environment=application.key_of(request)[1],
        member=None if member is None else member.email,
        request=request,
        response=response,
    )


class Playback:
    """Performs recorded commands in a world, each at its time and with its seed.

    The credentials are those of the world: its keys, the secrets that it has given to players meanwhile, and sessions of
    members who are there already. What is due between two commands follows from the world's own seed.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._secrets: dict[tuple[str, str], str] = {}

    def play(self, recorded: Mapping[str, Any]) -> Response:
        """Let time pass until a command's time and perform it, given as `Command.encoded` writes it.

        Raises `LookupError` for an operation that this version does not have, and for a request that had none.
        """
        world = self._world
        operation = world.operations.get(str(recorded["operation"]))
        if operation is None:
            raise LookupError(f"there is no operation {recorded['operation']!r} to play")
        at = Timestamp.parse(recorded["at"])
        for moment in recorded["passed"]:
            world.advance_to(Timestamp.parse(moment))
        if at > world.now:
            world.advance_to(at)
        request = _request_again(operation, recorded, self._credentials(operation, recorded), self._places(operation))
        whose = {"sdk": recorded["places"].get("externalId"), "admin": recorded["member"]}.get(operation.surface)
        world.draws.note_idempotency_key(recorded["headers"].get("idempotency-key"), operation.surface, whose or "")
        world.draws.given = bytes.fromhex(recorded["seed"])
        response = world.handle(request)
        self._learn(recorded, response)
        return response

    def _places(self, operation: Operation) -> dict[str, str]:
        game = self._world.game
        own = {"studioId": game.studio_id, "gameId": game.game_id}
        return {name: text for name, text in own.items() if name in operation.variables}

    def _credentials(self, operation: Operation, recorded: Mapping[str, Any]) -> dict[str, str]:
        if operation.credential == "member":
            member = recorded["member"]
            return {} if member is None else dict(self._world.operator(member).headers)
        if operation.credential == "none":
            return {}
        permission = "server" if operation.credential == "server_key" else "client"
        key = self._world.all_keys.get(f"{recorded['environment']}_{permission}")
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        if recorded["proves"]:
            headers[_PROOF] = self._secrets.get((recorded["environment"], recorded["places"].get("externalId")), "")
        return headers

    def _learn(self, recorded: Mapping[str, Any], response: Response) -> None:
        if b'"playerSecret"' not in response.body:
            return
        data = json.loads(response.body).get("data")
        secret = data.get("playerSecret") if isinstance(data, dict) else None
        if isinstance(secret, str):
            self._secrets[recorded["environment"], recorded["places"].get("externalId", "")] = secret


def _request_again(
    operation: Operation, recorded: Mapping[str, Any], credentials: Mapping[str, str], places: Mapping[str, str]
) -> Request:
    """The request of a recorded command with the credentials of another world; `places` replace those of the record."""
    path = operation.path
    for name, text in {**recorded["places"], **places}.items():
        path = path.replace("{" + name + "}", quote(text, safe=""))
    headers = {**recorded["headers"], **credentials}
    body = b""
    if operation.takes_body:
        body = compact(recorded["arguments"]).encode()
        headers["content-type"] = "application/json"
    return Request(operation.method, path, urlencode(recorded["query"]), headers, body, "127.0.0.1")
