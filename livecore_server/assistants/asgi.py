"""Runs an ASGI application for one request whose body is there, and gathers its response.

The SDK's transport is an ASGI application. It gets only the headers that concern it, so it never sees a credential.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, TypeAlias

from livecore.api.requests.http import Response

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]


async def ask_asgi(
    application: Application, headers: Iterable[tuple[str, str]], body: bytes, state: dict[str, Any]
) -> Response:
    """The response of an application to a POST; `state` is at hand in its scope."""
    scope: Message = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/",
        "raw_path": b"/",
        "root_path": "",
        "query_string": b"",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("utf-8", "surrogateescape")) for name, value in headers
        ],
        "client": None,
        "server": None,
        "state": state,
    }
    received = [{"type": "http.request", "body": body, "more_body": False}]
    started: list[Message] = []
    parts: list[bytes] = []

    async def receive() -> Message:
        if not received:
            # The caller stays until there is an answer.
            await asyncio.Event().wait()
        return received.pop()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
        else:
            parts.append(message.get("body", b""))

    await application(scope, receive, send)
    head = started[0]
    given = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.get("headers", ()))
    return Response(head["status"], given, b"".join(parts))
