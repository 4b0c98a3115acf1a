"""Sends a call until it is answered, with one idempotency key for all attempts, and pauses between them.

What clients that are made by `with_options` share with the one that they are made from is an `AsyncConnections`; what they
may have of their own is a `Settings` and the time-outs.

The log has the path of each attempt, which names players, and no key, secret, query, body, or header.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Collection, Mapping
from typing import Final, TypeVar

import httpx

from livecore.errors.families import ApiError, InvalidArgument, LivecoreError, UnreadableAnswer
from livecore.kernel.errors import Json
from livecore_client._async.connections import AsyncConnections
from livecore_client._events import SILENT_SECONDS
from livecore_client._exchange import Call, is_stream, read_answer, request_headers, request_url
from livecore_client._failures import ConfigurationError, TimedOut
from livecore_client._reasons import place_of, transport_failure
from livecore_client._responses import ResponseInfo, forget_response, keep_response, kept_response, response_info
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings

__all__ = ["AsyncCaller"]

T = TypeVar("T")
_IDEMPOTENCY_KEY: Final = re.compile(r"(?=.{1,255}\Z)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_LOG: Final = logging.getLogger("livecore_client")


class AsyncCaller:
    """Sends all calls of a client."""

    def __init__(
        self, settings: Settings, connections: AsyncConnections, *, derived_timeout: httpx.Timeout | None = None
    ) -> None:
        """A caller with `derived_timeout` uses another's connections, which it does not close."""
        self.settings = settings
        self._connections = connections
        self._is_derived = derived_timeout is not None
        self._timeout = derived_timeout or connections.http.timeout

    @property
    def external_player_id(self) -> str | None:
        """The player that the client acts for."""
        return self._connections.external_player_id

    @property
    def player_secret(self) -> str | None:
        """The secret of the player that the client acts for."""
        return self._connections.player_secret

    @player_secret.setter
    def player_secret(self, secret: str | None) -> None:
        self._connections.player_secret = secret

    @property
    def last_response(self) -> ResponseInfo | None:
        """What the answer to the last call of this thread or task said beside its data."""
        return kept_response(self._connections)

    def with_options(
        self,
        *,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncCaller:
        """A caller over the same connections and for the same player; closing it closes nothing."""
        settings = self.settings.changed(
            timeout_seconds=timeout_seconds, deadline_seconds=deadline_seconds, retries=retries, headers=headers
        )
        timeout = self._timeout if timeout_seconds is None else httpx.Timeout(timeout_seconds)
        return AsyncCaller(settings, self._connections, derived_timeout=timeout)

    def new_idempotency_key(self) -> str:
        """A random key for one write."""
        return self._connections.machine.idempotency_key()

    async def send_arguments(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None,
        query: Collection[str] = (),
        needs_secret: bool = False,
        offers_secret: bool = False,
    ) -> T:
        """Make a call from the shape `arguments`, send it, and read its answer as the row."""
        # What reads shapes takes as long to import as the HTTP library does, and is there with the first namespace.
        from livecore_client._arguments import build_call, read_row  # noqa: PLC0415 - see above

        call = build_call(
            method,
            path,
            arguments,
            player=player,
            query=query,
            needs_secret=needs_secret,
            offers_secret=offers_secret,
        )
        return read_row(answer, await self.send(call))

    async def send(self, call: Call) -> Json:
        """Send `call`, with retries if the policy allows them, and return the answer's data.

        Every attempt carries the same idempotency key, so the call has one effect even if an answer was lost. A pause that
        would pass the deadline is not begun, and an attempt before it gets no more time than is left.
        Raises `ApiError`, `TransportError` or `UnreadableAnswer` for the last attempt, `ConfigurationError` for a route
        about a player without a secret, and `ClientClosed`.
        """
        policy, deadline = self.settings.retries, self.settings.deadline_seconds
        machine = self._connections.machine
        forget_response(self._connections)
        headers, content = self._headers(call), call.content
        began = machine.monotonic_seconds()
        attempt, left = 1, deadline
        while True:
            try:
                return await self._logged_attempt(call, headers, content, attempt=attempt, left_seconds=left)
            except LivecoreError as fault:
                elapsed = machine.monotonic_seconds() - began
                pause = policy.pause_seconds(fault, attempt=attempt, elapsed_seconds=elapsed, chance=machine.chance())
                if pause is None or elapsed + pause >= deadline:
                    raise
                failure = fault
            _LOG.info("%s %s: %s; again in %.2f s", call.method, call.path, _outcome(failure), pause)
            await machine.sleep(pause)
            left = deadline - (machine.monotonic_seconds() - began)
            if left <= 0:
                raise failure
            attempt += 1

    async def receive(self, call: Call, *, last_event_id: str | None) -> AsyncGenerator[bytes, None]:
        """Open a stream, and give its bytes as they arrive until it ends; close the generator to leave it.

        One attempt, without a deadline; raises as `send` does.
        """
        headers = {**self._headers(call), "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        timeout = httpx.Timeout(self.settings.timeout_seconds, read=max(SILENT_SECONDS, self.settings.timeout_seconds))
        http = self._connections.http
        url = request_url(self.settings, call)
        request = http.build_request(call.method, url, headers=headers, timeout=timeout)
        _LOG.debug("%s %s: opening the stream", call.method, call.path)
        try:
            response = await http.send(request, stream=True)
            try:
                if not is_stream(response.status_code, response.headers):
                    content = await response.aread()
                    now = self._connections.machine.unix_seconds()
                    read_answer(request.url, response.status_code, response.headers, content, now_seconds=now)
                    raise UnreadableAnswer("the answer is no stream")
                async for piece in response.aiter_bytes():
                    yield piece
            finally:
                await response.aclose()
        except httpx.RequestError as fault:
            raise transport_failure(fault, request) from fault

    def chance(self) -> float:
        """A random number from 0 to 1."""
        return self._connections.machine.chance()

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await self._connections.machine.sleep(seconds)

    def _headers(self, call: Call) -> dict[str, str]:
        self._connections.require_open()
        if call.needs_secret and self.player_secret is None:
            raise ConfigurationError("this route needs the player's secret: register, or set player_secret")
        key = call.idempotency_key
        if key is not None and _IDEMPOTENCY_KEY.fullmatch(key) is None:
            raise InvalidArgument("idempotency_key must be 1 to 255 printable ASCII characters, without spaces around")
        if key is None and call.is_mutation:
            key = self.new_idempotency_key()
        return request_headers(self.settings, call, idempotency_key=key, player_secret=self.player_secret)

    async def _logged_attempt(
        self, call: Call, headers: dict[str, str], content: bytes | None, *, attempt: int, left_seconds: float
    ) -> Json:
        """One attempt, with a line in the log."""
        self._connections.require_open()
        url = request_url(self.settings, call)
        timeout = _shortened(self._timeout, left_seconds)
        request = self._connections.http.build_request(
            call.method, url, headers=headers, content=content, timeout=timeout
        )
        clock = self._connections.machine.monotonic_seconds
        began = clock()
        outcome = "broken off"
        try:
            data = await self._attempt(request, attempt=attempt, until=began + left_seconds)
            outcome = "answered"
        except LivecoreError as failure:
            outcome = _outcome(failure)
            raise
        else:
            return data
        finally:
            seconds = clock() - began
            _LOG.debug("%s %s attempt %d: %s after %.3f s", call.method, call.path, attempt, outcome, seconds)

    async def _attempt(self, request: httpx.Request, *, attempt: int, until: float) -> Json:
        machine = self._connections.machine
        pieces: list[bytes] = []
        try:
            response = await self._connections.http.send(request, stream=True)
            try:
                async for piece in response.aiter_bytes():
                    pieces.append(piece)
                    # Each part of an answer has a time-out of its own, so many small parts could go on for ever.
                    if machine.monotonic_seconds() > until:
                        raise TimedOut(f"the answer of {place_of(request.url)} was not complete before the deadline")
            finally:
                await response.aclose()
        except httpx.RequestError as fault:
            is_last_moment = request.extensions["timeout"] != self._timeout.as_dict()
            raise transport_failure(fault, request, attempt=attempt, is_last_moment=is_last_moment) from fault
        status, headers = response.status_code, response.headers
        keep_response(self._connections, response_info(status, headers, attempts=attempt))
        return read_answer(request.url, status, headers, b"".join(pieces), now_seconds=machine.unix_seconds())

    async def aclose(self) -> None:
        """Close the connections, unless the user passed their own `http_client`, or this caller uses another's."""
        if not self._is_derived:
            await self._connections.aclose()


def _shortened(timeout: httpx.Timeout, left_seconds: float) -> httpx.Timeout:
    """The time-outs, each at most what is left."""
    parts = {
        name: left_seconds if seconds is None else min(seconds, left_seconds)
        for name, seconds in timeout.as_dict().items()
    }
    return httpx.Timeout(**parts)


def _outcome(failure: LivecoreError) -> str:
    """A failure in one line, without what the service wrote about its data."""
    if isinstance(failure, ApiError):
        code = f"{failure.status} {failure.code}".rstrip()
        return f"{code} (request {failure.request_id})" if failure.request_id else code
    return f"{type(failure).__name__}: {failure}"
