"""Development credentials: keys that are printed at each start and stored in a file, and must not be used over a network.

`livecore dev` names its keys `development` in the directory. So a server recognises them in any copy of the database file,
and refuses to listen on anything but loopback addresses until they are revoked.
"""

from __future__ import annotations

from typing import Final

from livecore.access.directory import KEYS_OF_GAME, ApiKey
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore_server.games import all_games

DEVELOPMENT: Final = "development"
"""The name of such keys."""


def development_keys(tx: Transaction, now: Millis) -> list[ApiKey]:
    """The development keys that still work."""
    return [
        key
        for game in all_games(tx)
        for key in tx.scan(KEYS_OF_GAME, game.game_id)
        if key.name == DEVELOPMENT and (key.ends_at is None or now < key.ends_at)
    ]
