"""Quotas: how much clients may add to the database, whatever their requests are.

A rate limit bounds requests. Quotas bound what stays after them: new players, and the free JSON and long texts of a player.
The host sets them for all of its games, because it is its disk that they protect.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.values import value


@value
class Quotas:
    """The quotas of a deployment; `None` means that there is no such quota."""

    new_players_per_hour: int | None = None
    """How many new players the clients of one address may register in an hour, in one environment of a game."""
    stored_bytes_per_day: int | None = None
    """How many bytes of free JSON and long texts the client of one player may have stored in a day (UTC)."""


NO_QUOTAS: Final = Quotas()
"""No quota on anything."""
