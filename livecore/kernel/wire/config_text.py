"""Reads the text of a configuration file without ignoring anything in it.

Python's JSON reader keeps the last of several members with the same name, and accepts NaN. Here both are faults; a
duplicate name is reported with its path.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from livecore.kernel.errors import Json, ValidationFailed


class _Doubled(dict[str, Any]):
    """An object whose text has some names more than once: `names`."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.names = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Doubled(pairs)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def read_text(text: str) -> Json:
    """The JSON value of a text; `named_twice` finds duplicate names in it. Raises `ValidationFailed`.

    Some editors begin a file with a byte order mark, which says nothing where the text is read already.
    """
    try:
        data: Json = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_constant)
    except ValueError as fault:
        raise _not_json(str(fault)) from None
    except RecursionError:
        raise _not_json("it nests too deeply") from None
    return data


def named_twice(data: Json) -> dict[str, str]:
    """A fault for each name that occurs twice in an object of a value that `read_text` gave."""
    return dict.fromkeys(_doubled(data, ""), "is named twice in its object")


def _not_json(why: str) -> ValidationFailed:
    return ValidationFailed({"": f"is not JSON: {why}"}, f"The configuration is not JSON: {why}")


def _doubled(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value, _Doubled):
            yield from (f"{path}.{name}".lstrip(".") for name in value.names)
        for name, member in value.items():
            yield from _doubled(member, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _doubled(member, f"{path}[{index}]")
