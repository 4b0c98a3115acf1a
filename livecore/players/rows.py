"""Players on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import attrs

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    IdempotencyKey,
    Metadata,
    Reason,
    ShownExternalId,
    ShownPlayerId,
    Text,
)

LONGEST_NAME: Final = 40
"""How many characters a display name has at most."""
DisplayName = Annotated[str, Text(1, LONGEST_NAME, name=True)]
"""A display name, 1 to 40 characters in composed form (NFC), one of them visible."""
Avatar = Annotated[str, Text(1, 512)]
"""A URL, asset key or id of a picture."""
Country = Annotated[str, Text(2, 2, r"[A-Z]{2}", "must be a two-letter country code such as SE")]
"""An ISO 3166-1 alpha-2 country code."""
PresenceStatus = Annotated[str, Text(0, 100)]
"""A free-form presence label."""
PresenceTo: TypeAlias = Literal["everybody", "friends", "nobody"]
"""Who sees whether a player is there."""


@shape
class Identity:
    """A name, a picture and a country, as other players see them."""

    name: str
    avatar: str | None
    country: str | None

    example: ClassVar = {"name": "Brave Otter", "avatar": "otter-3"}


@shape
class PlayerRef:
    """A player by both ids: the service's and the studio's own."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId


# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class Register:
    """First contact of a game client; `force` rotates the secret of a test player in place."""

    force: bool = False
    player_context: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class SetIdentity:
    """The name and picture that a player chose."""

    name: DisplayName
    avatar: Avatar | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class SetIdentityAsServer:
    """The studio's backend changes a player's name, picture and country, each independently.

    A field that is left out stays. For name and picture `null` restores those of the anonymised identity; the country is an
    override, and `null` removes it.
    """

    name: DisplayName | None | Absent = ABSENT
    avatar: Avatar | None | Absent = ABSENT
    country: Country | None | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


@shape
class SetPrivacy:
    """What others see of the player. A choice that is left out stays; `null` takes it back, and the game's setting holds."""

    discoverable: bool | None | Absent = ABSENT
    presence_to: PresenceTo | None | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


@shape
class GetProfile:
    """The player's own profile."""


@shape
class RotateSecret:
    """A new secret for a player who lost theirs."""

    idempotency_key: IdempotencyKey | None = None


@shape
class Heartbeat:
    """A heartbeat; `status` left out keeps the label, `null` clears it."""

    status: PresenceStatus | None | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


@shape
class Ban:
    """Refuse a player's writes from now on; banning again replaces the reason."""

    reason: Reason
    idempotency_key: IdempotencyKey | None = None


@shape
class Unban:
    """Lift a player's ban, if there is one."""

    idempotency_key: IdempotencyKey | None = None


@shape
class FlagDebug:
    """Mark a player as a debug account. Revenue reports leave it out, also its earlier purchases."""

    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class UnflagDebug:
    """Make a debug account an ordinary one again. Revenue reports then include all its purchases."""

    idempotency_key: IdempotencyKey | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class Registered:
    """A registered player; the secret is shown only once and stored only as a hash."""

    player_secret: str = attrs.field(repr=False)
    player: PlayerRef
    country: str | None
    synthetic_identity: Identity
    display_identity: Identity
    anonymized_identity: Identity


@shape
class SecretRotated:
    """The new secret, shown only once; the old one no longer works."""

    player_secret: str = attrs.field(repr=False)
    secret_prefix: str
    secret_rotated_at: Timestamp


@shape
class IdentitySet:
    """The identity as others see it from now on."""

    display_identity: Identity


@shape
class PrivacySettings:
    """What holds for a player: whether searches and suggestions show them, and who sees whether they are there."""

    discoverable: bool
    presence_to: PresenceTo

    example: ClassVar = {"discoverable": True, "presence_to": "friends"}


@shape
class PrivacySet:
    """What holds from now on: the player's own choices, and the game's settings where the player has made none."""

    privacy: PrivacySettings


@shape
class Presence:
    """Whether a player is online: the last heartbeat is at most 90 seconds old."""

    online: bool
    last_active_at: Timestamp | None
    status: str | None

    example: ClassVar = {"online": True, "status": "in the lobby"}


@shape
class Platform:
    """The platform that the player last used; `registered` says whether the service or the game knows it."""

    key: str
    registered: bool

    example: ClassVar = {"key": "ios", "registered": True}


@shape
class LoginStreak:
    """Consecutive UTC days with a session: the current streak and the best one."""

    current: int
    best: int


@shape
class Profile:
    """A player's own profile."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    display_identity: Identity
    anonymized_identity: Identity
    synthetic_identity: Identity
    country: str | None
    platform: Platform | None
    app_version: str | None
    sessions: int
    login_streak: LoginStreak
    first_seen_at: Timestamp
    last_seen_at: Timestamp

    example: ClassVar = {"app_version": "1.4.0"}


@shape
class BanState:
    """A player's state after a ban or after lifting it; `applied` says whether the request changed it."""

    applied: bool
    banned: bool
    reason: str | None
    banned_at: Timestamp | None


@shape
class DebugState:
    """Whether a player is a debug account, with the reason if given; `applied` says whether the request changed it."""

    applied: bool
    debug: bool
    reason: str | Absent = ABSENT
