"""The games of a deployment."""

from __future__ import annotations

from livecore.access.directory import ALL_GAMES, Game
from livecore.kernel.store import Transaction

__all__ = ["all_games", "deleted_games"]


def all_games(tx: Transaction) -> list[Game]:
    """Every game, oldest first."""
    return [game for game in tx.scan(ALL_GAMES) if game.deleted_at is None]


def deleted_games(tx: Transaction) -> list[Game]:
    """Every deleted game, oldest first; its data may have been removed."""
    return [game for game in tx.scan(ALL_GAMES) if game.deleted_at is not None]
