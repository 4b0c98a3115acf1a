"""Finds the operation of a method and a raw path, with the values of its path variables.

Static segments win over variables. If the static route does not have the method, the variable one is tried: a friend whose
id is `requests` can still be removed. Segments are percent-decoded one by one, so an encoded slash stays inside its
segment, where the shape of the variable refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import unquote

import attrs

from livecore.api.requests.http import Request
from livecore.api.requests.typed import TypedRequest
from livecore.api.table.operation import Operation
from livecore.kernel.errors import MethodNotAllowed, RouteNotFound

_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")


@attrs.define(slots=True)
class _Node:
    static: dict[str, _Node] = attrs.field(factory=dict)
    variable: _Node | None = None
    operations: dict[str, Operation] = attrs.field(factory=dict)


class Router:
    """Finds operations by method and path."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            node = self._root
            for segment in operation.path.strip("/").split("/"):
                node = self._step(node, segment)
            if operation.method in node.operations:
                raise ValueError(f"two operations answer {operation.method} {operation.path}")
            node.operations[operation.method] = operation

    @staticmethod
    def _step(node: _Node, segment: str) -> _Node:
        if not segment.startswith("{"):
            return node.static.setdefault(segment, _Node())
        if node.variable is None:
            node.variable = _Node()
        return node.variable

    def of(self, request: Request) -> tuple[Operation, tuple[str, ...]]:
        """The operation of a request and its variables' values; a typed one names them. Raises as `find`."""
        if not isinstance(request, TypedRequest):
            return self.find(request.method, request.path)
        if "" in request.values:
            # No path has an empty segment.
            raise RouteNotFound
        return request.operation, request.values

    def find(self, method: str, path: str) -> tuple[Operation, tuple[str, ...]]:
        """The operation and its variables' values. Raises `RouteNotFound` or `MethodNotAllowed`.

        The first search does not go back, which is enough for nearly every request.
        """
        segments = path[1:].split("/")
        node = self._root
        values: tuple[str, ...] = ()
        for segment in segments:
            following = node.static.get(segment)
            if following is None and segment:
                following = node.variable
                values += (segment,)
            if following is None:
                break
            node = following
        else:
            operation = node.operations.get(method)
            if operation is not None:
                return operation, tuple(map(_decoded, values)) if "%" in path else values
        return self._find_by_going_back(segments, method)

    def _find_by_going_back(self, segments: Sequence[str], method: str) -> tuple[Operation, tuple[str, ...]]:
        found = self._search(self._root, segments, 0, method)
        if found is not None:
            operation, values = found
            return operation, tuple(map(_decoded, values))
        allowed = sorted({other for other in _METHODS if self._search(self._root, segments, 0, other)})
        if not allowed:
            raise RouteNotFound
        refusal = MethodNotAllowed()
        refusal.headers["Allow"] = ", ".join(allowed)
        raise refusal

    def _search(
        self, node: _Node, segments: Sequence[str], at: int, method: str
    ) -> tuple[Operation, tuple[str, ...]] | None:
        if at == len(segments):
            operation = node.operations.get(method)
            return None if operation is None else (operation, ())
        following = node.static.get(segments[at])
        if following is not None:
            found = self._search(following, segments, at + 1, method)
            if found is not None:
                return found
        if node.variable is not None and segments[at]:
            found = self._search(node.variable, segments, at + 1, method)
            if found is not None:
                return found[0], (segments[at], *found[1])
        return None


def _decoded(segment: str) -> str:
    return unquote(segment, errors="surrogateescape") if "%" in segment else segment
