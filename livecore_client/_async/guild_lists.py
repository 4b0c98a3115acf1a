"""Guilds on the server surface, with all pages of the list of guilds."""

from __future__ import annotations

from collections.abc import AsyncIterator

from livecore.guilds.rows import GuildRow
from livecore_client._async.namespaces.guilds import AsyncServerGuilds

__all__ = ["AsyncPagedGuilds"]


class AsyncPagedGuilds(AsyncServerGuilds):
    """Guilds of the game."""

    async def iterate(
        self,
        *,
        q: str | None = None,
        player: str | None = None,
        include_disbanded: bool = False,
        page_size: int = 100,
    ) -> AsyncIterator[GuildRow]:
        """Iterate over every such guild, the newest first, a page at a time.

        A guild that is founded meanwhile makes another one come twice; one that ends may leave another one out. Raises
        `ValidationFailed` after the first hundred thousand guilds.
        """
        offset = 0
        while True:
            page = await self.list(
                q=q, player=player, include_disbanded=include_disbanded, limit=page_size, offset=offset
            )
            for row in page.guilds:
                yield row
            offset += len(page.guilds)
            if not page.guilds or offset >= page.total:
                return
