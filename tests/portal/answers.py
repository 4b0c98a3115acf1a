"""Answers of the operators' surface by their shapes: with everything that they may hold, and without each part of it.

`completed` gives every optional member of an answer a value and every list an item. `changes` are the ways in which such an
answer may differ: a member left out, null, empty, or with another value of its enumeration.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

import attrs

from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request, Response
from livecore.api.table.operation import Document, EventStream, Operation
from livecore.kernel.errors import camel
from livecore.kernel.storage.records import evolve
from livecore.kernel.wire import encode
from livecore.kernel.wire.shapes import Absent
from livecore.webhooks.samples import placeholder
from livecore.world import World
from livecore_server.portal.asking import Said

_EACH: Final = "[]"
"""The step of a path into every item of a list."""
_DROPPED: Final = object()
_OPERATIONS: Final = [
    (re.compile(re.sub(r"\{\w+\}", "[^/]+", one.path)), one)
    for one in sorted(OPERATIONS, key=lambda one: len(one.variables))
    if one.surface == "admin" and not {Document, EventStream} & set(one.answers.values())
]


@attrs.frozen
class Change:
    """What is different at one place of an operation's answer."""

    operation: str
    path: tuple[str, ...]
    manner: str
    value: object = attrs.field(repr=False, hash=False, eq=False)

    def __str__(self) -> str:
        """For people."""
        return f"{self.operation} with {'.'.join(self.path)} {self.manner}"

    def made(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        """The answer's data after the change."""
        changed = deepcopy(data)
        for holder in _at(changed, self.path[:-1]):
            if self.path[-1] not in holder:
                continue
            if self.value is _DROPPED:
                del holder[self.path[-1]]
            else:
                holder[self.path[-1]] = self.value
        return changed


def _at(data: Any, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The objects at the end of a path."""
    if not path:
        yield from [data] if isinstance(data, dict) else []
    elif path[0] == _EACH:
        for item in data if isinstance(data, list) else ():
            yield from _at(item, path[1:])
    elif isinstance(data, dict):
        yield from _at(data.get(path[0]), path[1:])


@attrs.frozen
class _Kind:
    """A type of a field: what it is besides being left out or null."""

    kind: Any
    optional: bool = False
    nullable: bool = False

    @classmethod
    def of(cls, kind: Any, *, optional: bool = False, nullable: bool = False) -> _Kind:  # noqa: ANN401 - any type
        """A type, unwrapped."""
        if get_origin(kind) is Annotated:
            return cls.of(get_args(kind)[0], optional=optional, nullable=nullable)
        if get_origin(kind) in {Union, UnionType}:
            parts = get_args(kind)
            (inner,) = (part for part in parts if part is not NoneType and part is not Absent)
            return cls.of(inner, optional=optional or Absent in parts, nullable=nullable or NoneType in parts)
        return cls(kind, optional, nullable)

    @property
    def item(self) -> _Kind | None:
        """The type of the items of a list."""
        return _Kind.of(get_args(self.kind)[0]) if get_origin(self.kind) is tuple else None

    @property
    def values(self) -> tuple[object, ...]:
        """The values of an enumeration."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def fields(self) -> Mapping[str, tuple[str, _Kind]]:
        """The members of an object by their names on the wire, each with its name in Python."""
        if not attrs.has(self.kind):
            return {}
        attrs.resolve_types(self.kind, include_extras=True)
        return {camel(one.name): (one.name, _Kind.of(one.type)) for one in attrs.fields(self.kind)}


def _shape_of(operation: Operation) -> _Kind:
    return _Kind.of(operation.answers[operation.status])


def completed(operation: Operation, data: Any) -> Any:  # noqa: ANN401 - JSON
    """An answer's data with a value for every member that is left out or null, and with an item in every list."""
    return _completed("data", _shape_of(operation), data)


def _completed(name: str, kind: _Kind, data: Any) -> Any:  # noqa: ANN401 - JSON
    if kind.item is not None:
        items = data or [None]
        return [_completed(name, kind.item, item) for item in items]
    if attrs.has(kind.kind):
        found = data or {}
        return {member: _completed(python, inner, found.get(member)) for member, (python, inner) in kind.fields.items()}
    return encode(placeholder(name, kind.kind)) if data is None else data


def changes(operation: Operation) -> Iterator[Change]:
    """Every change that the shape of an operation's answer allows, but those of the place in a list."""
    yield from _changes(operation.name, (), _shape_of(operation))


def _changes(operation: str, path: tuple[str, ...], kind: _Kind) -> Iterator[Change]:
    if kind.item is not None:
        yield from _changes(operation, (*path, _EACH), kind.item)
    for name, (_, inner) in kind.fields.items():
        here = (*path, name)
        if name == "nextCursor":
            continue
        if inner.optional:
            yield Change(operation, here, "left out", _DROPPED)
        if inner.nullable:
            yield Change(operation, here, "null", None)
        if inner.item is not None:
            yield Change(operation, here, "empty", [])
        yield from (Change(operation, here, f"as {value!r}", value) for value in inner.values)
        yield from _changes(operation, here, inner)


_LONG: Final = 200
"""From this limit on a page wants all rows; of a shorter list the answers have two."""
_OPERATION: Final = "X-Operation"
"""The header by which an answer says whose it is."""


class _Read(dict[str, Any]):
    """An object that notes which members are read; whoever walks through all of them reads all."""

    def __init__(self, data: Mapping[str, Any], path: tuple[str, ...], read: set[tuple[str, ...]]) -> None:
        super().__init__({name: _noting(value, (*path, name), read) for name, value in data.items()})
        self._path = path
        self._noted = read

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - JSON
        self._noted.add((*self._path, name))
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - JSON
        """As that of an object."""
        return super().get(name, default) if name in self else default

    def __contains__(self, name: object) -> bool:
        self._noted.add((*self._path, str(name)))
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self._noted.update((*self._path, name) for name in super().__iter__())
        return super().__iter__()

    def items(self) -> Any:  # noqa: ANN401 - that of an object
        """As that of an object."""
        list(self)
        return super().items()


def _noting(value: Any, path: tuple[str, ...], read: set[tuple[str, ...]]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return _Read(value, path, read)
    return [_noting(item, (*path, _EACH), read) for item in value] if isinstance(value, list) else value


@attrs.define
class Answers:
    """Answers a portal from what a world has answered before, completed and then changed in one place."""

    world: World
    asked: dict[str, Operation] = attrs.field(factory=dict)
    """The operations that were asked since this was emptied."""
    read: set[tuple[str, ...]] = attrs.field(factory=set)
    """The places that were read since this was emptied, each with its operation's name first."""
    change: Change | None = None
    """What is different in every answer of its operation."""
    bare: bool = False
    """Whether all that may be left out or null is so at once."""
    _kept: dict[tuple[str, str, str, bytes], tuple[Operation | None, Response, Any]] = attrs.field(factory=dict)

    def said(self, data: Any, headers: tuple[tuple[str, str], ...]) -> Said:  # noqa: ANN401 - JSON
        """In place of `Said`: notes what a page reads of it."""
        name = dict(headers).get(_OPERATION)
        return Said(data if name is None else _noting(data, (name,), self.read), headers)

    def changes(self) -> list[Change]:
        """The changes of what was asked that touch a place that was read."""
        return [one for each in self.asked.values() for one in changes(each) if (one.operation, *one.path) in self.read]

    async def ask(self, request: Request) -> Response:
        """The answer to a request."""
        key = (request.method, request.path, request.query, request.body)
        if key not in self._kept:
            self._kept[key] = self._answer(request)
        operation, response, data = self._kept[key]
        if operation is None:
            return response
        self.asked[operation.name] = operation
        if self.bare:
            data = _bare(_shape_of(operation), data)
        elif self.change is not None and self.change.operation == operation.name:
            data = self.change.made(data)
        return Response(response.status, response.headers, json.dumps({"data": data}).encode())

    def _answer(self, request: Request) -> tuple[Operation | None, Response, Any]:
        query = dict(parse_qsl(request.query))
        further = query.pop("cursor", None) is not None
        if int(query.get("limit", _LONG)) < _LONG:
            query["limit"] = "2"
        response = self.world.handle(evolve(request, query=urlencode(query)))
        found = (one for path, one in _OPERATIONS if path.fullmatch(request.path) and one.method == request.method)
        operation = next(found, None)
        if operation is None or response.status != operation.status:
            return None, response, None
        data = completed(operation, json.loads(response.body)["data"])
        if further:
            data["nextCursor"] = None
        headers = (*response.headers, (_OPERATION, operation.name))
        return operation, Response(response.status, headers, b""), data


def _bare(kind: _Kind, data: Any) -> Any:  # noqa: ANN401 - JSON
    """The data without anything that may be left out, and with null for whatever may be null."""
    if kind.item is not None:
        return [_bare(kind.item, item) for item in data]
    if not attrs.has(kind.kind):
        return data
    return {
        name: None if inner.nullable else _bare(inner, data[name])
        for name, (_, inner) in kind.fields.items()
        if not inner.optional
    }
