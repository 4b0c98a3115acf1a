"""Members of a shape that others declare: the shape says that it takes parts, and does not know who adds one.

An event takes parts: `EventDefinition` has `takes_parts = True`. The lobbies add a member to it with
`LOBBY_RULES = FormatPart("lobby", LobbyRules)`, and read it with `LOBBY_RULES.of(definition)`: the rules, or `None`.

On the wire a part is an ordinary member, which may be left out or `null`. Reading, writing and schemas go by `composed`,
which is the shape with all its parts, in the order of their names. A program declares its parts before it reads
configurations, the same ones in every process.
"""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

import attrs

T = TypeVar("T")
LEFT_OUT: Final = "left out where it is empty"
_PARTS: Final[dict[type, dict[str, Part[Any]]]] = {}
_ORDERED: Final[dict[type, tuple[Part[Any], ...]]] = {}
_COMPOSED: Final[dict[type, type]] = {}


class Part(Generic[T]):
    """A member of `shape`, whose value is of the shape `kind`, or `None` where it is left out.

    An empty part is not written, so that a stored text can be read where nobody declares the part any more. With
    `written_empty` it is, as `null`.

    Raises `ValueError` where the shape has a member of this name, and `TypeError` where it takes no parts.
    """

    def __init__(self, shape: type, name: str, kind: type[T], *, written_empty: bool = False) -> None:
        if not takes_parts(shape):
            raise TypeError(f"{shape.__name__} takes no parts")
        self.shape = shape
        self.name = name
        self.kind = kind
        self.written_empty = written_empty
        self.declare()

    def declare(self) -> None:
        """Add the part to its shape, as making it has done. Raises `ValueError` where the shape has such a member."""
        if self.name in attrs.fields_dict(composed(self.shape)):
            raise ValueError(f"{self.shape.__name__} has a member {self.name!r}")
        _PARTS.setdefault(self.shape, {})[self.name] = self
        _changed(self.shape)

    def of(self, value: object) -> T | None:
        """This part of a value of the shape."""
        found: T | None = getattr(value, self.name, None)
        return found

    def withdraw(self) -> None:
        """Take the part from its shape again, as a test does with what it has declared."""
        del _PARTS[self.shape][self.name]
        _changed(self.shape)


def takes_parts(kind: object) -> bool:
    """Whether others may declare members of this shape. What `composed` gives has them all, and takes no further ones."""
    return bool(getattr(kind, "takes_parts", False))


def parts_of(shape: type) -> tuple[Part[Any], ...]:
    """The parts of a shape, in the order of their names."""
    found = _ORDERED.get(shape)
    if found is None:
        found = _ORDERED[shape] = tuple(part for _, part in sorted(_PARTS.get(shape, {}).items()))
    return found


def _changed(shape: type) -> None:
    _ORDERED.pop(shape, None)
    _COMPOSED.pop(shape, None)


def composed(kind: type[T]) -> type[T]:
    """The shape with its parts; a shape that takes none, and one that is composed already, is given back."""
    if not takes_parts(kind):
        return kind
    found = _COMPOSED.get(kind)
    if found is None:
        found = _COMPOSED[kind] = _compose(kind)
    return found


def _optional(kind: Any) -> Any:  # noqa: ANN401 - a type expression
    return kind | None


def _compose(kind: type) -> type:
    members = {
        part.name: attrs.field(default=None, type=_optional(part.kind), metadata={LEFT_OUT: not part.written_empty})
        for part in parts_of(kind)
    }
    # As `keyword_value` declares shapes.
    made = attrs.make_class(kind.__name__, members, bases=(kind,), kw_only=True, slots=True, eq=True, order=False)
    made.__doc__, made.__module__ = kind.__doc__, kind.__module__
    setattr(made, "takes_parts", False)  # noqa: B010 - a class made here has no declared attribute of this name
    return made
