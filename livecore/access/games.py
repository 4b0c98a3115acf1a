"""The games of a studio, for its members. They are in the directory, so a unit here is of the directory."""

from __future__ import annotations

from livecore.access.directory import GAMES_OF_STUDIO, Game, require_game
from livecore.access.game_rows import GameGiven, GameRow, GamesPage, GetGame, ListGames
from livecore.access.principals import Principal
from livecore.kernel.storage.paging import page_by_time, page_that_fits
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit


def list_games(unit: Unit, args: ListGames) -> GamesPage:
    """The games that the member's role is for, the newest first."""
    page = page_by_time(args)
    principal = unit.principal
    mine = principal.games if isinstance(principal, Principal) else None

    def seen(game: Game) -> bool:
        return game.deleted_at is None and (mine is None or game.game_id in mine)

    shown, following = page_that_fits(unit.tx, GAMES_OF_STUDIO, (unit.studio_id,), page, seen)
    return GamesPage(games=tuple(map(game_row, shown)), next_cursor=following)


def get_game(unit: Unit, args: GetGame) -> GameGiven:
    """The game of the path, which is one that the member may see."""
    return GameGiven(game=game_row(require_game(unit.tx, args.game_id)))


def game_row(game: Game) -> GameRow:
    """A game as lists show it."""
    return GameRow(
        game_id=game.game_id,
        name=game.name,
        config_version=game.config_version,
        created_at=Timestamp(game.created_at),
    )
