# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Guilds on the server surface, with all pages of the list of guilds."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.guilds.rows import GuildRow
from livecore.surfaces.namespaces.guilds import ServerGuilds

__all__ = ["PagedGuilds"]


class PagedGuilds(ServerGuilds):
    """Guilds of the game."""

    def iterate(
        self,
        *,
        q: str | None = None,
        player: str | None = None,
        include_disbanded: bool = False,
        page_size: int = 100,
    ) -> Iterator[GuildRow]:
        """Iterate over every such guild, the newest first, a page at a time.

        A guild that is founded meanwhile makes another one come twice; one that ends may leave another one out. Raises
        `ValidationFailed` after the first hundred thousand guilds.
        """
        offset = 0
        while True:
            page = self.list(q=q, player=player, include_disbanded=include_disbanded, limit=page_size, offset=offset)
            yield from page.guilds
            offset += len(page.guilds)
            if not page.guilds or offset >= page.total:
                return
