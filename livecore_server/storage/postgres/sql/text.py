"""Values as PostgreSQL reads and writes them in text: the forms of parameters and results.

PostgreSQL's text holds every character but one, U+0000. So that what one store keeps another keeps too, U+0000 and U+0001
are written as two characters each, the first of them U+0001: every text has one form, and the forms have the order of the
texts. Both are so rare that nobody will meet one in a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.kernel.storage.tables import Value


def encoded(text: str) -> bytes:
    """A text as a parameter."""
    data = text.encode()
    return _escaped(data) if b"\0" in data or b"\1" in data else data


def _escaped(data: bytes) -> bytes:
    return data.replace(b"\1", b"\1\2").replace(b"\0", b"\1\1")


def decoded(data: bytes) -> str:
    """A text from a result."""
    return unescaped(data.decode())


def unescaped(text: str) -> str:
    """A text as it was before it was stored."""
    return text.replace("\1\1", "\0").replace("\1\2", "\1") if "\1" in text else text


def literal_text(text: str) -> str:
    """A text as it is stored, still as a text."""
    return encoded(text).decode()


def parameter(value: Value) -> bytes | None:
    """Any column's value as a parameter."""
    if isinstance(value, str):
        return encoded(value)
    if value is None:
        return None
    if value is True:
        return b"t"
    return b"f" if value is False else b"%d" % value


def array(kind: str, values: Sequence[Any]) -> bytes:
    """The values of a column of this kind as one parameter that is an array."""
    if kind == "integer":
        return ("{" + ",".join("NULL" if value is None else str(value) for value in values) + "}").encode()
    if kind == "boolean":
        return b"{" + b",".join(_FLAGS[value] for value in values) + b"}"
    if None not in values:
        joined = "".join(values)
        if not any(mark in joined for mark in _MARKS):
            return ('{"' + '","'.join(values) + '"}').encode()
    return b"{" + b",".join(map(_element, values)) + b"}"


_MARKS: Final = ('"', "\\", "\0", "\1")
_FLAGS: Final = {True: b"t", False: b"f", None: b"NULL"}


def _element(value: str | None) -> bytes:
    if value is None:
        return b"NULL"
    return b'"' + encoded(value).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
