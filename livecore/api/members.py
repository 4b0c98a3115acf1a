"""Requests by a member of a studio: authentication, the game of the path, and the permission.

A function that is passed to the application authenticates the member by a session or a personal key. Without one there are
no members, and every such request is refused with `SessionInvalid`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qs

from livecore.access.directory import Game, require_game
from livecore.access.principals import Principal, require_permission
from livecore.access.refusals import GameNotFound, SessionInvalid
from livecore.api.http import Request
from livecore.api.operation import Operation
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.scope import DIRECTORY, Scope, scope_of
from livecore.kernel.store import Transaction
from livecore.kernel.time import Millis

__all__ = ["Members", "enter_as_member", "no_members"]

_ENVIRONMENTS: Final[tuple[Literal["live", "test"], ...]] = ("live", "test")


Members: TypeAlias = Callable[[Transaction, Request, Millis], Principal]
"""Finds the member whose session or personal key a request carries, in the directory. Raises `SessionInvalid`."""


def no_members(_: Transaction, __: Request, ___: Millis) -> Principal:
    """Has no members. Raises `SessionInvalid`."""
    raise SessionInvalid


def enter_as_member(
    members: Members,
    directory: Transaction,
    operation: Operation,
    request: Request,
    values: tuple[str, ...],
    now: Millis,
) -> tuple[Principal, Game | None, Scope]:
    """The member, the game of the path if it names one, and the scope that the operation runs in.

    Refusals, in order: `SessionInvalid`, `GameNotFound`, `PermissionDenied`, `DashboardOnly`, `ReadOnlyKey`,
    `ValidationFailed` for another environment than `live` and `test`.
    """
    principal = members(directory, request, now)
    game = _game(directory, principal, dict(zip(operation.variables, values, strict=True)).get("gameId"))
    require_permission(
        principal, operation.permission, changes=operation.writes, dashboard_only=operation.dashboard_only
    )
    if game is None:
        return principal, None, DIRECTORY
    return principal, game, scope_of(game.game_id, _environment(request))


def _game(directory: Transaction, principal: Principal, game_id: str | None) -> Game | None:
    if game_id is None:
        return None
    game = require_game(directory, game_id)
    # Another studio's game is answered like a game that does not exist.
    if game.studio_id != principal.studio_id or (principal.games is not None and game_id not in principal.games):
        raise GameNotFound
    return game


def _environment(request: Request) -> Literal["live", "test"]:
    given = parse_qs(request.query, keep_blank_values=True).get("environment", ["live"])[-1]
    for environment in _ENVIRONMENTS:
        if given == environment:
            return environment
    raise ValidationFailed({"environment": "must be 'live' or 'test'"})
