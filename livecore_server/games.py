"""The games of a deployment."""

from __future__ import annotations

from livecore.access.directory import Game, all_scopes, every_scope
from livecore.kernel.storage.store import Transaction


def all_games(tx: Transaction) -> list[Game]:
    """Every game, oldest first."""
    return [game for scope, game in all_scopes(tx) if scope.environment == "test"]


def deleted_games(tx: Transaction) -> list[Game]:
    """Every deleted game, oldest first; its data may have been removed."""
    return [game for scope, game in every_scope(tx) if scope.environment == "test" and game.deleted_at is not None]
