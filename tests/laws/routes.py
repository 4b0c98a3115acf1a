"""The operations as the laws see them: how each is called and how it succeeds.

They come from the table in `tests/contract/operations`, which is written by hand from the specification. Nothing here is
read from the service's own table, so a route or a status that changes there is noticed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlencode

from livecore.api.requests.http import Request
from tests.contract import oracle
from tests.contract.expected import STREAM

Body: TypeAlias = dict[str, Any]
"""A JSON object as it was read."""
Arguments: TypeAlias = Mapping[str, Any]
"""A call's arguments by their names on the wire, whether they travel in path, query or body."""

# A stream has no one answer that a model could predict; its messages are compared with a sort in its own tests.
_EVERY: Final = {route.id: route for route in oracle.GUARDED if route.answers != STREAM}

_CALLED: Final = {**_EVERY, **{route.id: route for route in oracle.OPERATED if route.answers != STREAM}}

SUCCESSES: Final = {name: frozenset(route.statuses) for name, route in _EVERY.items()}
"""The statuses with which an operation can succeed."""

WRITES: Final = frozenset(name for name, route in _EVERY.items() if route.writes)
"""Operations that may change something."""

KEYED: Final = frozenset(name for name, route in _EVERY.items() if route.keyed)
"""Operations whose answer is kept under an idempotency key."""

REPEATABLE: Final = frozenset(name for name in WRITES if _EVERY[name].repeats != "new")
"""Operations for which a key is sent: with these, and those that derive their answer again."""


def method_of(name: str) -> str:
    """The HTTP method of an operation."""
    return _CALLED[name].method


def request_of(
    name: str, player: str, arguments: Arguments, headers: Mapping[str, str], environment: str | None = None
) -> Request:
    """The HTTP-shaped request of a call; operators name the environment."""
    route = _CALLED[name]
    values = {argument: quote(str(value), safe="") for argument, value in arguments.items()}
    path = route.path_with({**values, "externalId": quote(player, safe="")})
    rest = {argument: value for argument, value in arguments.items() if argument not in route.variables}
    in_query = {key: value for key, value in rest.items() if not route.takes_body or key in route.query.split()}
    in_body = {key: value for key, value in rest.items() if key not in in_query}
    in_environment = {} if environment is None else {"environment": environment}
    query = urlencode({key: _text(value) for key, value in (in_query | in_environment).items()})
    if not in_body:
        return Request(route.method, path, query, dict(headers), b"", "127.0.0.1")
    body = json.dumps(in_body).encode()
    return Request(route.method, path, query, {**headers, "content-type": "application/json"}, body, "127.0.0.1")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
