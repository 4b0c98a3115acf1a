"""What is written down about an operation, and what every area's file in `tests/contract/operations` exports.

The table is written by hand from the specification and the wire contract, never from the code. Fields are words: `?` may be
left out, `name:row` holds that row, `name:row[]` a list of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeAlias, TypeVar

import attrs

from livecore.kernel.errors import JsonObject
from tests.contract.stories import Life, Scene, Step, Thing, Walk

if TYPE_CHECKING:
    # The laws read this table, and their model of the rules has no use for the clients' HTTP library.
    from tests.client.flavours import AnySdk, AnyServer


C = TypeVar("C")


# -- one operation --------------------------------------------------------------------------------------------------------


@attrs.frozen
class Call(Generic[C]):
    """One call of a client's method about the player `anna`, the request that it must become, and the `data` it must read.

    `at` has the variables of the path as they stand in it. Without `body` a request is expected to carry an empty object
    where the method takes a body, without `status` the usual one.
    """

    call: Callable[[C], object]
    answer: JsonObject
    at: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    query: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    body: JsonObject | None = attrs.field(default=None, kw_only=True)
    status: int | None = attrs.field(default=None, kw_only=True)
    note: str = attrs.field(default="", kw_only=True)
    """What distinguishes it from other calls of the method."""


SdkCall: TypeAlias = Call["AnySdk"]
ServerCall: TypeAlias = Call["AnyServer"]


@attrs.frozen
class Route:
    """One operation as the specification and the contract show it.

    `route` has the method and the rest of the path, which is `below` a player unless it says otherwise; the credential is
    the surface's usual one. `statuses` are those of success, the usual one first; `asks` the arguments, of which those of
    `query` travel in the URL although it is a write; `answers` the fields under `data`; `refusals` the codes of its own.
    `repeats` says how a repetition under the same idempotency key is answered: as was kept, as can be derived again, or as
    a new request.

    `recognises` says that it shows the player more, who proves to be that player by the secret; a wrong one is refused.

    A route of operators is below a game of a studio, and says which `permission` it needs.

    A stream answers with `STREAM`, and `messages` has the fields of each message by its name.

    `body` and `query_string` are what the authorization matrix sends in its scene, where the documents' example, or nothing,
    would not do; `named` what the path names there, where its variable has another meaning than in most paths; `ready`
    prepares the scene where the operation needs more to succeed. `things` are what the path names where its variable means
    something else than in most paths, and has to be in the scene. `calls` are the clients' calls.
    """

    surface: str
    operation: str
    route: str
    below: str = attrs.field(kw_only=True)
    credential: str = attrs.field(kw_only=True)
    statuses: tuple[int, ...] = attrs.field(default=(200,), kw_only=True)
    asks: str = attrs.field(default="", kw_only=True)
    query: str = attrs.field(default="", kw_only=True)
    answers: str = attrs.field(kw_only=True)
    messages: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    refusals: str = attrs.field(default="", kw_only=True)
    repeats: Literal["kept", "derived", "new"] = attrs.field(default="kept", kw_only=True)
    recognises: bool = attrs.field(default=False, kw_only=True)
    body: JsonObject | None = attrs.field(default=None, kw_only=True)
    query_string: str = attrs.field(default="", kw_only=True)
    named: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    ready: Callable[[Scene], None] | None = attrs.field(default=None, kw_only=True)
    things: Mapping[str, Thing] = attrs.field(factory=dict, kw_only=True)
    calls: tuple[SdkCall, ...] | tuple[ServerCall, ...] = attrs.field(default=(), kw_only=True)
    permission: str | None = attrs.field(default=None, kw_only=True)
    """For operators: the permission of `ROLES` that it needs."""
    dashboard_only: bool | Literal["live"] = attrs.field(default=False, kw_only=True)
    dashboard_only_with: tuple[str, ...] = attrs.field(default=(), kw_only=True)
    looks: bool = attrs.field(default=False, kw_only=True)
    """Whether it changes nothing although it is no GET."""

    @below.default
    def _usual_beginning(self) -> str:
        return "/studios/{studioId}/games/{gameId}" if self.surface == "admin" else "/players/{externalId}"

    @credential.default
    def _usual_credential(self) -> str:
        return {"sdk": "player", "server": "server_key", "admin": "member"}[self.surface]

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The whole path, with its variables."""
        return f"/{self.surface}/v1{self.below}{self.route.partition(' ')[2]}"

    @property
    def id(self) -> str:
        """The operation's name across surfaces."""
        return f"{self.surface}:{self.operation}"

    @property
    def python_name(self) -> str:
        """The clients' method."""
        return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", self.operation)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of its own refusals."""
        return frozenset(self.refusals.split())

    @property
    def variables(self) -> tuple[str, ...]:
        """The path's variables."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    def path_with(self, values: Mapping[str, str]) -> str:
        """The path of a request, with these values in the places of its variables."""
        return re.sub(r"\{(\w+)\}", lambda variable: values[variable[1]], self.path)

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET" and not self.looks

    @property
    def takes_body(self) -> bool:
        """Whether its method carries a JSON body."""
        return self.method in {"POST", "PUT", "PATCH"}

    @property
    def keyed(self) -> bool:
        """Whether its answer is kept under an idempotency key."""
        return self.writes and self.repeats == "kept"

    @property
    def about_existing(self) -> bool:
        """Whether it is about a player who must exist."""
        return "externalId" in self.variables and "player_not_found" in _GENERIC[self.credential] | self.codes


def for_operators(route: Route, permission: str) -> Route:
    """What the studio's backend may do, for a member with this permission; the path goes on below a game."""
    below = route.below.removeprefix("/games/{gameId}")
    usual = "/studios/{studioId}/games/{gameId}"
    return attrs.evolve(
        route, surface="admin", below=usual + below, credential="member", calls=(), permission=permission
    )


# -- an area --------------------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Area:
    """The operations of an area on all surfaces, and what tests need to reach them.

    `rows` are the objects inside answers; `refusals` the codes that are the area's own, by status; `walk` the steps of the
    walk through the whole service; `marked` those of a life that is marked everywhere; `names_nobody` the texts of requests
    that are no place for a name, each with the reason; `things` what is in the scene of the authorization matrix, by the
    variable of a path that names it.
    """

    routes: tuple[Route, ...]
    rows: Mapping[str, str] = attrs.field(factory=dict)
    refusals: Mapping[int, str] = attrs.field(factory=dict)
    walk: tuple[Step[Walk], ...] = ()
    marked: tuple[Step[Life], ...] = ()
    names_nobody: Mapping[str, str] = attrs.field(factory=dict)
    things: Mapping[str, Thing] = attrs.field(factory=dict)
    operated: Mapping[str, Thing] = attrs.field(factory=dict)
    """What the paths of operators alone name, in the scene of their matrix."""


# -- what many operations share -------------------------------------------------------------------------------------------

KEY: Final = "idempotencyKey?"
PAGE: Final = "limit? cursor?"
STREAM: Final = "server-sent events"
DOCUMENT: Final = "the document itself, without the envelope"
NOON: Final = "2026-01-31T12:00:00.000Z"
"""The instant in sample answers."""


def statuses(codes: Mapping[int, str]) -> dict[str, int]:
    """The status of each code, from the codes of each status."""
    return {code: status for status, words in codes.items() for code in words.split()}


STATUS_OF: Final = statuses({
    400: "validation_failed malformed_json malformed_request",
    401: "api_key_missing api_key_invalid api_key_revoked session_invalid",
    403: "wrong_permission_set permission_denied read_only_key dashboard_only same_origin_required",
    404: "route_not_found game_not_found studio_not_found webhook_endpoint_not_found webhook_delivery_not_found"
    " api_key_not_found",
    405: "method_not_allowed",
    408: "body_timeout",
    409: "idempotency_conflict webhook_endpoint_key_taken webhook_endpoint_limit_reached webhook_state_conflict",
    413: "body_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    503: "overloaded not_ready",
})  # fmt: skip
"""The statuses of the codes that belong to no area's own operations."""

_ALWAYS: Final = "validation_failed internal_error overloaded"
_OF_A_KEY: Final = f"{_ALWAYS} api_key_missing api_key_invalid api_key_revoked wrong_permission_set rate_limited"
_GENERIC: Final[dict[str, frozenset[str]]] = {
    "none": frozenset(_ALWAYS.split()),
    "client_key": frozenset(_OF_A_KEY.split()),
    "player": frozenset(f"{_OF_A_KEY} player_secret_invalid player_not_found".split()),
    "server_key": frozenset(_OF_A_KEY.split()),
    "member": frozenset(f"{_OF_A_KEY} session_invalid".split()),
}
"""What is refused whatever the operation does; with a body come `BODY`, with an idempotency key `idempotency_conflict`."""


def generic(route: Route) -> frozenset[str]:
    """What is refused on this route whatever the operation does."""
    codes = set(_GENERIC[route.credential])
    if route.method != "GET":
        codes |= BODY
    if route.keyed:
        codes.add("idempotency_conflict")
    if route.credential == "member":
        codes |= {code for name, code in _OF_A_PATH.items() if name in route.variables}
        if route.permission is not None:
            codes.add("permission_denied")
        if route.method != "GET":
            codes.add("same_origin_required")
        if route.writes and route.dashboard_only is not True:
            codes.add("read_only_key")
        if route.dashboard_only:
            codes.add("dashboard_only")
    return frozenset(codes)


_OF_A_PATH: Final = {
    "studioId": "studio_not_found",
    "gameId": "game_not_found",
}
BODY: Final = frozenset({"malformed_json", "body_too_large", "unsupported_media_type", "body_timeout"})
