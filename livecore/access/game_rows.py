"""Games on the wire, as operators see them."""

from __future__ import annotations

from livecore.kernel.shapes import Cursor, Id, Limit, Timestamp, shape

__all__ = ["GameGiven", "GameRow", "GamesPage", "GetGame", "ListGames"]


@shape
class ListGames:
    """The games of the studio that the member may see."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetGame:
    """The game of the path."""

    game_id: Id


@shape
class GameRow:
    """A game; `config_version` counts how often its settings have been replaced, from 1 on."""

    game_id: str
    name: str
    config_version: int
    created_at: Timestamp


@shape
class GamesPage:
    """Games, the newest first."""

    games: tuple[GameRow, ...]
    next_cursor: str | None


@shape
class GameGiven:
    """A game."""

    game: GameRow
