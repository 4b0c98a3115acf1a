"""The parts that a surface's operations share in its OpenAPI document: credentials, headers, the error envelope."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, cast

from livecore.api.documents.examples import refusal_example
from livecore.api.table.operation import Operation
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.wire import encode
from livecore.kernel.wire.schema import OPEN, described
from livecore.webhooks.envelope import Envelope
from livecore.webhooks.samples import sample_of

_BOTH: Final = """
Answers are under `data`, refusals under `error` with a stable `code`. Timestamps are ISO 8601 in UTC with milliseconds. A
repeated write with the same idempotency key has one effect and gets the same answer, marked `Idempotent-Replay`. New
fields, operations and enumeration values may be added at any time: ignore those that you do not know."""
SURFACES: Final[Mapping[str, tuple[str, str]]] = {
    "sdk": (
        "Livecore for game clients",
        "Called by a game for one player, with the game's client key and the player's secret." + _BOTH,
    ),
    "server": (
        "Livecore for studio backends",
        "Called by the studio's own servers with a server key, which must never be placed in a game." + _BOTH,
    ),
    "admin": (
        "Livecore for operators",
        "Called by members of a studio: by the operator portal with a session, by scripts and assistants with a personal "
        "key. `x-permission` names the permission that a member's role must hold; it is null where none is needed. "
        "`x-dashboard-only` marks what a personal key may not do, `live` in the live environment only; where "
        "`x-dashboard-only-with` names members of the body, only a request that gives one of them." + _BOTH,
    ),
}
"""Title and description of each surface's document."""

REPORTED: Final[Mapping[str, tuple[str, ...]]] = {
    "sdk": ("SdkName", "Platform", "AppVersion", "RequestId"),
    "server": ("SdkName", "Platform", "AppVersion", "RequestId"),
    "admin": ("SdkName", "RequestId"),
}
"""The headers that every request of a surface may carry."""
SIGNED: Final = ("Signature", "WebhookTest")
"""The headers of a webhook."""


def referred(section: str, name: str) -> JsonObject:
    """A reference to a component."""
    return {"$ref": _pointer(section, name)}


def _pointer(section: str, name: str) -> str:
    return f"#/components/{section}/{name}"


def tag_of(operation: Operation, areas: Areas) -> str:
    """The subject of an operation: the part of its name before the dot."""
    subject, dot, _ = operation.name.partition(".")
    return subject if dot and subject in areas.tags else "service"


def tags(operations: Iterable[Operation], areas: Areas) -> list[Json]:
    """The subjects of these operations and of webhooks, with descriptions."""
    used = {tag_of(operation, areas) for operation in operations} | {"webhooks"}
    return [{"name": name, "description": text} for name, text in areas.tags.items() if name in used]


def security_of(operation: Operation) -> list[Json]:
    """The credentials of an operation."""
    if operation.credential == "none":
        return []
    if operation.credential == "player":
        return [{"ClientKey": [], "PlayerSecret": []}]
    if operation.credential == "member":
        return [{"Session": []}] if operation.dashboard_only is True else [{"Session": []}, {"PersonalKey": []}]
    return [{"ServerKey" if operation.credential == "server_key" else "ClientKey": []}]


def headers_of(operation: Operation, status: int) -> JsonObject:
    """The headers of an operation's answers with this status."""
    names = ["X-Request-Id"]
    if operation.bucket is not None:
        names += ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]
    if status in {429, 503}:
        names.append("Retry-After")
    if (operation.keyed or operation.derives) and status < 300:
        names.append("Idempotent-Replay")
    if operation.deprecation is not None:
        names += ["Deprecation", "Sunset", "Link", "X-Svc-Deprecation-Reason"]
    return {name: referred("headers", name) for name in names}


def envelope_example(payload: type[Event]) -> Json:
    """A sample delivery of a kind, as a receiver gets it."""
    data = encode(sample_of(payload))
    assert isinstance(data, dict)  # noqa: S101 - a payload is an object
    envelope = Envelope(
        id="evt_00000000000000000000000001",
        event_name=payload.kind,
        studio_id="std_00000000000000000000000001",
        game_id="gam_00000000000000000000000001",
        occurred_at=Timestamp.parse("2026-01-31T09:30:00.000Z"),
        delivery_attempt=1,
        data=dict(data),
    )
    return encode(envelope)


def components(
    surface: str, areas: Areas, *, schemas: JsonObject, parameters: JsonObject, responses: JsonObject
) -> JsonObject:
    """The components of a surface's document: the common ones, and those that its operations and webhooks refer to."""
    return {
        "schemas": {"Error": _error(areas), **schemas},
        "securitySchemes": _SECURITY[surface],
        "parameters": {**_PARAMETERS, **parameters},
        "responses": responses,
        "headers": _HEADERS,
        "examples": {
            kind.code: {"summary": described(kind), "value": refusal_example(kind)} for kind in areas.refusals
        },
    }


def without_unused(document: JsonObject) -> JsonObject:
    """The document without unused headers, parameters and examples."""
    text = json.dumps(document)
    parts = cast("JsonObject", document["components"])
    kept: JsonObject = {
        section: {
            name: part for name, part in cast("JsonObject", parts[section]).items() if _pointer(section, name) in text
        }
        for section in ("headers", "parameters", "examples")
    }
    return {**document, "components": {**parts, **kept}}


def _error(areas: Areas) -> JsonObject:
    codes: list[Json] = [kind.code for kind in areas.refusals]
    return {
        "type": "object",
        "description": "Every answer that is not a success.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": {
                        "type": "string",
                        "description": "Stable: match on it. Further codes may be added.",
                        OPEN: codes,
                    },
                    "message": {"type": "string", "description": "For people; may change at any time."},
                    "details": {"type": "object", "description": "Details that depend on the code."},
                },
            }
        },
    }


# -- credentials and headers ----------------------------------------------------------------------------------------------


_BEARER: Final[JsonObject] = {"type": "http", "scheme": "bearer"}
_SECURITY: Final[Mapping[str, JsonObject]] = {
    "sdk": {
        "ClientKey": {**_BEARER, "description": "The game's client key, `lc_<environment>_client_…`."},
        "PlayerSecret": {
            "type": "apiKey",
            "in": "header",
            "name": "X-Player-Secret",
            "description": "The player's secret, from registering.",
        },
    },
    "server": {"ServerKey": {**_BEARER, "description": "The studio's server key, `lc_<environment>_server_…`."}},
    "admin": {
        "Session": {
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-livecore",
            "description": "The session of a member who is signed in; `livecore` on a loopback address.",
        },
        "PersonalKey": {**_BEARER, "description": "A member's personal key, `svc_pk_…`."},
    },
}


def _request_header(name: str, text: str, example: str, pattern: str | None = None) -> JsonObject:
    schema: JsonObject = {"type": "string"} if pattern is None else {"type": "string", "pattern": pattern}
    return {"name": name, "in": "header", "description": text, "schema": schema, "example": example}


_PARAMETERS: Final[JsonObject] = {
    "SdkName": _request_header("X-Svc-SDK", "Who calls, as `<name>/<version>`.", "my-game/1.4.0"),
    "Platform": _request_header(
        "X-Svc-Platform", "The platform: `ios`, `android`, `web`, … or a key that the game defines.", "ios"
    ),
    "AppVersion": _request_header("X-Svc-App-Version", "The version of the game that the player runs.", "1.4.0"),
    "RequestId": _request_header(
        "X-Request-Id",
        "Returned with the answer and written to the log; at most 128 printable ASCII characters.",
        "req-0001",
    ),
    "Environment": {
        "name": "environment",
        "in": "query",
        "description": "The environment of the game; `live` if it is left out.",
        "schema": {"enum": ["live", "test"], "default": "live"},
        "example": "test",
    },
    "EitherEnvironment": {
        "name": "environment",
        "in": "query",
        "description": "An environment of the game. This is about both, so it decides nothing.",
        "schema": {"enum": ["live", "test"]},
        "example": "test",
    },
    "LastEventId": _request_header(
        "Last-Event-ID", "The `id` of the last message that the reader received, when it reconnects.", "42"
    ),
    "IdempotencyKey": _request_header(
        "Idempotency-Key",
        "The caller's name for this attempt at a write, instead of `idempotencyKey` in the body.",
        "c2FtcGxlLWtleS0wMDAx",
        r"^[\x20-\x7e]{1,255}$",
    ),
    "Signature": _request_header(
        "X-Signature",
        "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`; one `v1` for each secret while two overlap.",
        "t=1769851800,v1=" + "0" * 64,
        r"^t=[0-9]{1,12}(,v1=[0-9a-f]{64}){1,8}$",
    ),
    "WebhookTest": _request_header("X-Svc-Webhook-Test", "Set on sample deliveries only.", "1", "^1$"),
}


def _header(text: str, schema: JsonObject, *, required: bool = False) -> JsonObject:
    return {"description": text, "required": required, "schema": schema}


_COUNT: Final[JsonObject] = {"type": "integer", "minimum": 0}
_SECONDS: Final[JsonObject] = {"type": "integer", "minimum": 1}
_STRING: Final[JsonObject] = {"type": "string"}
_HEADERS: Final[JsonObject] = {
    "X-Request-Id": _header("The request's id: the caller's own, or a new one.", _STRING, required=True),
    "RateLimit-Limit": _header(
        "Requests per minute in the bucket with the fewest requests left; left out when all are off.", _COUNT
    ),
    "RateLimit-Remaining": _header("Requests left in that bucket in this minute.", _COUNT),
    "RateLimit-Reset": _header("Seconds until the minute is over.", _SECONDS),
    "Retry-After": _header("Seconds to wait before trying again.", _SECONDS, required=True),
    "Idempotent-Replay": _header("`true` when this is the answer of an earlier request.", {"const": "true"}),
    "Deprecation": _header("`true`: the operation will be removed.", {"const": "true"}, required=True),
    "Sunset": _header("When it will be removed, if that is decided (RFC 8594).", _STRING),
    "Link": _header('Its replacement, with `rel="successor-version"`, if there is one.', _STRING),
    "X-Svc-Deprecation-Reason": _header("Why it will be removed.", _STRING, required=True),
}
