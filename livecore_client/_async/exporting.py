"""Players on the server surface, with all pages of a player's export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

from livecore.player_tools.export_rows import ListName, PlayerExport
from livecore_client._async.namespaces.players import AsyncServerPlayers

__all__ = ["AsyncExportingPlayers"]


class AsyncExportingPlayers(AsyncServerPlayers):
    """Any player of the game."""

    async def iterate_export(self, external_player_id: str) -> AsyncIterator[PlayerExport]:
        """Iterate over the whole export: first up to 1,000 rows of each list, then the rest, in pages of one list each.

        Raises `PlayerNotFound`.
        """
        first_page = await self.export(external_player_id)
        yield first_page
        for name, cursor in first_page.cursors.items():
            at = cursor
            while at is not None:
                page = await self.export(external_player_id, list_=cast(ListName, name), cursor=at)
                yield page
                at = page.cursors.get(name)
