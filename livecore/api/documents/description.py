"""A surface's OpenAPI 3.1 document, generated only from its operations and the event catalog.

The components hold what operations share (the reporting headers, parameters, every refused answer, examples) once. An
operation lists each code that it can answer, grouped by status, with an example of each. Requests are closed: an
undocumented member is refused. Answers are open: a client ignores unknown members (specification 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, cast

import attrs

from livecore.api.areas import AREAS
from livecore.api.documents import components
from livecore.api.documents.components import SURFACES, referred
from livecore.api.documents.examples import answer_example, argument_examples
from livecore.api.refusals import refusals_of
from livecore.api.table.operation import Document, EventStream, Operation, Surface
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Json, JsonObject, Refusal, camel
from livecore.kernel.wire import compact, encode
from livecore.kernel.wire.schema import Schemas, described, is_optional, without_null
from livecore.kernel.wire.shapes import Comma, ExternalPlayerId, Id
from livecore.version import VERSION
from livecore.webhooks.envelope import Envelope
from livecore.webhooks.samples import placeholder

_VARIABLES: Final[dict[str, object]] = {"externalId": ExternalPlayerId}
"""The types of path variables that are no arguments; the others are ids."""
_REFER: Final = "#/components/schemas/"
_LONGEST_NAME: Final = 50
"""The longest name of an answer that lists its codes; it stands at every operation that has the answer."""
_TARGET: Final = frozenset({"friend_code", "external_player_id"})
_EITHER: Final[JsonObject] = {"oneOf": [{"required": ["friendCode"]}, {"required": ["externalPlayerId"]}]}
"""A request that can name a player in two ways must use exactly one."""
_DELIVERY: Final[JsonObject] = {
    "Delivered": {"description": "Delivered. Answer within 10 seconds; the body is not read."},
    "ReceiverGone": {"description": "The receiver no longer exists: the endpoint is paused."},
    "NotDelivered": {"description": "Not delivered: tried again after 30 s, 2 min, 10 min, 1 h, 6 h and 24 h."},
}
_RECEIVED: Final[JsonObject] = {
    "2XX": referred("responses", "Delivered"),
    "410": referred("responses", "ReceiverGone"),
    "default": referred("responses", "NotDelivered"),
}


def describe(surface: Surface, operations: Iterable[Operation], areas: Areas = AREAS) -> JsonObject:
    """The document of one surface; `operations` may include those of other surfaces."""
    return _Description(surface, [entry for entry in operations if entry.surface == surface], areas).document()


class _Description:
    """Builds one document; collects the definitions while it describes the operations."""

    def __init__(self, surface: Surface, operations: Sequence[Operation], areas: Areas) -> None:
        self.surface = surface
        self.areas = areas
        self.kinds = areas.events
        self.operations = operations
        self.requests = Schemas(closed=True, refer=_REFER, suffix="Input")
        self.answers = Schemas(closed=False, refer=_REFER)
        self.payloads = Schemas(closed=False, refer=_REFER, suffix="Event")
        self.parameters: dict[str, JsonObject] = {}
        self._short_names: dict[str, str] = {}
        self.responses: JsonObject = {} if surface == "admin" else dict(_DELIVERY)

    def document(self) -> JsonObject:
        paths: JsonObject = {}
        for operation in self.operations:
            item = cast("JsonObject", paths.setdefault(operation.path, {}))
            item[operation.method.lower()] = self._operation(operation)
        self._share_answers(paths)
        title, description = SURFACES[self.surface]
        webhooks = {} if self.surface == "admin" else {kind: self._webhook(kind) for kind in self.kinds}
        document: JsonObject = {
            "openapi": "3.1.0",
            "info": {
                "title": title,
                "version": VERSION,
                "description": description,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{"url": "/"}],
            "tags": components.tags(self.operations, self.areas),
            "paths": paths,
            "webhooks": cast("JsonObject", webhooks),
            "components": components.components(
                self.surface,
                self.areas,
                schemas=self._schemas(),
                parameters=cast("JsonObject", self.parameters),
                responses=self.responses,
            ),
        }
        return components.without_unused(document)

    def _schemas(self) -> JsonObject:
        schemas: JsonObject = {}
        for gathered in (self.requests, self.answers, self.payloads):
            if doubled := schemas.keys() & gathered.definitions.keys():
                raise ValueError(f"two shapes would be called {sorted(doubled)}")
            schemas.update(gathered.definitions)
        return schemas

    # -- one operation

    def _operation(self, operation: Operation) -> JsonObject:
        described_as: JsonObject = {
            "operationId": operation.name,
            "summary": operation.summary,
            "description": operation.description or described(operation.args),
            "tags": [components.tag_of(operation, self.areas)],
            "security": components.security_of(operation),
            "parameters": self._parameters(operation),
        }
        if body := self._body(operation):
            described_as["requestBody"] = body
        if operation.surface == "admin":
            described_as["x-permission"] = operation.permission
        if operation.dashboard_only:
            described_as["x-dashboard-only"] = operation.dashboard_only
        if operation.dashboard_only_with:
            described_as["x-dashboard-only-with"] = list(operation.dashboard_only_with)
        if operation.deprecation is not None:
            described_as["deprecated"] = True
        described_as["responses"] = {**self._successes(operation), **self._refusals(operation)}
        return described_as

    def _parameters(self, operation: Operation) -> list[Json]:
        attrs.resolve_types(operation.args, include_extras=True)
        fields = {camel(field.name): field for field in attrs.fields(operation.args)}
        found: list[Json] = []
        for name in operation.variables:
            kind = fields[name].type if name in fields else _VARIABLES.get(name, Id)
            found.append(self._shared(self._parameter(operation, name, "path", kind, required=True)))
        for name, field in fields.items():
            if operation.location_of(field.name) == "query" and name != "idempotencyKey":
                parameter = self._parameter(
                    operation, name, "query", field.type, required=not is_optional(field, closed=True)
                )
                schema = without_null(self.requests.field(field))
                found.append(self._shared({**parameter, "schema": schema}))
        names = [
            *(["Environment"] if operation.takes_environment else []),
            *(["EitherEnvironment"] if operation.admits_environment else []),
            *components.REPORTED[operation.surface],
            *(["LastEventId"] if operation.messages else []),
            *(["IdempotencyKey"] if "idempotencyKey" in fields else []),
        ]
        return [*found, *(referred("parameters", name) for name in names)]

    def _shared(self, parameter: JsonObject) -> JsonObject:
        """A reference to a parameter, or the parameter itself if another one has the same name and location."""
        name, location = str(parameter["name"]), str(parameter["in"])
        name = f"{name[0].upper()}{name[1:]}In{location.capitalize()}"
        return referred("parameters", name) if self.parameters.setdefault(name, parameter) == parameter else parameter

    def _parameter(self, operation: Operation, name: str, location: str, kind: object, *, required: bool) -> JsonObject:
        examples = {
            "externalId": "sample-player-1",
            "studioId": "std_00000000000000000000000001",
            "gameId": "gam_00000000000000000000000001",
            **argument_examples(operation, "path" if location == "path" else "query"),
        }
        parameter: JsonObject = {"name": name, "in": location, "required": required, "schema": self.requests.of(kind)}
        if any(isinstance(rule, Comma) for rule in _rules(kind)):
            # An empty text is an empty list.
            parameter |= {"style": "form", "explode": False, "allowEmptyValue": True}
        if name in examples:
            parameter["example"] = examples[name]
        return parameter

    def _body(self, operation: Operation) -> JsonObject:
        fields = [field for field in attrs.fields(operation.args) if operation.location_of(field.name) == "body"]
        if not fields:
            return {}
        names = frozenset(field.name for field in fields)
        either = names >= _TARGET
        schema = self.requests.part(operation.args, names, _EITHER if either else {})
        content: JsonObject = {"schema": schema, "example": argument_examples(operation, "body")}
        required = either or not all(is_optional(field, closed=True) for field in fields)
        return {"required": required, "content": {"application/json": content}}

    def _successes(self, operation: Operation) -> JsonObject:
        return {str(status): self._success(operation, status, kind) for status, kind in operation.answers.items()}

    def _success(self, operation: Operation, status: int, kind: type) -> JsonObject:
        if kind is EventStream:
            return self._stream(operation, status)
        content: JsonObject
        if kind is Document:
            content = {"schema": {"type": "object"}, "example": {"openapi": "3.1.0"}}
        else:
            schema: JsonObject = {
                "type": "object",
                "required": ["data"],
                "properties": {"data": self.answers.refer(kind)},
            }
            content = {"schema": schema, "example": {"data": answer_example(operation, status)}}
        answer: JsonObject = {
            "description": described(kind),
            "headers": components.headers_of(operation, status),
            "content": {"application/json": content},
        }
        if links := _links(operation, status):
            answer["links"] = links
        return answer

    def _share_answers(self, paths: JsonObject) -> None:
        """Put answers that several operations give in the same words among the components, under their shapes' names."""
        sharing: dict[str, list[tuple[JsonObject, str, str]]] = {}
        for operation in self.operations:
            item = cast("JsonObject", paths[operation.path])
            answers = cast("JsonObject", cast("JsonObject", item[operation.method.lower()])["responses"])
            for status, kind in operation.answers.items():
                text = compact(answers[str(status)])
                sharing.setdefault(text, []).append((answers, str(status), kind.__name__))
        for found in sharing.values():
            name = f"{found[0][2]}Answer"
            if len(found) > 1 and name not in self.responses:
                self.responses[name] = found[0][0][found[0][1]]
                for answers, code, _ in found:
                    answers[code] = referred("responses", name)

    def _stream(self, operation: Operation, status: int) -> JsonObject:
        """A stream: an extension holds the shape of each message under its name, which OpenAPI cannot say."""
        messages: JsonObject = {name: self.answers.refer(kind) for name, kind in operation.messages.items()}
        # As later versions of OpenAPI describe a stream: the schema is that of one event, whose data is JSON in a text.
        shape: JsonObject = {"anyOf": list(messages.values())}
        data: JsonObject = {"type": "string", "contentMediaType": "application/json", "contentSchema": shape}
        schema: JsonObject = {
            "type": "object",
            "properties": {
                "event": {"type": "string"},
                "data": data,
                "id": {"type": "string"},
                "retry": {"type": "integer"},
            },
            "required": ["data"],
            "x-messages": messages,
        }
        examples: JsonObject = {
            name: {"value": {"event": name, "data": compact(encode(placeholder("data", kind)))}}
            for name, kind in operation.messages.items()
        }
        content: JsonObject = {"schema": schema, "examples": examples}
        return {
            "description": described(EventStream),
            "headers": components.headers_of(operation, status),
            "content": {"text/event-stream": content},
        }

    def _refusals(self, operation: Operation) -> JsonObject:
        """An answer for each status of the operation's refusals, with its codes and an example of each."""
        answers: JsonObject = {}
        for status, kinds in groupby(refusals_of(operation), key=lambda kind: kind.status):
            answers[str(status)] = self._refused(operation, status, list(kinds))
        return answers

    def _refused(self, operation: Operation, status: int, kinds: Sequence[type[Refusal]]) -> JsonObject:
        answer = _refused(operation, status, kinds)
        if operation.bucket is None or operation.deprecation is not None:
            return answer  # with headers of its own
        codes = "Or".join(kind.__name__ for kind in kinds)
        name = codes if len(codes) <= _LONGEST_NAME else self._numbered(codes, status)
        if self.responses.setdefault(name, answer) != answer:
            raise ValueError(f"two answers would be called {name}")
        return referred("responses", name)

    def _numbered(self, codes: str, status: int) -> str:
        """A short name for an answer of many codes: its status, and a number."""
        return self._short_names.setdefault(codes, f"Refused{status}No{len(self._short_names) + 1}")

    # -- webhooks

    def _webhook(self, kind: str) -> JsonObject:
        payload = self.kinds[kind]
        data = self.payloads.refer(payload)
        schema: JsonObject = {
            "allOf": [
                self.answers.refer(Envelope, "WebhookEnvelope"),
                {"properties": {"eventName": {"const": kind}, "data": data}},
            ]
        }
        example = components.envelope_example(payload)
        described_as: JsonObject = {
            "operationId": f"webhooks.{kind}",
            "summary": kind,
            "description": described(payload),
            "tags": ["webhooks"],
            "security": [],
            "parameters": [referred("parameters", name) for name in components.SIGNED],
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": example}}},
            "responses": _RECEIVED,
        }
        return {"post": described_as}


def _links(operation: Operation, status: int) -> JsonObject:
    """The links of an answer as OpenAPI writes them; the player, if there is one, stays the same."""
    same: JsonObject = {"path.externalId": "$request.path.externalId"} if "externalId" in operation.variables else {}
    return {
        link.operation: {
            "operationId": link.operation,
            "parameters": {**same, f"path.{link.variable}": f"$response.body#/data/{link.pointer}"},
        }
        for link in operation.links.get(status, ())
    }


def _rules(kind: object) -> Iterable[object]:
    """The constraints of a type, through `None` and `ABSENT`."""
    yield from getattr(kind, "__metadata__", ())
    for part in getattr(kind, "__args__", ()):
        yield from _rules(part)


def _said(kinds: Sequence[type[Refusal]]) -> str:
    """What a refusal means; of several the codes, because the summary of each example says it."""
    if len(kinds) == 1:
        return f"`{kinds[0].code}`: {described(kinds[0])}"
    return "One of " + ", ".join(f"`{kind.code}`" for kind in kinds) + ": the summary of its example says when."


def _refused(operation: Operation, status: int, kinds: Sequence[type[Refusal]]) -> JsonObject:
    return {
        "description": _said(kinds),
        "headers": components.headers_of(operation, status),
        "content": {
            "application/json": {
                "schema": referred("schemas", "Error"),
                "examples": {kind.code: referred("examples", kind.code) for kind in kinds},
            }
        },
    }
