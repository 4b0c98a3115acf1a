"""Headers that decide something and are given twice: the request is refused, because its readers might take either.

A proxy, a log and the server read a request one after the other. Where a header stands twice, one of them takes the first
and another the last, so that a request is let through for one caller and acted on for another. aiohttp itself refuses a
second `Host`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from multidict import MultiMapping, istr

from livecore.kernel.errors import ValidationFailed

_AUTHORIZATION: Final = istr("Authorization")
_OF_ONE_VALUE: Final = tuple(
    map(istr, ("X-Player-Secret", "Idempotency-Key", "Content-Type", "Origin", "Sec-Fetch-Site", "Last-Event-ID"))
)


def repeated_header(headers: MultiMapping[str], further: Iterable[str] = ()) -> ValidationFailed | None:
    """The refusal of a request whose caller, player or effect can be read in two ways, or `None`.

    A second `Authorization` is refused whatever it says, the others where the values differ; `further` are names of others.
    """
    if len(headers.getall(_AUTHORIZATION, ())) > 1:
        return _refused(_AUTHORIZATION)
    for name in (*_OF_ONE_VALUE, *further):
        given = headers.getall(name, ())
        if len(given) > 1 and len(set(given)) > 1:
            return _refused(name)
    return None


def _refused(name: str) -> ValidationFailed:
    return ValidationFailed({str(name): "must be given once"}, f"The header {name} is given more than once.")
