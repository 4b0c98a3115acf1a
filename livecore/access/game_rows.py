"""Games on the wire, as operators see them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Configuration, Cursor, Id, IdempotencyKey, Limit, Text


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
class CreateGame:
    """Make a game in the studio; `name` wins over the name in `config`."""

    name: Annotated[str, Text(1, 100, name=True)] | None = None
    config: Configuration | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"name": "Demo"}


@shape
class DeleteGame:
    """Delete a game for good; `confirm` is its name or its id."""

    confirm: Annotated[str, Text(1, 100)]
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"confirm": "Demo"}


@shape
class GameDeleted:
    """The game is deleted."""

    deleted: Literal[True]


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
