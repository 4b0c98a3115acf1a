# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Players on the server surface, with all pages of a player's export."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from livecore.player_tools.export_rows import ListName, PlayerExport
from livecore.surfaces.namespaces.players import ServerPlayers

__all__ = ["ExportingPlayers"]


class ExportingPlayers(ServerPlayers):
    """Any player of the game."""

    def iterate_export(self, external_player_id: str) -> Iterator[PlayerExport]:
        """Iterate over the whole export: first up to 1,000 rows of each list, then the rest, in pages of one list each.

        Raises `PlayerNotFound`.
        """
        first_page = self.export(external_player_id)
        yield first_page
        for name, cursor in first_page.cursors.items():
            at = cursor
            while at is not None:
                page = self.export(external_player_id, list_=cast(ListName, name), cursor=at)
                yield page
                at = page.cursors.get(name)
