"""The refusals about players: not found, already registered, banned, or a wrong secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Forbidden, Json, NotFound, Unauthorized, Unprocessable


class PlayerSecretInvalid(Unauthorized):
    """`X-Player-Secret` is missing or is not this player's."""

    code = "player_secret_invalid"
    text = "The player secret is missing or wrong."
    remedy = "Send the secret from registering; if it is lost, the studio's backend rotates it."


class PlayerBanned(Forbidden):
    """The player is banned; reads still work."""

    code = "player_banned"
    text = "This player is banned."
    remedy = "Only reads work until the ban is lifted; tell the player."


class PlayerNotFound(NotFound):
    """No such player in this game and environment."""

    code = "player_not_found"
    text = "There is no such player."
    named = "There is no player {}"
    remedy = "Register the player first, or check the id and the key's environment."


class PlayerAlreadyRegistered(Conflict):
    """The player already has a secret; the studio's backend can rotate it."""

    code = "player_already_registered"
    text = "This player is already registered."
    remedy = "Use the secret from the first registration; if it is lost, the studio's backend rotates it."


class RegistrationByBackend(Forbidden):
    """The game's configuration leaves the first secret of a player whom the backend has brought to the backend."""

    code = "registration_by_backend"
    text = "The studio's backend registers this player."
    remedy = "Sign in with the studio's own account; its backend gives the game the secret that rotate-secret answers."


class StorageLimitReached(Conflict):
    """The player's client has had as much free JSON and long text stored today as the deployment allows."""

    code = "storage_limit_reached"
    text = "No more metadata and long texts of this player are stored today."
    remedy = (
        "Send less metadata, or none, or try again after `details.resetsAt`. The operator of the server sets the limit "
        "(`--rate-limits player_bytes=…`)."
    )
    example: ClassVar[Mapping[str, Json]] = {
        "limitBytes": 1048576,
        "usedBytes": 1040000,
        "resetsAt": "2026-01-02T00:00:00.000Z",
    }


class InvalidMerge(Unprocessable):
    """These two players cannot become one; `details.reason` says why."""

    code = "invalid_merge"
    text = "These two players cannot be merged."
    remedy = (
        "`same_player`, `target_banned` and `target_deleted` are about the two; for `balance_overflow` take some of the "
        "resource that `details` names from either first."
    )
    example: ClassVar[Mapping[str, Json]] = {"reason": "balance_overflow", "resource": "gold"}
