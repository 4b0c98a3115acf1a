"""The directory: studios, games and API keys, in the one reserved scope that belongs to no single game.

Only the start of a request in the API and the hosts open it. A game's configuration is stored here as text.
"""

from __future__ import annotations

from typing import Literal

from livecore.access.refusals import GameNotFound
from livecore.kernel.config import Config
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import new_id
from livecore.kernel.records import JsonText, evolve, record
from livecore.kernel.scope import Scope, scope_of
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.wire import compact, encode

__all__ = [
    "API_KEYS",
    "GAMES",
    "GAMES_OF_STUDIO",
    "KEYS_OF_GAME",
    "KEY_BY_HASH",
    "STUDIOS",
    "ApiKey",
    "Game",
    "Studio",
    "add_game",
    "add_studio",
    "all_scopes",
    "configure",
    "require_game",
]


@record
class Studio:
    """A company or team that runs games on this deployment."""

    studio_id: str
    name: str
    created_at: Millis


@record
class Game:
    """One game of a studio; its configuration holds for both environments."""

    game_id: str
    studio_id: str
    name: str
    config: JsonText
    config_version: int
    created_at: Millis


@record
class ApiKey:
    """One API key. Only the hash is stored; lists and logs show `prefix`.

    `bucket` names the rate bucket: a rotated key and its successor share one. The key stops working at `ends_at`: a revoked
    key at once, a rotated key 60 days after its rotation.
    """

    key_id: str
    game_id: str
    environment: Literal["test", "live"]
    permission: Literal["client", "server"]
    prefix: str
    hash: str
    bucket: str
    name: str | None = None
    created_at: Millis
    rotated_at: Millis | None = None
    ends_at: Millis | None = None


STUDIOS = Table("studios", Studio, key=("studio_id",))
GAMES = Table("games", Game, key=("game_id",))
ALL_GAMES = GAMES.index("all", order=("created_at",))
GAMES_OF_STUDIO = GAMES.index("of_studio", prefix=("studio_id",), order=("created_at",))
API_KEYS = Table("api_keys", ApiKey, key=("key_id",))
KEY_BY_HASH = API_KEYS.unique("hash")
KEYS_OF_GAME = API_KEYS.index("of_game", prefix=("game_id",), order=("created_at",))


def add_studio(tx: Transaction, name: str, now: Millis, entropy: Entropy) -> Studio:
    """A new studio."""
    return tx.insert(STUDIOS, Studio(studio_id=new_id("std", now, entropy), name=name, created_at=now))


def add_game(tx: Transaction, studio: Studio, config: Config, now: Millis, entropy: Entropy) -> Game:
    """A new game of a studio, without keys."""
    return tx.insert(
        GAMES,
        Game(
            game_id=new_id("gam", now, entropy),
            studio_id=studio.studio_id,
            name=config.name,
            config=_text(config),
            config_version=1,
            created_at=now,
        ),
    )


def configure(tx: Transaction, game: Game, config: Config) -> Game:
    """Replace a game's configuration."""
    return tx.put(GAMES, evolve(game, name=config.name, config=_text(config), config_version=game.config_version + 1))


def _text(config: Config) -> JsonText:
    return JsonText(compact(encode(config)))


def require_game(tx: Transaction, game_id: str) -> Game:
    """The game of this id. Raises `GameNotFound`."""
    game = tx.get(GAMES, game_id)
    if game is None:
        raise GameNotFound
    return game


def all_scopes(tx: Transaction) -> list[tuple[Scope, Game]]:
    """Every scope that may hold rows: each game in both environments."""
    return [
        (scope_of(game.game_id, environment), game) for game in tx.scan(ALL_GAMES) for environment in ("live", "test")
    ]
