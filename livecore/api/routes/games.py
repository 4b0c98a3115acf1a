"""The games of a studio, for its members."""

from __future__ import annotations

from typing import Final

from livecore.access import game_rows, games
from livecore.api.admin_routes import GAME, STUDIO, member_read
from livecore.api.operation import Operation

__all__ = ["OPERATIONS"]

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "games.list",
        f"{STUDIO}/games",
        game_rows.ListGames,
        game_rows.GamesPage,
        games.list_games,
        permission="game.read",
        reach="directory",
        summary="List the games of a studio.",
        about="Those that one's role is for, the newest first, at most `limit` (1 to 200) from `cursor` on.",
    ),
    member_read(
        "games.get",
        GAME,
        game_rows.GetGame,
        game_rows.GameGiven,
        games.get_game,
        permission="game.read",
        reach="directory",
        summary="Read a game.",
    ),
)
