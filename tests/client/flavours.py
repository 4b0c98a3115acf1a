"""Both flavours of the clients behind one face, so that each test is written once and run twice."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import TypeAlias, TypeVar, cast

import attrs
import httpx
import respx

from livecore_client import (
    AsyncMachine,
    AsyncSdkClient,
    AsyncServerClient,
    Machine,
    ResponseInfo,
    RetryPolicy,
    SdkClient,
    ServerClient,
)

BASE_URL = "https://live.example.com"
AnySdk: TypeAlias = SdkClient | AsyncSdkClient
AnyServer: TypeAlias = ServerClient | AsyncServerClient
T = TypeVar("T")


@attrs.define
class VirtualTime:
    """A machine that never waits: sleeping moves its clock and is written down."""

    now_seconds: float = 1_000.0
    chance: float = 1.0
    slept_seconds: list[float] = attrs.field(factory=list)
    keys: int = 0
    oversleep_seconds: float = 0.0

    def sleep(self, seconds: float) -> None:
        """Pass the time."""
        self.slept_seconds.append(seconds)
        self.now_seconds += seconds + self.oversleep_seconds

    async def sleep_async(self, seconds: float) -> None:
        """Pass the time."""
        self.sleep(seconds)

    def key(self) -> str:
        """The next idempotency key."""
        self.keys += 1
        return f"key-{self.keys}"


@attrs.define
class Flavour:
    """One flavour: makes its clients, and turns what their methods return into results."""

    is_async: bool
    runner: asyncio.Runner
    time: VirtualTime = attrs.field(factory=VirtualTime)
    clients: list[AnySdk | AnyServer] = attrs.field(factory=list)

    def sdk(
        self,
        router: respx.Router,
        *,
        player_secret: str | None = "lcs_secret",
        retries: RetryPolicy | None = None,
        app_version: str | None = None,
    ) -> AnySdk:
        """A game's client whose requests `router` answers."""
        client: AnySdk
        if self.is_async:
            client = AsyncSdkClient(
                base_url=BASE_URL,
                api_key="lc_test_client_abc",
                external_player_id="anna",
                player_secret=player_secret,
                platform="linux",
                app_version=app_version,
                retries=retries,
                transport=httpx.MockTransport(router.async_handler),
                machine=self._async_machine(),
            )
        else:
            client = SdkClient(
                base_url=BASE_URL,
                api_key="lc_test_client_abc",
                external_player_id="anna",
                player_secret=player_secret,
                platform="linux",
                app_version=app_version,
                retries=retries,
                transport=httpx.MockTransport(router.handler),
                machine=self._machine(),
            )
        self.clients.append(client)
        return client

    def server(self, router: respx.Router, *, retries: RetryPolicy | None = None) -> AnyServer:
        """A studio's client whose requests `router` answers."""
        client: AnyServer
        if self.is_async:
            client = AsyncServerClient(
                base_url=BASE_URL,
                api_key="lc_test_server_abc",
                retries=retries,
                transport=httpx.MockTransport(router.async_handler),
                machine=self._async_machine(),
            )
        else:
            client = ServerClient(
                base_url=BASE_URL,
                api_key="lc_test_server_abc",
                retries=retries,
                transport=httpx.MockTransport(router.handler),
                machine=self._machine(),
            )
        self.clients.append(client)
        return client

    def settle(self, value: Awaitable[T] | T) -> T:
        """The result of a method of either flavour."""
        if inspect.isawaitable(value):
            return self.runner.run(_awaited(cast(Awaitable[T], value)))
        return value

    def last_response(self, client: AnySdk | AnyServer) -> ResponseInfo | None:
        """What the client says of the last answer, where its calls ran."""

        async def read() -> ResponseInfo | None:
            return client.last_response

        return self.runner.run(read()) if self.is_async else client.last_response

    def gather(self, rows: AsyncIterator[T] | Iterator[T]) -> list[T]:
        """Everything that an iterator of either flavour yields."""
        if isinstance(rows, AsyncIterator):
            return self.runner.run(_gathered(rows))
        return list(rows)

    def close(self) -> None:
        """Close the clients that were made."""
        for client in self.clients:
            if isinstance(client, SdkClient | ServerClient):
                client.close()
            else:
                self.runner.run(client.aclose())

    def _machine(self) -> Machine:
        time = self.time
        return Machine(
            sleep=time.sleep,
            monotonic_seconds=lambda: time.now_seconds,
            unix_seconds=lambda: time.now_seconds,
            chance=lambda: time.chance,
            idempotency_key=time.key,
        )

    def _async_machine(self) -> AsyncMachine:
        time = self.time
        return AsyncMachine(
            sleep=time.sleep_async,
            monotonic_seconds=lambda: time.now_seconds,
            unix_seconds=lambda: time.now_seconds,
            chance=lambda: time.chance,
            idempotency_key=time.key,
        )


async def _awaited(value: Awaitable[T]) -> T:
    return await value


async def _gathered(rows: AsyncIterator[T]) -> list[T]:
    return [row async for row in rows]
