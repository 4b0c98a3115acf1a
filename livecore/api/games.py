"""Making and deleting games, for members of the studio.

A deleted game is gone at once for everybody: its keys are revoked, its endpoints removed, and nothing of it is due any more.
Its rows stay where they are until a command of the host purges them.
"""

from __future__ import annotations

from livecore.access.directory import STUDIOS, Game, add_game, delete_game, require_game
from livecore.access.game_rows import CreateGame, DeleteGame, GameDeleted, GameGiven
from livecore.access.games import game_row
from livecore.access.refusals import GameNotFound, StudioNotFound
from livecore.api.configuring import finish, scopes_of
from livecore.api.desk import Desk
from livecore.api.game_config import GameConfig
from livecore.api.settings import read_configuration
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.records import evolve
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.unit import Change, Unit
from livecore.webhooks.endpoints import list_endpoints, remove_endpoint

__all__ = ["create", "delete"]


def create(desk: Desk, args: CreateGame) -> GameGiven:
    """Make a game in the studio, without keys, and prepare its scopes. Raises `ValidationFailed`."""
    config = GameConfig() if args.config is None else read_configuration(args.config)
    if args.name is not None:
        config = evolve(config, name=args.name)

    def make(unit: Unit) -> Game:
        studio = unit.tx.get(STUDIOS, desk.studio_id)
        if studio is None:
            raise StudioNotFound
        made = add_game(unit.tx, studio, config, unit.now, unit.entropy, actor=unit.actor, via=desk.principal.via)
        unit.audit_target = ("game", made.game_id)
        unit.change = Change(None, {"name": made.name})
        return made

    game = desk.write(DIRECTORY, None, make, audited=True)
    # If this is interrupted, the next start of a server does it.
    finish(desk, game)
    return GameGiven(game=game_row(game))


def delete(desk: Desk, args: DeleteGame) -> GameDeleted:
    """Delete the game of the path for good. Raises `ValidationFailed` unless its name or id is repeated."""
    game = desk.game
    if game is None:
        raise GameNotFound
    game_id = game.game_id

    def mark(unit: Unit) -> Game:
        present = require_game(unit.tx, game_id)
        if args.confirm not in (present.name, present.game_id):
            raise ValidationFailed({"confirm": "must be the name or the id of the game"})
        unit.change = Change({"name": present.name}, None)
        return delete_game(unit.tx, present, unit.now)

    deleted = desk.write(DIRECTORY, game, mark, audited=True)
    for scope in scopes_of(deleted):
        # One at a time: the deliveries of an endpoint may be many.
        while desk.write(scope, deleted, _remove_one_endpoint):
            pass
    return GameDeleted(deleted=True)


def _remove_one_endpoint(unit: Unit) -> bool:
    """Remove an endpoint, so that no process sends to it any more; returns whether there was one."""
    found = list_endpoints(unit)[:1]
    for endpoint in found:
        remove_endpoint(unit, endpoint.endpoint_id)
    return bool(found)
