"""What every namespace is made of: it hands the shape of a call's arguments to whoever sends it, and gives back the row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Protocol, TypeVar

from livecore.errors.families import ApiError, UnreadableAnswer
from livecore.surfaces.checking import checked
from livecore.surfaces.page import AsyncFetch, Page
from livecore.surfaces.spelling import spell

__all__ = ["AsyncSdkResource", "AsyncSender", "AsyncServerResource", "pages"]

T = TypeVar("T")


class AsyncSender(Protocol):
    """Sends the calls of all namespaces, as one caller of one surface."""

    player_secret: str | None
    """The secret of the player that the calls act for."""

    @property
    def external_player_id(self) -> str | None:
        """The player that the calls act for."""

    def new_idempotency_key(self) -> str:
        """A key for a shape that requires one."""

    async def send_arguments(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None,
        query: Collection[str],
        needs_secret: bool,
        offers_secret: bool,
    ) -> T:
        """Call the operation with this method and template of a path, whose `{externalId}` is the `player`.

        `arguments` is the operation's shape; those that `query` names go into the query of a call that has a body. A call
        that `needs_secret` or `offers_secret` carries the player's secret. Raises as the clients do.
        """


class AsyncSdkResource:
    """Operations of the client surface, for the one player that the client acts for."""

    def __init__(self, caller: AsyncSender) -> None:
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
    ) -> T:
        """Call the route at `path`, whose `{externalId}` is the client's own player.

        Raises `InvalidArgument` before anything is sent; see `livecore.surfaces.checking`.
        """
        player = self._caller.external_player_id
        given = checked(arguments, path, player)
        try:
            return await self._caller.send_arguments(
                method,
                path,
                given,
                answer,
                player=player,
                query=query,
                needs_secret=needs_secret,
                offers_secret=offers_secret,
            )
        except ApiError as refused:
            spell(refused, type(arguments), answer)
            raise


class AsyncServerResource:
    """Operations of the server surface, on the player that each call names."""

    def __init__(self, caller: AsyncSender) -> None:
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
        """Call the route at `path`, whose `{externalId}` is the `player`.

        Raises `InvalidArgument` before anything is sent; see `livecore.surfaces.checking`.
        """
        given = checked(arguments, path, player)
        try:
            return await self._caller.send_arguments(
                method, path, given, answer, player=player, query=query, needs_secret=False, offers_secret=False
            )
        except ApiError as refused:
            spell(refused, type(arguments), answer)
            raise


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
