# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Players: registering, identity, profile and secret."""

from __future__ import annotations

from collections.abc import Mapping

from livecore.kernel.shapes import ABSENT, Absent
from livecore.players.rows import (
    GetProfile,
    IdentitySet,
    Profile,
    Register,
    Registered,
    RotateSecret,
    SecretRotated,
    SetIdentity,
    SetIdentityAsServer,
)
from livecore_client._arguments import json_object
from livecore_client._sync.resource import SdkResource, ServerResource

__all__ = ["SdkPlayers", "ServerPlayers"]


class SdkPlayers(SdkResource):
    """The player that the client acts for."""

    def register(
        self,
        *,
        force: bool = False,
        player_context: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> Registered:
        """Register the player and use the new secret from now on; store it with the player's saved game.

        `force` replaces a lost secret, with a test key and for a test player only. `player_context` is free-form, and its
        `country` counts as the player's. Raises `PlayerAlreadyRegistered` where the player has a secret, which is also what
        a retry says whose first answer was lost: the service keeps no copy of a secret to repeat.
        """
        arguments = Register(force=force, player_context=json_object(player_context), idempotency_key=idempotency_key)
        answer = self._send("POST", "/register", arguments, Registered, query=("force",), needs_secret=False)
        self._caller.player_secret = answer.player_secret
        return answer

    def set_identity(self, *, name: str, avatar: str | None = None, idempotency_key: str | None = None) -> IdentitySet:
        """Set the name and picture that others see; the anonymised identity stays as it is."""
        arguments = SetIdentity(name=name, avatar=avatar, idempotency_key=idempotency_key)
        return self._send("PUT", "/identity", arguments, IdentitySet)

    def get_profile(self) -> Profile:
        """The player's own identity, country, platform, sessions and login streak."""
        return self._send("GET", "/profile", GetProfile(), Profile)


class ServerPlayers(ServerResource):
    """Any player of the game."""

    def set_identity(
        self,
        external_player_id: str,
        *,
        name: str,
        avatar: str | None = None,
        country: str | None | Absent = ABSENT,
        idempotency_key: str | None = None,
    ) -> IdentitySet:
        """Set a player's name and picture, and optionally the country, which then overrides every other source.

        `country=None` lifts the override; left out, it stays as it is. Raises `PlayerNotFound`.
        """
        arguments = SetIdentityAsServer(name=name, avatar=avatar, country=country, idempotency_key=idempotency_key)
        return self._send(external_player_id, "PUT", "/identity", arguments, IdentitySet)

    def rotate_secret(self, external_player_id: str, *, idempotency_key: str | None = None) -> SecretRotated:
        """Give a player who lost their secret a new one, to hand to the game client; the old one is dead at once.

        Raises `PlayerNotFound`.
        """
        arguments = RotateSecret(idempotency_key=idempotency_key)
        return self._send(external_player_id, "POST", "/rotate-secret", arguments, SecretRotated)
