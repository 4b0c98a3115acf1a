"""The means by which every shape on the wire is declared: constraints and absence.

A shape is a frozen attrs class with Python names; its wire form has the same names in camelCase. Constraints are
`Annotated` metadata, so one declaration serves validation, the OpenAPI documents, the server's answers and the clients'
rows. Conversion is in `livecore.kernel.wire`, the JSON Schema of a shape in `livecore.kernel.wire.schema`.

    @shape
    class SendGift:
        amount: Annotated[int, Int()]
        message: Annotated[str, Text(0, 200)] | None = None
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import attrs

from livecore.kernel.errors import JsonObject

MAX_AMOUNT: Final = 2**53 - 1
"""The largest amount, balance or quantity: the largest integer that every JSON reader represents exactly."""


class _AbsentType(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


Absent: TypeAlias = Literal[_AbsentType.ABSENT]
ABSENT: Absent = _AbsentType.ABSENT
"""Marks an optional field that is left out; `None` means `null`."""


SHOWN: Final = object()
"""In an example: show the usual placeholder for this optional field, which an example otherwise leaves out."""


@attrs.frozen
class Text:
    """A string of `least` to `most` characters, in one line; `livecore.kernel.characters` says which are allowed."""

    least: int = 0
    most: int = 255
    pattern: str | None = None
    hint: str | None = None
    """The message for a text that does not match the pattern."""
    lines: bool = False
    """Whether it may have several lines and tabs."""
    name: bool = False
    """Whether it is a name that people see: stored in Unicode's composed form (NFC), with at least one visible character."""


@attrs.frozen
class Int:
    """An integer between two bounds, both inclusive; `clamp` moves a value outside them to the nearest bound.

    `least_new` is a higher lower bound for what is given from now on. Schemas show it, and whoever takes a value checks it;
    reading does not, because a smaller value may be stored since before there was this bound.
    """

    least: int = -MAX_AMOUNT
    most: int = MAX_AMOUNT
    clamp: bool = False
    not_zero: bool = False
    least_new: int | None = None


@attrs.frozen
class Items:
    """How many members a list may have; `unique` refuses the same member twice."""

    least: int = 0
    most: int = 1000
    unique: bool = False


@attrs.frozen
class Members:
    """How many members an object with free names may have."""

    least: int = 0
    most: int = 1000


@attrs.frozen
class Comma:
    """A query parameter that holds a list as text with commas."""


@attrs.frozen
class ObjectSize:
    """A free-form JSON object of at most `most_bytes` bytes as compact JSON."""

    most_bytes: int = 16 * 1024


@attrs.frozen
class ReadLater:
    """A value that is converted to `kind` only where it is used, so that one wrong value does not fail the whole request."""

    kind: type


@attrs.frozen
class NamesPlayer:
    """Marks a text that names a player; `livecore.kernel.wire.mentions` finds only fields with this mark."""

    by: Literal["player_id", "external_id"]
    """Whether it is the service's own id of the player or the studio's."""


def fields_of(shown: Any) -> dict[str, Any]:  # noqa: ANN401 - any shape
    """The fields of a shape with their values, to build another shape that has them too."""
    return {field.name: getattr(shown, field.name) for field in attrs.fields(type(shown))}


_NO_SLASH = r"[^/\x00-\x1f\x7f-\x9f]+"

ExternalPlayerId = Annotated[
    str,
    Text(
        1,
        128,
        rf"(?!\.{{1,2}}$)(?!__merged_|__deleted_){_NO_SLASH}",
        "must be 1 to 128 characters without '/' or control "
        "characters, not '.' or '..', and not begin with '__merged_' or '__deleted_'",
    ),
    NamesPlayer("external_id"),
]
"""The studio's own id of a player, compared byte for byte."""

ShownExternalId = Annotated[str, NamesPlayer("external_id")]
"""The studio's own id of a player, in answers and events."""

ShownPlayerId = Annotated[str, NamesPlayer("player_id")]
"""The service's own id of a player, in answers and events."""

Id = Annotated[str, Text(1, 64, r"[A-Za-z0-9_-]+", "must be an id")]
"""An id that the service made."""

Key = Annotated[
    str, Text(1, 64, r"[A-Za-z0-9][A-Za-z0-9_.:-]*", "must be 1 to 64 letters, digits, '_', '-', '.' or ':'")
]
"""The key of something that the game's configuration declares."""

DefinitionKey = Annotated[
    str, Text(1, 64, r"[a-z0-9_.-]+", "must be 1 to 64 of the characters a to z, 0 to 9, '_', '.' and '-'")
]
"""The key of an event, a leaderboard or a crate, or of a part of one."""

Amount = Annotated[int, Int(1, MAX_AMOUNT)]
"""A positive amount of a resource."""

Delta = Annotated[int, Int(not_zero=True)]
"""By how much an amount changes, up or down."""

Limit = Annotated[int, Int(1, 200)]
"""How many rows a list returns at most."""

if TYPE_CHECKING:
    Metadata = Annotated[JsonObject, ObjectSize()]
    Configuration = Annotated[JsonObject, ObjectSize(1024 * 1024)]
else:
    # A recursive alias is a text at run time, which cannot be resolved in the modules that declare shapes.
    Metadata = Annotated[dict[str, object], ObjectSize()]
    Configuration = Annotated[dict[str, object], ObjectSize(1024 * 1024)]
"""A free-form JSON object: `Metadata` has at most 16 KiB; `Configuration` is a game's, at most 1 MiB."""

Cursor = Annotated[str, Text(1, 512)]
"""An opaque place in a list, from the `nextCursor` of the page before."""

Reason = Annotated[str, Text(1, 500, lines=True)]
"""The reason for an action, for people, in one or several lines."""

IdempotencyKey = Annotated[str, Text(1, 255, r"[\x20-\x7e]+", "must be 1 to 255 printable ASCII characters")]
"""The caller's name for one attempt at a write; the same key with the same body has one effect and one answer."""
