"""What `try_call` answers: a status with a row or with the refusal, so that a refusal is a value and no exception.

A mistake of the program is not a refusal. It raises in any case, so that no simulation counts it as something that happens
to players.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, Final

import attrs

from livecore.api.requests.typed import Reply
from livecore.api.table.operation import Operation
from livecore.errors.families import ApiError
from livecore.kernel.errors import Json
from livecore.kernel.quoting import listed, quoted
from livecore.kernel.wire import encode
from livecore.kernel.wire.shapes import ABSENT
from livecore.world.checks import hint
from livecore.world.refusals import refused_by

_MISTAKES: Final = frozenset(
    {"validation_failed", "malformed_json", "body_too_large", "route_not_found", "method_not_allowed"}
)
"""The codes of requests that are wrong in themselves, whatever the state of the game."""


@attrs.frozen
class CallResult:
    """The outcome of a call: what the service answered, or why it refused.

    `status` is the one of HTTP: it tells an attempt that was resumed (200) from one that was made (201).
    """

    status: int
    row: Any = None
    """The answer as the row that a client reads; `None` where the service refused."""
    refusal: ApiError | None = None
    """What `call` would have raised."""

    @property
    def ok(self) -> bool:
        """Whether the service did what was asked."""
        return self.refusal is None

    @property
    def code(self) -> str | None:
        """The code of the refusal, such as `gift_cooldown`; `None` where there is none."""
        return None if self.refusal is None else self.refusal.code

    @cached_property
    def data(self) -> Json:
        """The answer's data as JSON, made when it is first asked for; `None` where the service refused."""
        return encode(self.row) if attrs.has(type(self.row)) else self.row

    def unwrap(self) -> Any:  # noqa: ANN401 - the row of the operation's answer
        """The row. Raises the refusal, if there is one."""
        if self.refusal is not None:
            raise self.refusal
        return self.row


def result_of(reply: Reply) -> CallResult:
    """The outcome that a reply tells. Raises for a mistake of the program."""
    if reply.refusal is None:
        return CallResult(reply.status, reply.row)
    refusal = refused_by(reply.refusal)
    if refusal.code in _MISTAKES:
        raise refusal
    return CallResult(reply.status, refusal=refusal)


def shape_of(operation: Operation, given: Mapping[str, object]) -> object:
    """The arguments of an operation as its shape; what their values may be is checked by the service.

    Raises `TypeError` that names arguments that it does not have or that are missing.
    """
    fields, required = _fields(operation)
    for name in given:
        if name not in fields:
            raise TypeError(f"{operation.name} has no {quoted(name)}{hint(name, tuple(fields) or ('none',))}")
    members = {name: member for name, member in given.items() if member is not ABSENT}
    if missing := [name for name in required if name not in members]:
        raise TypeError(f"{operation.name} needs {listed(missing, len(missing))}")
    return operation.args(**members)


def has_field(operation: Operation, name: str) -> bool:
    """Whether the shape of an operation's arguments has a field."""
    return name in _fields(operation)[0]


@cache
def _fields(operation: Operation) -> tuple[dict[str, None], tuple[str, ...]]:
    """The names of a shape's fields, and those that have no default."""
    fields = attrs.fields(operation.args)
    required = tuple(field.name for field in fields if field.default is attrs.NOTHING)
    return dict.fromkeys(field.name for field in fields), required
