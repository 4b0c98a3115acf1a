"""What every namespace does: make a call from a shape, send it, and read the answer as its row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Protocol, TypeVar

from livecore_client._arguments import build_call, read_row
from livecore_client._async.caller import AsyncCaller
from livecore_client._failures import UnreadableAnswer
from livecore_client._machine import AsyncFetch
from livecore_client._retry import RetryPolicy

__all__ = ["AsyncSdkResource", "AsyncServerResource", "Page", "pages"]

T = TypeVar("T")


class AsyncSdkResource:
    """Operations of the client surface, for the one player that the client acts for."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def _send(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        query: Collection[str] = (),
        needs_secret: bool = True,
        offers_secret: bool = False,
        retries: RetryPolicy | None = None,
    ) -> T:
        """Call the route at `path`, whose `{externalId}` is the client's own player."""
        player = self._caller.external_player_id
        call = build_call(
            method,
            path,
            arguments,
            player=player,
            query=query,
            needs_secret=needs_secret,
            offers_secret=offers_secret,
        )
        return read_row(answer, await self._caller.send(call, retries=retries))


class AsyncServerResource:
    """Operations of the server surface, on the player that each call names."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def _new_idempotency_key(self) -> str:
        """A key for a shape that requires one."""
        return self._caller.new_idempotency_key()

    async def _send(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None = None,
        query: Collection[str] = (),
    ) -> T:
        """Call the route at `path`, whose `{externalId}` is the `player`."""
        call = build_call(method, path, arguments, player=player, query=query)
        return read_row(answer, await self._caller.send(call))


class Page(Protocol):
    """An answer that is one page of a list."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins, or `None` on the last."""


P = TypeVar("P", bound=Page)


async def pages(fetch: AsyncFetch[P]) -> AsyncIterator[P]:
    """Every page of a list, each fetched when it is needed.

    Raises `UnreadableAnswer` when a page names itself as the next, because the iteration would never end.
    """
    cursor: str | None = None
    while True:
        page = await fetch(cursor)
        yield page
        if page.next_cursor is None:
            return
        if page.next_cursor == cursor:
            raise UnreadableAnswer("the list does not go on: a page names itself as the next")
        cursor = page.next_cursor
