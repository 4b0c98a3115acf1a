"""A transport without a network: an httpx client calls an application in the same process.

    world = World(config)
    client = SdkClient(
        base_url="http://game.local",
        api_key=world.keys["client"],
        external_player_id="anna",
        transport=LocalTransport(world),
    )

Requests and responses are the same values that the server passes in and sends, so a client gets the same answers as over
HTTP, errors and headers included.
"""

from __future__ import annotations

from typing import Protocol

import httpx

from livecore.api.requests.http import Request, Response

__all__ = ["Answers", "LocalTransport"]


class Answers(Protocol):
    """The part of an application, or of a world, that the transport uses."""

    def handle(self, request: Request) -> Response:
        """Answer one request."""


class LocalTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Passes each request of a client, of either flavour, to `application`; `remote` is the address of the caller.

    A request is answered on the caller's own thread or task, before anything else runs.
    """

    def __init__(self, application: Answers, *, remote: str = "127.0.0.1") -> None:
        self._application = application
        self._remote = remote

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of a synchronous client."""
        return self._answer(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of an asynchronous client."""
        return self._answer(request, await request.aread())

    def _answer(self, request: httpx.Request, body: bytes) -> httpx.Response:
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        answer = self._application.handle(
            Request(
                method=request.method,
                path=path,
                query=query,
                headers={name.lower(): value for name, value in request.headers.items()},
                body=body,
                remote=self._remote,
            )
        )
        return httpx.Response(answer.status, headers=list(answer.headers), content=answer.body, request=request)
