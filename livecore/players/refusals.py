"""What is refused about a player: not there, already registered, banned, or not proven to be them."""

from __future__ import annotations

from livecore.kernel.errors import Conflict, Forbidden, NotFound, Unauthorized

__all__ = [
    "PlayerAlreadyRegistered",
    "PlayerBanned",
    "PlayerNotFound",
    "PlayerSecretInvalid",
]


class PlayerSecretInvalid(Unauthorized):
    """`X-Player-Secret` is missing or is not this player's."""

    code = "player_secret_invalid"
    text = "The player secret is missing or wrong."
    remedy = "Send the secret from registering; if it is lost, the studio's backend rotates it."


class PlayerBanned(Forbidden):
    """The player is banned; reads still work."""

    code = "player_banned"
    text = "This player is banned."
    remedy = "Nothing but reading works until the ban is lifted; tell the player."


class PlayerNotFound(NotFound):
    """No such player in this game and environment."""

    code = "player_not_found"
    text = "There is no such player."
    remedy = "Register the player first, or check the id and the key's environment."


class PlayerAlreadyRegistered(Conflict):
    """The player already has a secret; the studio's backend can rotate it."""

    code = "player_already_registered"
    text = "This player is already registered."
    remedy = "Use the secret from the first registration; if it is lost, the studio's backend rotates it."
