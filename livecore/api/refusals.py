"""The refusals that an operation can give."""

from __future__ import annotations

from livecore.access import refusals as access
from livecore.api.table.operation import Operation
from livecore.api.table.stored_texts import stored_fields
from livecore.kernel import errors as kernel
from livecore.kernel.errors import Refusal
from livecore.players import refusals as players


def refusals_of(operation: Operation) -> tuple[type[Refusal], ...]:
    """Every refusal that an operation can give, by status: its own, and those that follow from its declaration.

    Refusals before the operation is known (no such route, no such method, not HTTP) are not included.
    """
    found = [
        *_of_caller(operation),
        *_of_request(operation),
        *operation.errors,
        kernel.InternalError,
        kernel.Overloaded,
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda refusal: refusal.status))


def _of_caller(operation: Operation) -> list[type[Refusal]]:
    """The refusals that follow from the credential: key, rate limit, player."""
    if operation.credential == "none":
        return []
    if operation.credential == "member":
        return _of_member(operation)
    found: list[type[Refusal]] = [access.ApiKeyMissing, access.ApiKeyInvalid, access.ApiKeyRevoked]
    found += [access.WrongPermissionSet, kernel.RateLimited]
    if operation.subject == "existing":
        found.append(players.PlayerNotFound)
    if operation.credential == "player":
        found.append(players.PlayerSecretInvalid)
        if operation.method != "GET":
            found.append(players.PlayerBanned)
    return found


def _of_member(operation: Operation) -> list[type[Refusal]]:
    found: list[type[Refusal]] = [access.SessionInvalid, access.ApiKeyMissing, access.ApiKeyInvalid]
    found += [access.ApiKeyRevoked, access.WrongPermissionSet, kernel.RateLimited]
    if operation.method != "GET":
        found.append(access.SameOriginRequired)
    if "studioId" in operation.variables:
        found.append(access.StudioNotFound)
    if "gameId" in operation.variables:
        found.append(access.GameNotFound)
    if operation.subject == "existing":
        found.append(players.PlayerNotFound)
    if operation.permission is not None:
        found.append(access.PermissionDenied)
    if operation.dashboard_only:
        found.append(access.DashboardOnly)
    if operation.writes and operation.dashboard_only is not True:
        found.append(access.ReadOnlyKey)
    return found


def _of_request(operation: Operation) -> list[type[Refusal]]:
    """The refusals that follow from arguments, body and idempotency key."""
    found: list[type[Refusal]] = [kernel.ValidationFailed]
    # A DELETE is documented without a body, but a body with an idempotency key is read and checked like any other.
    if operation.method != "GET":
        found += [kernel.MalformedJson, kernel.BodyTooLarge, kernel.UnsupportedMediaType, kernel.BodyTimeout]
    if operation.keyed:
        found.append(kernel.IdempotencyConflict)
    if stored_fields(operation):
        found.append(players.StorageLimitReached)
    return found
