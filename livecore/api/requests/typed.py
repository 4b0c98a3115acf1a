"""A request whose arguments are a shape that the program itself has built, without an address and a body.

`Application` answers it like every other `Request`: only reading the arguments and writing the answer differ. What the shape
would be on the way is made where it is needed: if it is not exactly what a reader would give, or if the request has an
idempotency key, because the fingerprint covers the body.
"""

from __future__ import annotations

import json
from functools import lru_cache
from math import isfinite
from typing import Any, Final
from urllib.parse import urlencode

import attrs

from livecore.api.requests.http import Request, Response
from livecore.api.requests.strict_json import DEEPEST, read_json
from livecore.api.table.operation import Location, Operation
from livecore.kernel.errors import JsonObject, Refusal, camel
from livecore.kernel.time import MAX_MILLIS, Timestamp
from livecore.kernel.values import value
from livecore.kernel.wire.exact import MOST_BYTES_OF_INTEGER, is_exact_request, most_bytes_of, owned
from livecore.kernel.wire.shapes import ABSENT

_KEY: Final = "idempotency_key"
_FEW_VALUES: Final = 5_000
"""So many values are allowed in every body."""
_SURE_DEPTH: Final = DEEPEST - 4
_MOST_PLAIN_FLOAT: Final = 2.0**53
_MOST_PLAIN_INTEGER: Final = 10**39
_QUERY_BYTES_OF_CHARACTER: Final = 12
_MOST_PLAIN_QUERY: Final = 4_096


@value
class Reply(Response):
    """The answer to a typed request: a row, or the refusal, in place of a body."""

    row: Any = None
    refusal: Refusal | None = None


@value
class TypedRequest(Request):
    """A request with its arguments as the operation's shape; `values` are those of the path's variables, as texts.

    A field that has its default is not sent, as the clients leave it out.
    """

    operation: Operation = attrs.field(kw_only=True)
    values: tuple[str, ...] = attrs.field(kw_only=True)
    given: Any = attrs.field(kw_only=True, repr=False)
    _exact: bool | None = attrs.field(init=False, default=None, repr=False)
    _members: dict[str, Any] | None = attrs.field(init=False, default=None, repr=False)

    @property
    def exact(self) -> bool:
        """Whether a reader would give this very shape, and its body has an allowed size."""
        exact = self._exact
        if exact is None:
            exact = self._exact = _is_exact(self.operation, self.given)  # type: ignore[misc] # found out once
        return exact

    def owned(self) -> Any:  # noqa: ANN401 - shapes have no common type
        """The arguments, independent of what the caller may change later; they must be exact."""
        take = owned(self.operation.args)
        return self.given if take is None else take(self.given)

    def too_large(self) -> bool:
        """Whether the body would have more bytes than the operation allows."""
        most = self.operation.most_body_bytes
        if self.exact or not self.operation.takes_body:
            return False
        members = self._sent_in_body()
        if _most_bytes(members, 0) <= most:
            return False
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        return len(text.encode("utf-8", "surrogatepass")) > most

    def read_body(self) -> JsonObject:
        """The body as a reader would give it. Raises `MalformedJson`."""
        members = self._sent_in_body()
        try:
            reading = _Reading()
            return {name: reading.read(member, 1) for name, member in members.items()}
        except _Unusual:
            # Whatever JSON says about it: the reader of bodies decides.
            body = read_json(json.dumps(members).encode(), most_values=self.operation.most_body_values)
            assert isinstance(body, dict)  # noqa: S101 - it was written from one
            return body

    def written_query(self) -> str:
        """The query as a client would write it."""
        sent: dict[str, str] = {}
        for name, location, _, member in _sent(self.operation, self.given):
            if location == "query" and name != "idempotencyKey" and member is not None:
                sent[name] = _query_text(member)
        # Whoever reads it refuses what no text can hold.
        return "&".join(filter(None, (self.query, urlencode(sent, errors="surrogatepass"))))

    def _sent_in_body(self) -> dict[str, Any]:
        if self._members is None:
            sent = _sent(self.operation, self.given) if self.operation.takes_body else []
            self._members = {  # type: ignore[misc] # found out once
                name: _written(member, name)
                for name, location, required, member in sent
                if location == "body" and (name != "idempotencyKey" or required or not isinstance(member, str))
            }
        return self._members


@lru_cache(maxsize=512)
def _fields(operation: Operation) -> tuple[tuple[str, str, Location, object], ...]:
    """Each field of the arguments: its name, its name on the wire, its location and its default."""
    fields = attrs.fields(operation.args)
    return tuple((field.name, camel(field.name), operation.location_of(field.name), field.default) for field in fields)


def _sent(operation: Operation, given: object) -> list[tuple[str, Location, bool, Any]]:
    """What is sent beside the path: name on the wire, location, whether it is required, and value."""
    found: list[tuple[str, Location, bool, Any]] = []
    for name, wire_name, location, default in _fields(operation):
        member = getattr(given, name)
        if location != "path" and member is not ABSENT and not bool(member == default):
            found.append((wire_name, location, default is attrs.NOTHING, member))
    return found


@lru_cache(maxsize=512)
def _plan(operation: Operation) -> tuple[bool, tuple[str, ...]]:
    """Whether every exact shape is small enough for a body, and the fields in the query."""
    small = not operation.takes_body or most_bytes_of(operation.args) <= operation.most_body_bytes
    return small, tuple(name for name, _, location, _ in _fields(operation) if location == "query")


def _is_exact(operation: Operation, given: object) -> bool:
    if not is_exact_request(operation.args)(given):
        return False
    small, in_query = _plan(operation)
    if in_query:
        texts = [member for member in (getattr(given, name) for name in in_query) if isinstance(member, str)]
        if sum(map(len, texts)) * _QUERY_BYTES_OF_CHARACTER > _MOST_PLAIN_QUERY:
            return False
    return small or _most_bytes(_written(given, ""), 0) <= operation.most_body_bytes


# -- the wire's form ------------------------------------------------------------------------------------------------------


class _Unusual(Exception):
    """A value that JSON may write otherwise, or not at all."""


class _Reading:
    """Makes of written values what a reader of their JSON would give."""

    def __init__(self) -> None:
        self._values = 1

    def read(self, member: Any, depth: int) -> Any:  # noqa: ANN401 - JSON
        """The value that a reader would give, if that is certain. Raises `_Unusual`."""
        self._values += 1
        if self._values > _FEW_VALUES or depth > _SURE_DEPTH:
            raise _Unusual
        kind = type(member)
        if kind is str:
            if not member.isascii() and any("\ud800" <= character <= "\udfff" for character in member):
                raise _Unusual
            return member
        if kind is bool or member is None:
            return member
        if kind is int and -_MOST_PLAIN_INTEGER < member < _MOST_PLAIN_INTEGER:
            return member
        if kind is float and isfinite(member):
            return int(member) if member.is_integer() and abs(member) <= _MOST_PLAIN_FLOAT else member
        if kind is list:
            return [self.read(one, depth + 1) for one in member]
        if kind is dict and all(type(name) is str for name in member):
            return {self.read(name, depth): self.read(one, depth + 1) for name, one in member.items()}
        raise _Unusual


def _written(member: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    """A value as plain data with the wire's names. Raises `TypeError` for what is no JSON value, with its path."""
    kind = type(member)
    if kind in (str, int, bool, float) or member is None:
        return member
    if isinstance(member, Timestamp):
        if 0 <= member <= MAX_MILLIS:
            return member.wire
        raise TypeError(f"{path} is not an instant that the calendar has: {int(member)}")
    if isinstance(member, list | tuple):
        return [_written(one, f"{path}[{at}]") for at, one in enumerate(member)]
    if isinstance(member, dict):
        return {name: _written(one, f"{path}.{name}") for name, one in member.items()}
    if attrs.has(kind):
        fields: dict[str, Any] = {}
        for field in attrs.fields(kind):
            one, name = getattr(member, field.name), camel(field.name)
            if one is not ABSENT:
                fields[name] = _written(one, f"{path}.{name}" if path else name)
        return fields
    if isinstance(member, str | int | float):
        return member
    raise TypeError(f"{path} must be a value that JSON can hold, not {kind.__name__}")


def _query_text(member: Any) -> str:  # noqa: ANN401 - JSON
    member = _written(member, "")
    if isinstance(member, bool):
        return "true" if member else "false"
    if isinstance(member, list):
        return ",".join(map(str, member))
    return str(member)


def _most_bytes(member: Any, depth: int) -> int:  # noqa: ANN401 - JSON
    """How many bytes of JSON a written value has at most; a guess that is too large where it nests deep."""
    if isinstance(member, str):
        return 6 * len(member) + 2
    if isinstance(member, dict) and depth < DEEPEST:
        return 2 + sum(_most_bytes(str(name), 0) + 2 + _most_bytes(one, depth + 1) for name, one in member.items())
    if isinstance(member, list) and depth < DEEPEST:
        return 2 + sum(1 + _most_bytes(one, depth + 1) for one in member)
    if isinstance(member, int):
        return max(5, member.bit_length() // 3 + 2)
    return MOST_BYTES_OF_INTEGER if isinstance(member, float) or member is None else 2**31
