"""The directory: studios, games and API keys, in the one reserved scope that belongs to no single game.

Only the start of a request in the API and the hosts open it. A game's configuration is stored here as text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal

from livecore.access.refusals import GameNotFound
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import new_id
from livecore.kernel.scope import Scope, scope_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import SYSTEM, Actor
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, encode
from livecore.kernel.wire.config import Config

VERSIONS_KEPT: Final = 200
"""How many configurations a game's history holds; older ones are deleted."""
_MANY: Final = 1_000
"""From so many games on, those of all are read in one go. A row has a whole configuration, so it must be worth it."""
_LINES: Final = 20
_LINE: Final = 200
"""How many lines of a difference the history shows, and how many characters of each."""


@record
class Studio:
    """A company or team that runs games on this deployment."""

    studio_id: str
    name: str
    created_at: Millis


@record
class Game:
    """One game of a studio; its configuration holds for both environments.

    The row of a deleted game stays, so that nothing takes its id again; see `require_game`.
    """

    game_id: str
    studio_id: str
    name: str
    config: JsonText
    config_version: int
    created_at: Millis
    deleted_at: Millis | None = None


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


@record
class ConfigVersion:
    """A configuration that a game has or had, and who gave it to the game; a version of an earlier release names nobody."""

    game_id: str
    version: int
    config: JsonText
    at: Millis | None = None
    actor_kind: str | None = None
    actor_ref: str | None = None
    via: str | None = None
    changes: int = 0
    """How many lines the difference from the version before has."""
    summary: JsonText = JsonText("[]")
    """The first of these lines."""
    restores: int | None = None
    """The earlier version whose configuration it repeats, if somebody went back to it."""


STUDIOS = Table("studios", Studio, key=("studio_id",))
GAMES = Table("games", Game, key=("game_id",))
ALL_GAMES = GAMES.index("all", order=("created_at",))
GAMES_OF_STUDIO = GAMES.index("of_studio", prefix=("studio_id",), order=("created_at",))
CONFIG_VERSIONS = Table("config_versions", ConfigVersion, key=("game_id", "version"))
VERSIONS_OF_GAME = CONFIG_VERSIONS.index("of_game", prefix=("game_id",), order=("version",))
API_KEYS = Table("api_keys", ApiKey, key=("key_id",))
KEY_BY_HASH = API_KEYS.unique("hash")
KEYS_OF_GAME = API_KEYS.index("of_game", prefix=("game_id",), order=("created_at",))
KEYS_OF_ENVIRONMENT = API_KEYS.index("of_environment", prefix=("game_id", "environment"), order=("created_at",))


def add_studio(tx: Transaction, name: str, now: Millis, entropy: Entropy) -> Studio:
    """A new studio."""
    return tx.insert(STUDIOS, Studio(studio_id=new_id("std", now, entropy), name=name, created_at=now))


def add_game(
    tx: Transaction,
    studio: Studio,
    config: Config,
    now: Millis,
    entropy: Entropy,
    *,
    actor: Actor = SYSTEM,
    via: str | None = None,
) -> Game:
    """A new game of a studio, without keys."""
    game = Game(
        game_id=new_id("gam", now, entropy),
        studio_id=studio.studio_id,
        name=config.name,
        config=_text(config),
        config_version=1,
        created_at=now,
    )
    _note(tx, game, now, actor, via)
    return tx.insert(GAMES, game)


def configure(
    tx: Transaction,
    game: Game,
    config: Config,
    now: Millis,
    actor: Actor,
    *,
    via: str | None = None,
    lines: Sequence[str] = (),
    restores: int | None = None,
) -> Game:
    """Replace a game's configuration, and note in its history who did; `lines` say what the difference is."""
    version = game.config_version
    if tx.get(CONFIG_VERSIONS, game.game_id, version) is None:
        # The game was configured by a release that kept no history.
        tx.insert(CONFIG_VERSIONS, ConfigVersion(game_id=game.game_id, version=version, config=game.config))
    changed = evolve(game, name=config.name, config=_text(config), config_version=version + 1)
    _note(tx, changed, now, actor, via, lines=lines, restores=restores)
    tx.delete(CONFIG_VERSIONS, game.game_id, changed.config_version - VERSIONS_KEPT)
    return tx.put(GAMES, changed)


def _note(
    tx: Transaction,
    game: Game,
    now: Millis,
    actor: Actor,
    via: str | None,
    *,
    lines: Sequence[str] = (),
    restores: int | None = None,
) -> None:
    summary = [line if len(line) <= _LINE else f"{line[: _LINE - 1]}…" for line in lines[:_LINES]]
    row = ConfigVersion(
        game_id=game.game_id,
        version=game.config_version,
        config=game.config,
        at=now,
        actor_kind=actor.kind,
        actor_ref=actor.ref,
        via=via,
        changes=len(lines),
        summary=JsonText(compact(list(summary))),
        restores=restores,
    )
    tx.insert(CONFIG_VERSIONS, row)


def _text(config: Config) -> JsonText:
    return JsonText(compact(encode(config)))


def require_game(tx: Transaction, game_id: str) -> Game:
    """The game of this id. Raises `GameNotFound`, also for a deleted game."""
    game = tx.get(GAMES, game_id)
    if game is None or game.deleted_at is not None:
        raise GameNotFound
    return game


def delete_game(tx: Transaction, game: Game, now: Millis) -> Game:
    """Mark a game as deleted, for good, and revoke its keys. Its rows stay until they are purged."""
    for key in tx.scan(KEYS_OF_GAME, game.game_id):
        if key.ends_at is None or now < key.ends_at:
            tx.put(API_KEYS, evolve(key, ends_at=now))
    return tx.put(GAMES, evolve(game, deleted_at=now))


def all_scopes(tx: Transaction) -> list[tuple[Scope, Game]]:
    """Every scope where something may happen: each game in both environments, without those of deleted games."""
    return [(scope, game) for scope, game in every_scope(tx) if game.deleted_at is None]


def every_scope(tx: Transaction) -> list[tuple[Scope, Game]]:
    """Every scope that may hold rows: also those of deleted games."""
    return [
        (scope_of(game.game_id, environment), game) for game in tx.scan(ALL_GAMES) for environment in ("live", "test")
    ]


def games_of(tx: Transaction, scopes: Collection[Scope]) -> dict[Scope, Game]:
    """The games of these scopes, also deleted ones; a scope whose game is unknown is left out."""
    ids = sorted({scope.game_id for scope in scopes})
    if len(ids) < _MANY:
        rows = [row for row in tx.read_all(Get(GAMES, (game_id,)) for game_id in ids) if row is not None]
    else:
        rows = tx.scan(ALL_GAMES)
    games = {game.game_id: game for game in rows}
    return {scope: games[scope.game_id] for scope in scopes if scope.game_id in games}


def existing(tx: Transaction, scopes: Collection[Scope]) -> list[Scope]:
    """Those of these scopes whose games exist, in their order; the rows of a deleted game stay until they are purged."""
    return [scope for scope, game in games_of(tx, scopes).items() if game.deleted_at is None]
