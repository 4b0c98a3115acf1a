"""Operations: each is one row of data, from which dispatch, documents, client coverage and tests are derived.

The arguments of an operation are one shape. A field named like a variable of the path is a path parameter; the others are
query parameters where the method carries no body (GET, DELETE), members of the JSON body otherwise, except those listed in
`query`. The path's `{externalId}` is not among them: it names the player whom the unit is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import attrs

from livecore.access.principals import ADMITTED, Credential, Principal, PrincipalKind
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject, Refusal, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit

Surface: TypeAlias = Literal["sdk", "server", "admin"]
Bucket: TypeAlias = Literal["sdk_read", "sdk_write", "server_api", "admin"]
Location: TypeAlias = Literal["path", "query", "body"]
Reach: TypeAlias = Literal["game", "directory", "several"]
"""The rows that an operation works on: those of one scope of a game in one transaction, those of the directory in one
transaction, or several scopes one after the other."""
Runs: TypeAlias = Literal["read", "write", "steps", "several"]
"""How an operation runs: in one transaction that reads or writes, in one for each step, or in those of several scopes."""
Given: TypeAlias = Mapping[object, Mapping[str, object]]
"""Values for fields of some shapes in an example; `SHOWN` stands for the usual placeholder of a field."""
_VARIABLE = re.compile(r"\{(\w+)\}")
_QUOTED = re.compile(r"`(\w+)`")
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})
_MOST_BODY_BYTES: Final[Mapping[Surface, int]] = {"sdk": 64 * 1024, "server": 1024 * 1024, "admin": 1024 * 1024}
MOST_BODY_VALUES: Final[Mapping[Surface, int]] = {"sdk": 10_000, "server": 50_000, "admin": 50_000}
"""More values than 16 KiB of metadata, or a player context of that size, can hold."""


@attrs.frozen
class Answer:
    """An operation's answer with a status other than its first."""

    status: int
    data: object
    headers: tuple[tuple[str, str], ...] = ()


@attrs.frozen
class Reveals:
    """A secret in an answer, which is never stored: `field` is its name under `data` on the wire.

    `spell` gives the secret's text again, from the rest of `data` and from the random bytes that the handler drew with
    `Unit.secret_bytes`.
    """

    field: str
    size: int
    spell: Callable[[JsonObject, bytes], str]


@attrs.frozen
class OperationSteps:
    """How the work of an operation is divided into transactions, so that others are served between two of them."""

    divide: Callable[[Any], Iterable[Any]]
    """The parts of the arguments, each in the shape of the arguments, at least one. Each may take effect without the others,
    and takes effect once however often it is sent."""
    join: Callable[[Sequence[Any]], object]
    """The answer, from the answers to the parts in their order."""
    more: Callable[[Any], Any | None] | None = None
    """Where each part follows from the answer to the one before it: that part, and none after the last one.

    The first part decides: with it the entry in the audit trail is made and the answer so far is kept under the idempotency
    key. So a request that was interrupted is not run again, and what it has left must go on by itself."""


@attrs.frozen
class Document:
    """The document itself: an answer that is its own body, JSON in UTF-8, without the envelope."""

    body: bytes


@attrs.frozen
class Link:
    """A link from an answer to an operation of the same surface that takes an id of the answer.

    It names the operation, the path variable, and the place of its value under `data`.
    """

    operation: str
    variable: str
    pointer: str


@attrs.frozen
class EventStream:
    """Server-sent events: messages, each with a name and with data that is one JSON object, until one of the ends closes."""


@attrs.frozen(kw_only=True)
class Deprecation:
    """What the answers of a deprecated route say about its end (specification 9)."""

    reason: str
    sunset: Timestamp | None = None
    successor: str | None = None


@attrs.frozen(kw_only=True, eq=False)
class Operation:
    """One operation of the service.

    `answers` maps each success status to the shape under `data`, the usual one first. `errors` are the refusals besides
    those that every operation of its kind can give. `writes` says that it changes rows. `keyed` says that its answer is
    stored under an idempotency key, and `forgets` that the stored record must not reveal the players. `derives` says that
    the handler itself answers a repetition, because its answer must not be stored. `replay_status` is the status of a
    replay, if it differs from the original.

    Who may do it is asked in this order: `credential`; `permission`, or `judge` where the body says which one is needed;
    `dashboard_only`; whether a key only reads; and `guard`, where stored rows decide. All but the last come before the form
    of the body.
    """

    name: str
    surface: Surface
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    credential: Credential
    bucket: Bucket | None
    args: type
    answers: Mapping[int, type]
    handler: Callable[[Unit, Any], object]
    summary: str
    about: str = ""
    """Further description for callers, in sentences, with the arguments' Python names."""
    errors: tuple[type[Refusal], ...] = ()
    writes: bool = False
    keyed: bool = False
    forgets: bool = False
    derives: bool = False
    recognises: bool = False
    """Whether a caller with a client key who also gives the player's secret is recognised as the player."""
    subject: Literal["existing", "any", "none"] = "none"
    """Whether the path's player must exist (404 otherwise), need not exist, or is not named."""
    replay_status: int | None = None
    query: tuple[str, ...] = ()
    deprecation: Deprecation | None = None
    messages: Mapping[str, type] = attrs.field(factory=dict)
    """For a stream: the names of its messages, each with the shape of its data."""
    permission: str | None = None
    """The permission that the principal needs, such as `player.ban`; `None` if the credential is enough."""
    dashboard_only: bool | Literal["live"] = False
    """Whether members must be signed in, so that a personal key is not enough; `live` says in the live environment only."""
    dashboard_only_with: tuple[str, ...] = ()
    """Where `dashboard_only` holds only for a body that gives one of some members: their names on the wire."""
    reach: Reach = "game"
    """What it works on. Instead of a unit, the handler of one that reaches several scopes gets a
    `livecore.api.requests.operator_context.OperatorContext`."""
    refuses_environment: bool = False
    """For one about both environments of a game: whether the query must not name one, because it changes both."""
    reveals: Reveals | None = None
    """The secret in its answer, if it shows one."""
    steps: OperationSteps | None = None
    """For one whose work would keep others waiting: how it is divided. It names no player, and the backend alone may ask."""
    resume: Callable[[Any, JsonObject], None] | None = None
    """For one that reaches several scopes: completes what an interrupted request may have left, given a context and the data
    of its answer. It can be repeated safely."""
    ends_game: bool = False
    """Whether it deletes the game of its path, which a repetition then still finds, if the caller may delete games."""
    judge: Callable[[Principal, JsonObject], None] | None = None
    """Checks what the caller may do where single members of the body say it, before the form of the body is checked: given
    the caller and as much of the body as can be read."""
    guard: Callable[[Unit, Any], None] | None = None
    """Checks what the caller may do where that depends on stored rows, before an earlier answer is given again."""
    audited: bool = attrs.field()
    """Whether it leaves an entry in the audit trail: by default, whether it changes rows. Of players' own requests only
    registering leaves one: see `leaves_entry`."""
    destructive: bool = attrs.field()
    """Whether it removes or replaces something, cannot be taken back, or is noticed by players: an assistant asks a person
    before it does that. By default every write; a row says where a write is none of these."""
    target: tuple[str, str] | None = None
    """For the audit trail: the kind of thing that it changes, and the path variable that names it."""
    most_body_bytes: int = attrs.field()
    """The largest body: by default that of the surface, and 0 on GET and without a credential."""
    most_body_values: int = attrs.field()
    """How many JSON values the body may hold, nested values included."""
    links: Mapping[int, tuple[Link, ...]] = _NOTHING
    """The links of an answer, by its status."""
    examples: Mapping[int, Given] = _NOTHING
    """Values for example answers whose records are in another state than usual, by the answer's status."""
    over: Callable[[Operation, Areas], Operation] | None = None
    """Gives the row for certain areas, if its shapes depend on their declarations."""
    id: str = attrs.field(init=False)
    """The operation's name across surfaces: `sdk:gifts.send`."""
    variables: tuple[str, ...] = attrs.field(init=False)
    """The path's variables in order, with the wire's names."""
    player_index: int = attrs.field(init=False, default=0)
    """The path variable that names the player, if there is one."""
    status: int = attrs.field(init=False)
    """The usual success status."""
    takes_body: bool = attrs.field(init=False)
    """Whether the method carries a JSON body."""
    takes_environment: bool = attrs.field(init=False)
    """Whether the query may name the environment: on routes of members about one scope of a game."""
    judged: bool = attrs.field(init=False)
    """Whether the body says something about what the caller may do, so that it is read before its form is checked."""
    leaves_entry: bool = attrs.field(init=False)
    """Whether it is audited, and is no request of a player's client but registering."""
    runs: Runs = attrs.field(init=False)
    """In how many transactions it runs, and of which kind."""

    @most_body_bytes.default
    def _usual_most_body_bytes(self) -> int:
        bare = self.method == "GET" or self.credential == "none"
        return 0 if bare else _MOST_BODY_BYTES[self.surface]

    @most_body_values.default
    def _usual_most_body_values(self) -> int:
        return MOST_BODY_VALUES[self.surface]

    @audited.default
    def _usually_audited(self) -> bool:
        return self.writes

    @destructive.default
    def _usually_destructive(self) -> bool:
        return self.writes

    @id.default
    def _id_of_its_name(self) -> str:
        return f"{self.surface}:{self.name}"

    @variables.default
    def _variables_of_its_path(self) -> tuple[str, ...]:
        return tuple(_VARIABLE.findall(self.path))

    @status.default
    def _first_status(self) -> int:
        return next(iter(self.answers))

    @takes_body.default
    def _method_takes_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")

    @takes_environment.default
    def _is_in_one_environment(self) -> bool:
        return self.credential == "member" and self.reach == "game" and "gameId" in self.variables

    @judged.default
    def _is_judged(self) -> bool:
        return self.judge is not None or bool(self.dashboard_only_with)

    @leaves_entry.default
    def _leaves_an_entry(self) -> bool:
        return self.audited and (self.surface != "sdk" or self.name == "players.register")

    @runs.default
    def _how_it_runs(self) -> Runs:
        if self.reach == "several":
            return "several"
        if self.steps is not None:
            return "steps"
        return "write" if self.writes or self.audited else "read"

    def __attrs_post_init__(self) -> None:
        """Refuse a row whose answers could not be distinguished. Raises `ValueError`."""
        if self.subject != "none":
            object.__setattr__(self, "player_index", self.variables.index("externalId"))
        if bool(self.messages) != (EventStream in self.answers.values()) or (self.messages and self.writes):
            raise ValueError(f"{self.id} is a stream that changes rows, or does not say what it sends")
        if self.steps is not None and (self.credential != "server_key" or self.subject != "none" or self.reveals):
            raise ValueError(f"{self.id} cannot be divided into steps")
        if doubled := {kind.status for kind in self.errors} & self.answers.keys():
            raise ValueError(f"{self.id} has an answer and a refusal with status {sorted(doubled)}")

    @property
    def admits(self) -> frozenset[PrincipalKind]:
        """The kinds of principal that it admits; a permission may be needed as well."""
        kinds = ADMITTED[self.credential]
        return kinds - {"personal_key"} if self.dashboard_only is True else kinds

    @property
    def shows_secret(self) -> bool:
        """Whether a usual answer has a secret in it: a field that its shape keeps out of its `repr`."""
        kinds = [kind for kind in self.answers.values() if attrs.has(kind)]
        return any(field.repr is False for kind in kinds for field in attrs.fields(kind))

    @property
    def admits_environment(self) -> bool:
        """Whether the query may name the environment though the operation is about both: on the other routes of a game."""
        of_game = self.credential == "member" and "gameId" in self.variables
        return of_game and not self.takes_environment and not self.refuses_environment and not self._filters_environment

    @property
    def _filters_environment(self) -> bool:
        named = any(field.name == "environment" for field in attrs.fields(self.args))
        return named and self.location_of("environment") == "query"

    def status_of_replay(self, status: int) -> int:
        """The status of a replay of an answer that had this status."""
        return self.replay_status if self.replay_status is not None and status in self.answers else status

    @property
    def description(self) -> str:
        """The text of `about`, with the wire's names of the arguments."""
        names = {field.name: camel(field.name) for field in attrs.fields(self.args)}
        return _QUOTED.sub(lambda quoted: f"`{names.get(quoted[1], quoted[1])}`", self.about)

    def location_of(self, field: str) -> Location:
        """The place of a field of the arguments in a request."""
        if camel(field) in self.variables:
            return "path"
        return "body" if self.takes_body and field not in self.query else "query"
