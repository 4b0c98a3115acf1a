"""The games of a studio, for its members."""

from __future__ import annotations

from typing import Final

from livecore.access import game_rows, games
from livecore.api.operating import games as api_games
from livecore.api.table.admin_routes import GAME, STUDIO, member_read, member_write
from livecore.api.table.operation import Operation

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
    member_write(
        "games.create",
        f"POST {STUDIO}/games",
        game_rows.CreateGame,
        {201: game_rows.GameGiven},
        api_games.create,
        permission="studio.manage",
        destructive=False,
        reach="several",
        resume=api_games.resume_creating,
        summary="Make a game.",
        about=(
            "With the configuration `config`, or with all defaults. It has no keys yet: `keys.create` makes them, for each "
            "environment."
        ),
    ),
    member_write(
        "games.delete",
        f"DELETE {GAME}",
        game_rows.DeleteGame,
        {200: game_rows.GameDeleted},
        api_games.delete,
        permission="game.delete",
        reach="several",
        refuses_environment=True,
        resume=api_games.resume_deleting,
        ends_game=True,
        dashboard_only=True,
        target=("game", "gameId"),
        summary="Delete a game for good.",
        about=(
            "`confirm` repeats the game's name or id. Its keys are revoked and its webhook endpoints removed at once; it is "
            "in no list any more, and nothing of it happens. Its data is removed by `livecore games purge`."
        ),
    ),
)
