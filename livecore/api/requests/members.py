"""Requests by a member of a studio: who asks, for which studio and game, and whether the role allows it.

    authenticate   a personal key in `Authorization`, or else a session in a cookie: the person
    admit          the studio and the game of the path, then the permission of the person's role there

A bearer token wins over a cookie. Membership and role are read with every request, so that a change of them holds from the
next request on, in every process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import parse_qs

import attrs

from livecore.access import members as membership
from livecore.access.binding import opens
from livecore.access.directory import GAMES, STUDIOS, Game, require_game
from livecore.access.keys import authenticate, bearer_token
from livecore.access.members import MEMBERS, Member, Membership
from livecore.access.personal_keys import PREFIX, PersonalKey, authenticate_personal_key
from livecore.access.principals import Principal
from livecore.access.refusals import (
    ApiKeyMissing,
    ApiKeyRevoked,
    GameNotFound,
    ReadOnlyKey,
    SessionInvalid,
    StudioNotFound,
    WrongPermissionSet,
)
from livecore.access.roles import permissions_of
from livecore.access.sessions import Session, find_session, require_same_origin, session_cookie, token_of
from livecore.api.requests.http import Request
from livecore.api.table.operation import Operation
from livecore.kernel.errors import JsonObject, Refusal
from livecore.kernel.scope import DIRECTORY, Scope, scope_of
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import EphemeralState

_UNREAD: Final[JsonObject] = {}
"""The body of an operation that is not judged by it."""


@attrs.frozen
class Person:
    """A member who is known, by a session or by a personal key of one studio."""

    member: Member
    session: Session | None
    key: PersonalKey | None
    via: Literal["session", "api", "mcp"]
    credential: str
    """The id of the session or the key."""


@attrs.frozen
class Admitted:
    """A member who may make a request: who, for which game if the path names one, and the scope that it runs in."""

    principal: Principal
    game: Game | None
    scope: Scope


def authenticate_member(
    directory: Transaction, ephemeral: EphemeralState, request: Request, now: Millis, *, origin: str | None
) -> Person:
    """The person whose personal key or session a request carries; `origin` is where browsers reach the service.

    Refusals: of a bearer token `ApiKeyMissing`, `ApiKeyInvalid`, `ApiKeyRevoked` and, for a key of a game,
    `WrongPermissionSet`; of a cookie `SessionInvalid`, then `SameOriginRequired`.
    """
    authorization = request.headers.get("authorization")
    if authorization is not None:
        token = bearer_token(authorization)
        if not token.startswith(PREFIX):
            _refuse_other_keys(directory, authorization, now)
        key = authenticate_personal_key(directory, token, now)
        return Person(_member(directory, key.member_id), None, key, request.via, key.key_id)
    shown = token_of(request.headers.get("cookie"), session_cookie(origin))
    if shown is None:
        raise SessionInvalid
    session = find_session(directory, ephemeral, shown, now)
    member = _member(directory, session.member_id)
    require_same_origin(request.method, request.headers, origin)
    return Person(member, session, None, "session", session.session_id)


def authenticate_key_holder(
    directory: Transaction, ephemeral: EphemeralState, request: Request, now: Millis
) -> tuple[Person, Principal]:
    """The member whose personal key a request carries, in the key's studio; a session is not enough.

    Refusals: those of `authenticate_member` for a bearer token.
    """
    if request.headers.get("authorization") is None:
        raise ApiKeyMissing
    person = authenticate_member(directory, ephemeral, request, now, origin=None)
    if person.key is None:
        raise ApiKeyMissing
    try:
        return person, _in_studio(directory, person, person.key.studio_id)
    except StudioNotFound:
        raise ApiKeyRevoked from None


def _refuse_other_keys(directory: Transaction, authorization: str, now: Millis) -> None:
    """Refuse a bearer token that is no personal key: a key of a game is told that it is the wrong kind."""
    authenticate(directory, authorization, "server", now)
    raise WrongPermissionSet


def _member(directory: Transaction, member_id: str) -> Member:
    member = directory.get(MEMBERS, member_id)
    if member is None:
        raise SessionInvalid
    return member


def admit_member(
    directory: Transaction, person: Person, operation: Operation, request: Request, named: Mapping[str, str]
) -> Admitted:
    """The member in the studio and the game that the path names, with the permission that the operation needs.

    Refusals, in order: `StudioNotFound`, `GameNotFound`, `PermissionDenied`, `DashboardOnly`, `ReadOnlyKey`. What depends on
    the body is left to `calling.judge`.
    """
    studio_id, game_id = named.get("studioId"), named.get("gameId")
    if studio_id is None:
        principal = _principal(person, "", frozenset(), None)
        _require(principal, operation, None)
        return Admitted(principal, None, DIRECTORY)
    principal = _in_studio(directory, person, studio_id)
    game = None if game_id is None else _game(directory, principal, operation, game_id)
    environment = None if game is None or operation.reach != "game" else environment_of(request.query)
    _require(principal, operation, environment)
    if game is None or environment is None:
        return Admitted(principal, game, DIRECTORY)
    return Admitted(principal, game, scope_of(game.game_id, environment))


def _may(principal: Principal, operation: Operation) -> bool:
    try:
        _require(principal, operation, None)
    except Refusal:
        return False
    return True


def _require(principal: Principal, operation: Operation, environment: str | None) -> None:
    if operation.permission is not None:
        principal.require(operation.permission, environment)
    if not operation.judged:
        # Otherwise what the body says about permissions comes before these.
        refuse_by_kind(principal, operation, environment, _UNREAD)


def refuse_by_kind(principal: Principal, operation: Operation, environment: str | None, body: JsonObject) -> None:
    """Check what the kind of principal decides; the body of an operation that is judged by it was judged before.

    Refusals, in order: `DashboardOnly`, `ReadOnlyKey`.
    """
    wants_session = operation.dashboard_only is True or (operation.dashboard_only == "live" and environment == "live")
    if wants_session and (members := operation.dashboard_only_with):
        wants_session = any(name in body for name in members)
    if wants_session:
        principal.require_signed_in()
    if operation.writes and principal.read_only:
        raise ReadOnlyKey


def _in_studio(directory: Transaction, person: Person, studio_id: str) -> Principal:
    held = membership.membership_of(directory, studio_id, person.member.member_id)
    if held is None or not _opens(held, person) or directory.get(STUDIOS, studio_id) is None:
        raise StudioNotFound
    games = membership.games_of(held)
    return _principal(person, studio_id, permissions_of(held.role), None if games is None else frozenset(games))


def _opens(held: Membership, person: Person) -> bool:
    if person.session is not None:
        return opens(held, person.session)
    return person.key is not None and person.key.studio_id == held.studio_id


def _principal(person: Person, studio_id: str, permissions: frozenset[str], games: frozenset[str] | None) -> Principal:
    return Principal(
        "session" if person.key is None else "personal_key",
        person.member.member_id,
        studio_id=studio_id,
        games=games,
        permissions=permissions,
        read_only=person.key is not None and person.key.read_only,
        credential=person.credential,
        via=person.via,
    )


def _game(directory: Transaction, principal: Principal, operation: Operation, game_id: str) -> Game:
    """The game of the path; a deleted one for who repeats its deletion and may delete games."""
    game = directory.get(GAMES, game_id) if operation.ends_game and _may(principal, operation) else None
    if game is None:
        game = require_game(directory, game_id)
    # Another studio's game is answered like a game that does not exist.
    if game.studio_id != principal.studio_id or (principal.games is not None and game_id not in principal.games):
        raise GameNotFound
    return game


def environment_of(query: str) -> Literal["live", "test"]:
    """The environment that a query names, `live` by default. The reader of the arguments refuses any other text."""
    given = parse_qs(query, keep_blank_values=True).get("environment", ["live"])[-1]
    return "test" if given == "test" else "live"
