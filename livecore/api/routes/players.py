"""Players on both surfaces: registering, identity, profile, presence and secrets."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import TestEnvironmentOnly
from livecore.api.requests.registering import register, rotate
from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.kernel.errors import IdempotencyConflict
from livecore.players import identity, privacy, profile, rows, seen
from livecore.players.refusals import PlayerAlreadyRegistered, PlayerBanned, RegistrationByBackend

OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="players.register",
        surface="sdk",
        method="POST",
        path=SDK.prefix + "/register",
        credential="client_key",
        bucket="sdk_write",
        args=rows.Register,
        answers={201: rows.Registered, 200: rows.Registered},
        handler=register,
        summary="Register a player and mint the player secret.",
        about=(
            "Store the new secret with the player's saved game; the client libraries use it from then on. `force` replaces "
            "a lost secret, with a test key and for a test player only. `player_context` is free-form, and its `country` "
            "counts as the player's. A retry whose first answer was lost gets the same secret again. With an "
            "`idempotency_key` of your own, random and of at least 22 characters, a repetition gets it for 24 hours. A "
            "server may limit how many new players come from one address in an hour. A player whom the studio's backend has "
            "brought is registered by it, where `registration.knownPlayers` in the configuration is `backend`."
        ),
        errors=(TestEnvironmentOnly, PlayerBanned, RegistrationByBackend, IdempotencyConflict, PlayerAlreadyRegistered),
        writes=True,
        derives=True,
        subject="any",
        query=("force",),
    ),
    SDK.write(
        "players.setIdentity",
        "PUT /identity",
        rows.SetIdentity,
        {200: rows.IdentitySet},
        identity.set_identity,
        summary="Set one's own display name and picture.",
        about="Others see it from then on. The anonymised identity stays as it is.",
    ),
    SDK.write(
        "players.setPrivacy",
        "PUT /privacy",
        rows.SetPrivacy,
        {200: rows.PrivacySet},
        privacy.set_privacy,
        summary="Choose what other players see of oneself.",
        about=(
            "A player who is not `discoverable` is in no search or suggestion, and is still found by friend code and by the "
            "studio's id. `presence_to` says who sees whether the player is online, when they were last there, and the "
            "status: `everybody`, as far as the game shows it to strangers, `friends`, or `nobody`, not even friends. What "
            "is not shown is null, or `online: false`. What is left out stays, and null goes back to the game's setting."
        ),
    ),
    SDK.read(
        "players.getProfile",
        "/profile",
        rows.GetProfile,
        rows.Profile,
        profile.get_profile,
        summary="Read one's own profile.",
        about="Identity, country, platform, sessions and login streak.",
    ),
    Operation(
        name="presence.heartbeat",
        surface="sdk",
        method="POST",
        path=SDK.prefix + "/presence",
        credential="player",
        bucket="sdk_write",
        args=rows.Heartbeat,
        answers={200: rows.Presence},
        handler=seen.heartbeat,
        summary="Publish that the player is there.",
        about=(
            "Others see the player online for 90 seconds. `status` is a free-form label: left out it stays, null "
            "clears it."
        ),
        subject="existing",
    ),
    SERVER.write(
        "players.setIdentity",
        "PUT /identity",
        rows.SetIdentityAsServer,
        {200: rows.IdentitySet},
        identity.set_identity_as_server,
        summary="Change a player's name, picture and country.",
        about=(
            "What is left out stays. For `name` and `avatar` null goes back to the anonymised identity. A `country` "
            "overrides every other source, and null lifts the override."
        ),
    ),
    # The answer carries the secret, so it is derived again and not kept.
    attrs.evolve(
        SERVER.write(
            "players.rotateSecret",
            "POST /rotate-secret",
            rows.RotateSecret,
            {200: rows.SecretRotated},
            rotate,
            IdempotencyConflict,
            summary="Give a player a new secret.",
            about=(
                "For a player who lost their secret: hand the new one to the game client. The old one stops working "
                "at once."
            ),
        ),
        keyed=False,
        derives=True,
    ),
)
