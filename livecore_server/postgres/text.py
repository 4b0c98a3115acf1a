"""Values as PostgreSQL reads and writes them in text: the forms of parameters and results.

PostgreSQL's text holds every character but one, U+0000. So that what one store keeps another keeps too, U+0000 and U+0001
are written as two characters each, the first of them U+0001: every text has one form, and the forms have the order of the
texts. Both are so rare that nobody will meet one in a table.
"""

from __future__ import annotations

from collections.abc import Iterable

from livecore.kernel.tables import Value

__all__ = ["array", "decoded", "encoded", "literal_text", "parameter"]


def encoded(text: str) -> bytes:
    """A text as a parameter."""
    data = text.encode()
    return _escaped(data) if b"\0" in data or b"\1" in data else data


def _escaped(data: bytes) -> bytes:
    return data.replace(b"\1", b"\1\2").replace(b"\0", b"\1\1")


def decoded(data: bytes) -> str:
    """A text from a result."""
    if b"\1" in data:
        data = data.replace(b"\1\1", b"\0").replace(b"\1\2", b"\1")
    return data.decode()


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


def array(values: Iterable[str]) -> bytes:
    """Texts as one parameter that is an array."""
    quoted = (encoded(value).replace(b"\\", b"\\\\").replace(b'"', b'\\"') for value in values)
    return b'{"' + b'","'.join(quoted) + b'"}'
