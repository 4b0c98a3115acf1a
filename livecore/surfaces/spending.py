# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Spending on the server surface, with all pages of the list of spenders."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.commerce.rows import Spender
from livecore.surfaces.namespaces.spend import ServerSpend

__all__ = ["PagedSpend"]


class PagedSpend(ServerSpend):
    """What players spend, in US cents, and the game's revenue."""

    def iterate_players(
        self, *, min_amount_minor: int = 1, window_days: int | None = None, page_size: int = 100
    ) -> Iterator[Spender]:
        """Iterate over every such player, the highest amount first, a page at a time.

        A player whose rank changes meanwhile may be left out or come twice. Raises `ValidationFailed` after the first
        hundred thousand players: for fewer players, pass a larger `min_amount_minor`.
        """
        offset = 0
        while True:
            page = self.list_players(
                min_amount_minor=min_amount_minor, window_days=window_days, limit=page_size, offset=offset
            )
            yield from page.players
            offset += len(page.players)
            if not page.players or offset >= page.total:
                return
