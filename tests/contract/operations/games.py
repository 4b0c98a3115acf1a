"""The games of a studio, as the wire contract shows them to operators."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import PAGE, Area, Route

__all__ = ["AREA"]

AREA: Final = Area(
    routes=(
        Route(
            "admin", "games.list", "GET /games", below="/studios/{studioId}", asks=PAGE,
            answers="games:game[] nextCursor", permission="game.read",
        ),
        Route(
            "admin", "games.get", "GET", asks="gameId", answers="game:game", permission="game.read",
        ),
    ),
    rows={"game": "gameId name configVersion createdAt"},
)  # fmt: skip
