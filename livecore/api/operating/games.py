"""Making and deleting games, for members of the studio.

A deleted game is gone at once for everybody: its keys are revoked, its endpoints removed, and nothing of it is due any more.
Its rows stay where they are until a command of the host purges them.
"""

from __future__ import annotations

from typing import cast

from livecore.access.directory import GAMES, STUDIOS, Game, add_game, delete_game, require_game
from livecore.access.game_rows import CreateGame, DeleteGame, GameDeleted, GameGiven
from livecore.access.games import game_row
from livecore.access.refusals import GameNotFound, StudioNotFound
from livecore.api.configuration.game_config import GameConfig
from livecore.api.operating.configuring import RunUnit, finish, scopes_of
from livecore.api.operating.settings import read_configuration
from livecore.api.requests.operator_context import OperatorContext
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Change, Unit
from livecore.webhooks.endpoints import list_endpoints, remove_endpoint


def create(context: OperatorContext, args: CreateGame) -> GameGiven:
    """Make a game in the studio, without keys, and prepare its scopes. Raises `ValidationFailed`."""
    config = GameConfig() if args.config is None else read_configuration(args.config)
    if args.name is not None:
        config = evolve(config, name=args.name)

    def make(unit: Unit) -> Game:
        studio = unit.tx.get(STUDIOS, context.studio_id)
        if studio is None:
            raise StudioNotFound
        made = add_game(unit.tx, studio, config, unit.now, unit.entropy, actor=unit.actor, via=context.principal.via)
        unit.audit_target = ("game", made.game_id)
        unit.change = Change(None, {"name": made.name})
        return made

    game = context.decide(None, make, _given)
    # If this is interrupted, a repetition does it, or the next start of a server.
    finish(context, game)
    return _given(game)


def _given(game: Game) -> GameGiven:
    return GameGiven(game=game_row(game))


def resume_creating(context: OperatorContext, data: JsonObject) -> None:
    """Prepare the scopes of a game that has been made, unless it has been deleted since."""
    given = cast("JsonObject", data["game"])
    game = context.read(DIRECTORY, None, lambda unit: unit.tx.get(GAMES, str(given["gameId"])))
    if game is not None and game.deleted_at is None:
        finish(context, game)


def delete(context: OperatorContext, args: DeleteGame) -> GameDeleted:
    """Delete the game of the path for good.

    Refusals: `GameNotFound`, `ValidationFailed` unless its name or id is repeated. A deletion that was interrupted is
    completed: as long as the deleted game has endpoints, it is not yet gone.
    """
    game = context.game
    if game is None:
        raise GameNotFound
    game_id = game.game_id

    def mark(unit: Unit) -> Game:
        present = require_game(unit.tx, game_id)
        _confirm(present, args)
        unit.change = Change({"name": present.name}, None)
        return delete_game(unit.tx, present, unit.now)

    if game.deleted_at is None:
        game = context.decide(game, mark, lambda _: GameDeleted(deleted=True))
    elif not any(context.read(scope, game, list_endpoints) for scope in scopes_of(game)):
        raise GameNotFound
    else:
        _confirm(game, args)
    remove_endpoints(context, game)
    return GameDeleted(deleted=True)


def resume_deleting(context: OperatorContext, _: JsonObject) -> None:
    """Remove the endpoints that a deleted game still has."""
    if context.game is not None:
        remove_endpoints(context, context.game)


def _confirm(game: Game, args: DeleteGame) -> None:
    if args.confirm not in (game.name, game.game_id):
        raise ValidationFailed({"confirm": "must be the name or the id of the game"})


def has_endpoints(run: RunUnit, game: Game) -> bool:
    """Whether there are endpoints of the game: a deletion of it that was interrupted has left them."""
    return any(run(list_endpoints, scope, game) for scope in scopes_of(game))


def remove_endpoints(run: RunUnit, game: Game) -> None:
    """Remove the webhook endpoints of a deleted game, in steps; it can be repeated."""
    for scope in scopes_of(game):
        # One at a time: the deliveries of an endpoint may be many.
        while run(_remove_one_endpoint, scope, game):
            pass


def _remove_one_endpoint(unit: Unit) -> bool:
    """Remove an endpoint, so that no process sends to it any more; returns whether there was one."""
    found = list_endpoints(unit)[:1]
    for endpoint in found:
        remove_endpoint(unit, endpoint.endpoint_id)
    return bool(found)
