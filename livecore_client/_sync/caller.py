# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Sends a call until it is answered, with one idempotency key for all attempts, and pauses between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator
from typing import Final, TypeVar

import httpx

from livecore.errors.families import InvalidArgument, LivecoreError, UnreadableAnswer
from livecore.kernel.errors import Json
from livecore_client._events import SILENT_SECONDS
from livecore_client._exchange import Call, is_stream, read_answer, request_headers, request_url, transport_failure
from livecore_client._failures import ConfigurationError
from livecore_client._machine import Machine
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings, header_text

__all__ = ["Caller"]

T = TypeVar("T")
_IDEMPOTENCY_KEY: Final = re.compile(r"(?=.{1,255}\Z)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


class Caller:
    """Sends all calls of a client; it holds the connections, the settings and the player's secret."""

    def __init__(
        self,
        settings: Settings,
        *,
        external_player_id: str | None = None,
        player_secret: str | None = None,
        transport: httpx.BaseTransport | None = None,
        http_client: httpx.Client | None = None,
        machine: Machine | None = None,
    ) -> None:
        if transport is not None and http_client is not None:
            raise ConfigurationError("give transport or http_client, not both")
        self.settings = settings
        self.external_player_id = external_player_id
        self.player_secret = player_secret
        self._http = http_client or httpx.Client(transport=transport, timeout=settings.timeout_seconds)
        self._is_ours = http_client is None
        self._machine = machine or Machine()

    @property
    def player_secret(self) -> str | None:
        """The secret of the player that the client acts for."""
        return self._player_secret

    @player_secret.setter
    def player_secret(self, secret: str | None) -> None:
        self._player_secret = None if secret is None else header_text("player_secret", secret)

    def new_idempotency_key(self) -> str:
        """A random key for one write."""
        return self._machine.idempotency_key()

    def send_arguments(
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
        retries: RetryPolicy | None = None,
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
        return read_row(answer, self.send(call, retries=retries))

    def send(self, call: Call, *, retries: RetryPolicy | None = None) -> Json:
        """Send `call`, with retries if the policy allows them, and return the answer's data.

        Every attempt carries the same idempotency key, so the call has one effect even if an answer was lost.
        Raises `ApiError`, `TransportError` or `UnreadableAnswer` for the last attempt, and `ConfigurationError` for a route
        about a player without a secret.
        """
        policy = retries or self.settings.retries
        headers = self._headers(call)
        began = self._machine.monotonic_seconds()
        attempt = 1
        while True:
            try:
                return self._attempt(call, headers)
            except LivecoreError as failure:
                elapsed = self._machine.monotonic_seconds() - began
                chance = self._machine.chance()
                pause = policy.pause_seconds(failure, attempt=attempt, elapsed_seconds=elapsed, chance=chance)
                if pause is None:
                    raise
            self._machine.sleep(pause)
            attempt += 1

    def receive(self, call: Call, *, last_event_id: str | None) -> Generator[bytes, None]:
        """Open a stream, and give its bytes as they arrive until it ends; close the generator to leave it.

        One attempt; raises as `send` does.
        """
        headers = {**self._headers(call), "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        timeout = httpx.Timeout(self.settings.timeout_seconds, read=max(SILENT_SECONDS, self.settings.timeout_seconds))
        url = request_url(self.settings, call)
        request = self._http.build_request(call.method, url, headers=headers, timeout=timeout)
        try:
            response = self._http.send(request, stream=True)
            try:
                if not is_stream(response.status_code, response.headers):
                    content = response.read()
                    now = self._machine.unix_seconds()
                    read_answer(response.status_code, response.headers, content, now_seconds=now)
                    raise UnreadableAnswer("the answer is no stream")
                yield from response.iter_bytes()
            finally:
                response.close()
        except httpx.RequestError as fault:
            raise transport_failure(fault) from fault

    def chance(self) -> float:
        """A random number from 0 to 1."""
        return self._machine.chance()

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._machine.sleep(seconds)

    def _headers(self, call: Call) -> dict[str, str]:
        if call.needs_secret and self.player_secret is None:
            raise ConfigurationError("this route needs the player's secret: register, or set player_secret")
        key = call.idempotency_key
        if key is not None and _IDEMPOTENCY_KEY.fullmatch(key) is None:
            raise InvalidArgument("idempotency_key must be 1 to 255 printable ASCII characters, without spaces around")
        if key is None and call.is_mutation:
            key = self.new_idempotency_key()
        return request_headers(self.settings, call, idempotency_key=key, player_secret=self.player_secret)

    def _attempt(self, call: Call, headers: dict[str, str]) -> Json:
        url = request_url(self.settings, call)
        request = self._http.build_request(call.method, url, headers=headers, content=call.content)
        try:
            response = self._http.send(request)
        except httpx.RequestError as fault:
            raise transport_failure(fault) from fault
        now = self._machine.unix_seconds()
        return read_answer(response.status_code, response.headers, response.content, now_seconds=now)

    def close(self) -> None:
        """Close the connections, unless the user passed their own `http_client`."""
        if self._is_ours:
            self._http.close()
