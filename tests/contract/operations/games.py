"""The games of a studio, as the wire contract shows them to operators."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import KEY, PAGE, Area, Route

AREA: Final = Area(
    routes=(
        Route(
            "admin", "games.list", "GET /games", below="/studios/{studioId}", asks=PAGE,
            answers="games:game[] nextCursor", permission="game.read",
        ),
        Route(
            "admin", "games.get", "GET", asks="gameId", answers="game:game", permission="game.read",
        ),
        Route(
            "admin", "games.create", "POST /games", below="/studios/{studioId}", asks=f"name? config? {KEY}",
            statuses=(201,), answers="game:game", permission="studio.manage",
        ),
        Route(
            "admin", "games.delete", "DELETE", asks=f"confirm {KEY}", answers="deleted", permission="game.delete",
            dashboard_only=True, query_string="confirm=Untitled%20game",
        ),
    ),
    rows={"game": "gameId name configVersion createdAt"},
)  # fmt: skip
