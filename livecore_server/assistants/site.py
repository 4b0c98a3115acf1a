"""The HTTP part of `/mcp`: who asks, from where, how often, and one message or several.

    origin -> path and method -> personal key -> rate limit -> body -> JSON -> sets of tools -> each message to `protocol`

Only POST is served: nothing is ever sent without being asked for, so there is no stream to open, and there are no sessions
to end. A browser's page may ask only if it is the service's own, or one of this machine where no public address is
configured: any other page could have its own name resolved to this server's address.

Refusals before the message have the error envelope, like everywhere; those of the message are errors of JSON-RPC.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from livecore.access.refusals import SameOriginRequired
from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Request, Response
from livecore.api.requests.prepared import Prepared
from livecore.api.requests.strict_json import read_json
from livecore.kernel.errors import (
    Json,
    MalformedJson,
    MethodNotAllowed,
    Refusal,
    RouteNotFound,
    UnsupportedMediaType,
    ValidationFailed,
)
from livecore.kernel.loopback import is_loopback
from livecore_server.assistants.calls import Calls
from livecore_server.http.dispatch import AT_ONCE_BYTES, Dispatch

if TYPE_CHECKING:
    from livecore_server.assistants.protocol import AssistantProtocol


_PATH: Final = "/mcp"
_MOST_BYTES: Final = 1024 * 1024 + 64 * 1024
_MOST_VALUES: Final = 51_000
"""Room for the largest body of an operation, and for the message around it."""
MOST_MESSAGES: Final = 20
"""How many messages a batch may hold."""
MOST_ANSWER_BYTES: Final = 512 * 1024
"""After how many bytes of answers no further message of a batch is answered."""
_VERSION: Final = "mcp-protocol-version"
_WITH_BATCHES: Final = frozenset({"2025-03-26"})
"""The versions of the protocol that have batches; a request of such a version may leave the header out."""
_PARSE_ERROR, _INVALID_REQUEST, _INVALID_PARAMS = -32700, -32600, -32602
_NOT_LET_IN, _NO_ROOM = -32011, -32012
_CHALLENGE: Final = ("WWW-Authenticate", "Bearer")
_ACCEPTED: Final = 202


class AssistantSite:
    """Answers assistants."""

    name = "mcp"
    most_body_bytes = _MOST_BYTES

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._calls = Calls(dispatch)
        self._protocol: AssistantProtocol | None = None

    async def enter(self, request: Request) -> Prepared:
        """Check origin, path, method and credential, and count the request."""
        application = self._dispatch.application
        fault = _fault_of(request, application.origin)
        if fault is None:
            prepared = await self._dispatch.enter(request, application.meet_key_holder)
        else:
            prepared = await self._dispatch.enter(request, application.meet)
            if prepared.refused is None:
                prepared.refused = refuse(prepared, fault)
        if prepared.refused is not None and prepared.refused.status == 401:
            refused = prepared.refused
            prepared.refused = Response(refused.status, (*refused.headers, _CHALLENGE), refused.body)
        return prepared

    async def answer(self, prepared: Prepared) -> Response:
        """Answer the message or the messages in the body. Raises `UnsupportedMediaType`."""
        request = prepared.request
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise UnsupportedMediaType
        try:
            # Stricter than the SDK, so that both read the same.
            value = await self._read(request.body)
        except MalformedJson as fault:
            return _response(prepared, 400, _error(_PARSE_ERROR, fault.message))
        try:
            caller = self._calls.caller(request, prepared.principal)
        except ValidationFailed as fault:
            return _response(prepared, 400, _address_error(fault, value))
        protocol = await self._load()
        if isinstance(value, list):
            return await self._answer_batch(prepared, protocol, value)
        if not protocol.is_message(value):
            return _response(prepared, 400, _error(_INVALID_REQUEST, "The body is not a message of JSON-RPC 2.0."))
        response = await protocol.answer(caller, _headers_of(request.headers), request.body)
        return _response(prepared, response.status, response.body)

    def failed(self, _: Prepared, response: Response) -> Response:
        """The envelope, as for every client of the service."""
        return response

    async def _read(self, body: bytes) -> Json:
        return _read(body) if len(body) <= AT_ONCE_BYTES else await self._dispatch.in_reader(_read, body)

    async def _load(self) -> AssistantProtocol:
        """The protocol; imported with the first message, and in a thread, because that takes half a second."""
        if self._protocol is None:
            kind = await asyncio.to_thread(_protocol)
            self._protocol = self._protocol or kind(self._calls)
        return self._protocol

    async def _answer_batch(self, prepared: Prepared, protocol: AssistantProtocol, messages: list[Json]) -> Response:
        """Answer one message after the other, until the answers are too long. Each is counted; the first has been."""
        request = prepared.request
        if request.headers.get(_VERSION, "2025-03-26") not in _WITH_BATCHES:
            return _response(prepared, 400, _error(_INVALID_REQUEST, "This version of the protocol has no batches."))
        if not 1 <= len(messages) <= MOST_MESSAGES:
            text = f"A batch holds 1 to {MOST_MESSAGES} messages."
            return _response(prepared, 400, _error(_INVALID_REQUEST, text))
        answers: list[bytes] = []
        for at, message in enumerate(messages):
            if sum(map(len, answers)) > MOST_ANSWER_BYTES:
                body = _no_room_for(message)
            else:
                body = await self._answer_one_of(prepared, protocol, message, first=at == 0)
            if body:
                answers.append(body)
        if not answers:
            return _response(prepared, _ACCEPTED, b"")
        return _response(prepared, 200, b"[%s]" % b",".join(answers))

    async def _answer_one_of(
        self, prepared: Prepared, protocol: AssistantProtocol, message: Json, *, first: bool
    ) -> bytes:
        if not isinstance(message, dict) or not protocol.is_message(message) or message.get("method") == "initialize":
            return _error(_INVALID_REQUEST, "This part of the batch is not a message, or may not be in a batch.")
        request, principal = prepared.request, prepared.principal
        if not first:
            again = await self._dispatch.enter(request, self._dispatch.application.meet_key_holder)
            if again.refused is not None:
                data = json.loads(again.refused.body)["error"]
                return _error(_NOT_LET_IN, data["message"], message.get("id"), data) if "id" in message else b""
            principal = again.principal
        caller = self._calls.caller(request, principal)
        body = json.dumps(message, ensure_ascii=False).encode()
        return (await protocol.answer(caller, _headers_of(request.headers), body)).body


def _read(body: bytes) -> Json:
    return read_json(body, most_values=_MOST_VALUES)


def _protocol() -> type[AssistantProtocol]:
    from livecore_server.assistants.protocol import AssistantProtocol  # noqa: PLC0415 - see `AssistantSite._load`

    return AssistantProtocol


def _fault_of(request: Request, origin: str | None) -> Refusal | None:
    """What is wrong with a request, whoever sends it; `origin` is where browsers reach the service."""
    given = request.headers.get("origin")
    if given is not None and not _is_own(given, origin):
        return SameOriginRequired()
    if request.path != _PATH:
        return RouteNotFound()
    if request.method != "POST":
        refusal = MethodNotAllowed()
        refusal.headers["Allow"] = "POST"
        return refusal
    return None


def _is_own(given: str, origin: str | None) -> bool:
    if origin is not None:
        return given == origin
    try:
        parts = urlsplit(given)
        return parts.scheme in {"http", "https"} and is_loopback(parts.hostname or "")
    except ValueError:
        return False


def _headers_of(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The headers of the protocol itself, each as often as it was sent, without the session's id: there are no sessions."""
    for name, value in headers.items():
        lower = name.lower()
        if lower.startswith("mcp-") and lower != "mcp-session-id":
            yield lower, value


def _error(code: int, message: str, id_: Any = None, data: Json = None) -> bytes:  # noqa: ANN401 - whatever the caller chose
    error: dict[str, Json] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": error}, ensure_ascii=False).encode()


def _no_room_for(message: Json) -> bytes:
    """The answer to a message of a batch that is not looked at any more; a notification has none."""
    if not isinstance(message, dict) or "id" not in message:
        return b""
    text = (
        f"The answers to this batch are longer than {MOST_ANSWER_BYTES // 1024} KiB already, so this message was not "
        "looked at. Send it again in another request."
    )
    return _error(_NO_ROOM, text, message["id"])


def _address_error(fault: ValidationFailed, message: Json) -> bytes:
    """What is wrong with the address, as the answer to the message: clients show their users no other refusal."""
    asked = message.get("id") if isinstance(message, dict) else None
    id_ = asked if isinstance(asked, str | int) and not isinstance(asked, bool) else None
    text = f"The query of this address is refused. {fault.message}."
    return _error(_INVALID_PARAMS, text, id_, fault.envelope()["error"])


def _response(prepared: Prepared, status: int, body: bytes) -> Response:
    kind = (("Content-Type", "application/json"),) if body else ()
    return Response(status, (*kind, ("X-Request-Id", prepared.request_id), *prepared.headers), body)
