"""Calls with arguments that nobody should send: wrong types, out of range, unreadable text, too much of everything.

Each is made in two worlds, by a request that is written here and by a typed call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin
from urllib.parse import quote, urlencode

import attrs
from hypothesis import strategies as st

from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request
from livecore.api.table.operation import Document, Operation
from livecore.kernel.errors import camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import decode_lenient
from livecore.kernel.wire.shapes import ABSENT, Absent, Text
from livecore.world import Caller, World, WorldRefused
from tests.laws.games import GAMES

CALLED: Final = [
    operation
    for operation in OPERATIONS
    if operation.surface in ("sdk", "server") and not operation.messages and Document not in operation.answers.values()
]
"""Every operation of a player or a backend that gives one answer."""

_DEEP: Final[list[Any]] = []
_inner = _DEEP
for _ in range(80):
    _inner.append([])
    _inner = _inner[0]

_HOSTILE: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2, 1.0, 1.5, -0.0, 1e300, 2**53, -(2**53), 10**39, 10**41, float("nan"), float("inf"),
    float("-inf"), "", " ", ".", "..", "gold", "a", "a,b", "1", "true", "é", "\ud800", "\ud83d\ude00", "\x00", "a/b",
    "x" * 300, "x" * 2_000, "x" * 70_000, "é" * 9_000, [], (), ["a"], ("a",), ("a", "a"), ["\udfff"], (1,) * 300,
    {}, {"a": 1}, {"a": 1.0},
    {"a": "\ud800"}, {1: 2}, {1: 1, "1": 2}, {"type": "currency"}, {"a": {"b": [1, {"c": None}]}}, {"x" * 20_000: 1},
    [0] * 12_000, _DEEP, Timestamp(0), Timestamp.parse("2026-02-01T00:00:00.000Z"), "2026-02-01T00:00:00Z",
)  # fmt: skip
"""Values of all kinds, for a field of any kind."""
_TEXTS: Final = ("gold", "potion", "a", "bob", "ann", "chest", "2026-02-01T00:00:00.000Z", "é\u0301", "\u0065\u0301")


@attrs.frozen
class Ask:
    """One call: an operation, its arguments by Python names, and who is asked about."""

    operation: Operation = attrs.field(repr=attrgetter("id"))
    arguments: Mapping[str, Any]
    player: str
    key: str | None


def _usual(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - any type
    """Values that a field of this type may have."""
    origin = get_origin(kind)
    if origin is Annotated:
        base, *rules = get_args(kind)
        longest = next((rule.most for rule in rules if isinstance(rule, Text)), None)
        return _usual(base) | st.just("x" * longest) if base is str and longest else _usual(base)
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin in (Union, UnionType):
        return st.one_of(
            *(st.none() if part is NoneType else _usual(part) for part in get_args(kind) if part is not Absent)
        )
    if origin is tuple:
        return st.lists(_usual(get_args(kind)[0]), max_size=3).map(tuple)
    if origin is dict:
        inner = get_args(kind)[1]
        values = (
            _usual(inner) if inner in (int, str, bool) or get_origin(inner) is Annotated else st.sampled_from(_HOSTILE)
        )
        return st.dictionaries(st.sampled_from(_TEXTS), values, max_size=3)
    if attrs.has(kind):
        return shapes(kind)
    leaves: dict[Any, st.SearchStrategy[Any]] = {
        str: st.sampled_from(_TEXTS),
        int: st.sampled_from((1, 2, 5, 50)),
        bool: st.booleans(),
        Timestamp: st.just(Timestamp.parse("2026-01-02T00:00:00.000Z")),
    }
    return leaves.get(kind, st.sampled_from(_HOSTILE))


@st.composite
def arguments_of(draw: st.DrawFn, kind: Any) -> dict[str, Any]:  # noqa: ANN401 - any shape
    """Members for a shape, some of them hostile."""
    attrs.resolve_types(kind, include_extras=True)
    members: dict[str, Any] = {}
    for field in attrs.fields(kind):
        choice = draw(st.integers(0, 9))
        if choice == 0:
            members[field.name] = draw(st.sampled_from(_HOSTILE))
        elif field.default is attrs.NOTHING or choice < 5:
            members[field.name] = draw(_usual(field.type))
    return members


def shapes(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - any shape
    """Nested shapes."""
    return arguments_of(kind).map(lambda members: kind(**members))


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    """One call."""
    operation = draw(st.sampled_from(CALLED))
    arguments = draw(arguments_of(operation.args))
    key = draw(st.sampled_from((None, None, None, "one", "two")))
    if "idempotency_key" in arguments and not isinstance(arguments["idempotency_key"], str):
        key = None
    player = draw(st.sampled_from(("ann", "ann", "ann", "bob", "nobody", "", ".", "a/b", "\udc80", "x" * 200)))
    return Ask(operation, arguments, player, key)


class Twins:
    """Two worlds with the same past, one asked by requests and one by typed calls."""

    def __init__(self) -> None:
        self.by_requests, self.by_types = World(GAMES[0]), World(GAMES[0])
        for world in (self.by_requests, self.by_types):
            for name in ("ann", "bob"):
                world.player(name)

    def ask(self, ask: Ask) -> tuple[object, object]:
        """What both say, in the same terms."""
        for world in (self.by_requests, self.by_types):
            world.now += 1
        return self._requested(ask), self._typed(ask)

    def compare(self) -> None:
        """Both worlds have the same rows and events."""
        assert self.by_requests.events == self.by_types.events
        one, other = self.by_requests.store.dump(), self.by_types.store.dump()
        assert one == other
        assert repr(one) == repr(other)

    @staticmethod
    def _caller(world: World, ask: Ask) -> Caller:
        return world.server if ask.operation.surface == "server" else world.player("ann")

    def _typed(self, ask: Ask) -> object:
        caller = self._caller(self.by_types, ask)
        shape = ask.operation.args(**ask.arguments)
        try:
            row = caller.perform(ask.operation, shape, external_id=ask.player, idempotency_key=ask.key)
        except WorldRefused as refused:
            return refused.status, refused.code, refused.message, refused.details
        return type(row), row, repr(row)

    def _requested(self, ask: Ask) -> object:
        response = self.by_requests.handle(self._request(ask))
        answer = json.loads(response.body)
        if "error" in answer:
            error = answer["error"]
            return response.status, error["code"], error["message"], error.get("details", {})
        row: Any = decode_lenient(ask.operation.answers[response.status], answer["data"])
        return type(row), row, repr(row)

    def _request(self, ask: Ask) -> Request:
        operation = ask.operation
        path, query, body = operation.path, dict[str, str](), dict[str, Any]()
        headers = dict(self._caller(self.by_requests, ask).headers)
        key = ask.arguments.get("idempotency_key")
        key = key if isinstance(key, str) and key else key or ask.key
        for field in attrs.fields(operation.args):
            name = camel(field.name)
            value = ask.arguments.get(field.name, field.default)
            place = operation.location_of(field.name)
            if place == "path":
                path = path.replace("{" + name + "}", _quoted(str(value)))
            elif (
                value is ABSENT
                or value == field.default
                or (name == "idempotencyKey" and isinstance(value, str) and field.default is not attrs.NOTHING)
            ):
                continue
            elif place == "body":
                body[name] = _plain(value)
            elif value is not None and name != "idempotencyKey":
                query[name] = _in_query(value)
        path = path.replace("{externalId}", _quoted(ask.player))
        if isinstance(key, str):
            headers["idempotency-key"] = key
        raw = b""
        if operation.takes_body:
            raw = json.dumps(body, ensure_ascii=not _is_text(body), separators=(",", ":")).encode()
            headers["content-type"] = "application/json"
        written = urlencode(query, errors="surrogatepass")
        return Request(operation.method, path, written, headers, raw, "127.0.0.1")


def _is_text(value: Any) -> bool:  # noqa: ANN401 - JSON
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _plain(value: Any) -> Any:  # noqa: ANN401 - any argument
    if isinstance(value, Timestamp):
        return value.wire
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if attrs.has(type(value)):
        members = {camel(field.name): getattr(value, field.name) for field in attrs.fields(type(value))}
        return {name: _plain(member) for name, member in members.items() if member is not ABSENT}
    return value


def _in_query(value: Any) -> str:  # noqa: ANN401 - any argument
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
