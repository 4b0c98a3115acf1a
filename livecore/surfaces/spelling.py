"""Spells the names in a refusal's message as the caller's program does: `external_player_id` for `externalPlayerId`.

The service answers callers in any language, so it uses the wire's names. Which of them are arguments, and which are names of
the game's own things, the operation's shapes say. `details` stay as on the wire.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, get_args, get_origin

import attrs

from livecore.errors.families import ApiError, all_of, names_first
from livecore.kernel.errors import camel
from livecore.kernel.wire.parts import composed
from livecore.kernel.wire.shapes import ReadLater

__all__ = ["spell"]

_STEP: Final = re.compile(r"\[\d+\]|[^.\[]+|\.")
_NAME: Final = re.compile(r"""(?<![\w'"./-])[a-z][a-z0-9]*[A-Z]\w*(?![\w'"/-])""")
"""A name in the wire's spelling; one in quotation marks is a value."""
_OF_THE_ROUTE: Final[Mapping[str, str]] = {"externalId": "external_player_id", "Idempotency-Key": "idempotency_key"}


def spell(refused: ApiError, arguments: type, answer: type) -> None:
    """Reword the message of a refusal in Python's names, and name every field of a failed validation, up to twenty.

    `arguments` and `answer` are the shapes of the operation that was refused.
    """
    fields = refused.details.get("fields")
    message = refused.message
    if isinstance(fields, dict) and fields and names_first(message, fields):
        spelled = {_path(arguments, path): reason for path, reason in fields.items()}
        refused.reword(_in_python(all_of(spelled), arguments, answer))
    else:
        refused.message = _in_python(message, arguments, answer)


def _in_python(message: str, arguments: type, answer: type) -> str:
    names = {**_names(answer), **_names(arguments), **_OF_THE_ROUTE}
    return _NAME.sub(lambda found: names.get(found[0], found[0]), message)


@lru_cache(maxsize=1024)
def _names(shape: type) -> Mapping[str, str]:
    """The names of the fields of a shape and of all that it is made of, by their spelling on the wire."""
    return {camel(name): name for name in _fields_in(shape, set())}


def _fields_in(kind: Any, known: set[object]) -> Iterator[str]:  # noqa: ANN401 - type expressions have no common type
    for part in (*get_args(kind), *(rule.kind for rule in _rules(kind) if isinstance(rule, ReadLater))):
        yield from _fields_in(part, known)
    if isinstance(kind, type) and attrs.has(kind) and kind not in known:
        known.add(kind)
        kind = composed(kind)
        attrs.resolve_types(kind, include_extras=True)
        for field in attrs.fields(kind):
            yield field.name
            yield from _fields_in(field.type, known)


def _rules(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as above
    return get_args(kind)[1:] if get_origin(kind) is Annotated else ()


# -- paths ----------------------------------------------------------------------------------------------------------------


def _path(shape: Any, path: str) -> str:  # noqa: ANN401 - as above
    """A path such as `entries[0].resourceKey` in Python's spelling; the names in free-form objects stay."""
    if path in _OF_THE_ROUTE:
        return _OF_THE_ROUTE[path]
    kind, spelled = shape, []
    for step in _STEP.findall(path):
        if step == "." or step.startswith("["):
            spelled.append(step)
            continue
        names = {camel(field.name): field for field in _fields_of(kind)}
        spelled.append(names[step].name if step in names else step)
        kind = names[step].type if step in names else None
    return "".join(spelled)


def _fields_of(kind: Any) -> tuple[attrs.Attribute[Any], ...]:  # noqa: ANN401 - as above
    """The fields of the shape that a type is, or has as members."""
    if isinstance(kind, type) and attrs.has(kind):
        kind = composed(kind)
        attrs.resolve_types(kind, include_extras=True)
        fields: tuple[attrs.Attribute[Any], ...] = attrs.fields(kind)
        return fields
    if get_origin(kind) is dict:
        return ()
    inner = (*(rule.kind for rule in _rules(kind) if isinstance(rule, ReadLater)), *get_args(kind))
    return next(filter(None, map(_fields_of, inner)), ())
