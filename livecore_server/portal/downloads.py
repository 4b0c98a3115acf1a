"""A file that a member downloads: an answer whose lists are read on to their end, written while it is read.

Reading takes a page at a time, and writing a page happens in a thread, so that a long file keeps nobody waiting and is never
held as a whole. The name of each list is followed by its rows, one a line; what says whether a list is complete comes last.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

import orjson

from livecore.api.requests.http import Response
from livecore_server.http.pieces import BrokenOff, PiecedResponse
from livecore_server.portal.asking import Data, Refused
from livecore_server.portal.headers import CONTENT_SECURITY_POLICY, SECURITY_HEADERS
from livecore_server.portal.here import Here

_MOST_READS: Final = 200
"""How often a file is read on; each time there are up to a thousand rows."""
_MOST_WAITS: Final = 5
"""How often a file waits until the member may read again."""
_LAST: Final = ("truncated", "cursors")


async def download(here: Here, operation: str, name: str) -> Response:
    """The answer of an operation as a file, whose lists are read on within bounds. Raises `Refused`."""
    answer = await here.read(operation)
    headers = (
        ("Content-Type", "application/json"),
        ("Content-Disposition", f'attachment; filename="{name}"'),
        ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
        ("Cache-Control", "no-store"),
        *SECURITY_HEADERS,
    )
    pieces = _pieces(here, operation, answer)
    if any(answer["truncated"].values()):
        return PiecedResponse(200, headers, pieces=pieces)
    return Response(200, headers, b"".join([piece async for piece in pieces]))


async def _pieces(here: Here, operation: str, answer: Data) -> AsyncGenerator[bytes, None]:
    reads = _MOST_READS
    before = b"{"
    for name in (*(name for name in answer if name not in _LAST), *_LAST):
        head = before + b"\n  " + orjson.dumps(name) + b": "
        before = b","
        if not isinstance(answer[name], list):
            yield head + await asyncio.to_thread(_written, answer[name])
            continue
        yield head + b"[" + await asyncio.to_thread(_lines, answer.pop(name), first=True)
        while answer["truncated"].get(name) and reads:
            reads -= 1
            try:
                further = await _read_on(here, operation, {"list": name, "cursor": answer["cursors"][name]})
            except Refused as refused:
                raise BrokenOff(f"{operation}: {refused}") from refused
            yield await asyncio.to_thread(_lines, further[name], first=False)
            for said in _LAST:
                answer[said][name] = further[said][name]
        yield b"]"
    yield b"\n}\n"


async def _read_on(here: Here, operation: str, query: dict[str, str]) -> Data:
    """The next page; waits where the member has read too much in a short time. Raises `Refused`."""
    for _ in range(_MOST_WAITS):
        try:
            return await here.read(operation, query=query)
        except Refused as refused:
            if refused.status != 429 or refused.retry_after is None:
                raise
            await asyncio.sleep(int(refused.retry_after))
    return await here.read(operation, query=query)


def _lines(rows: Sequence[Any], *, first: bool) -> bytes:
    if not rows:
        return b""
    text = b",".join(b"\n    " + _written(row) for row in rows)
    return text if first else b"," + text


def _written(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # Studios' own values may be numbers and texts that the quick writer does not write.
        return json.dumps(value).encode()
