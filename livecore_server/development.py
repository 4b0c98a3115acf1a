"""Development credentials: keys that are printed at each start and stored in a file, and must not be used over a network.

`livecore dev` names its keys `development` in the directory. So a server recognises them in any copy of the database file,
and refuses to listen on anything but loopback addresses until they are revoked.
"""

from __future__ import annotations

from typing import Final

from livecore.access.directory import KEYS_OF_GAME, ApiKey, Game, every_scope
from livecore.access.directory import all_scopes as scopes_with_games
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis

__all__ = ["DEVELOPMENT", "all_games", "deleted_games", "development_keys"]

DEVELOPMENT: Final = "development"
"""The name of such keys."""


def all_games(tx: Transaction) -> list[Game]:
    """Every game of the deployment, oldest first."""
    return [game for scope, game in scopes_with_games(tx) if scope.environment == "test"]


def deleted_games(tx: Transaction) -> list[Game]:
    """Every deleted game, oldest first; its data may have been removed."""
    return [game for scope, game in every_scope(tx) if scope.environment == "test" and game.deleted_at is not None]


def development_keys(tx: Transaction, now: Millis) -> list[ApiKey]:
    """The development keys that still work."""
    return [
        key
        for game in all_games(tx)
        for key in tx.scan(KEYS_OF_GAME, game.game_id)
        if key.name == DEVELOPMENT and (key.ends_at is None or now < key.ends_at)
    ]
