"""Events about a player's record: first contact, secrets and ban (specification 3.8 and 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Actor as Acting
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload

SecretVia: TypeAlias = Literal["sdk_register", "force_rotate", "server_rotate", "admin_rotate"]
"""The origin of a secret: first registration, `register?force=true`, the studio's backend, or an operator."""


@shape
class Actor:
    """Who acted on a player: an API key, shown by its prefix, or a member of the studio."""

    kind: Literal["api_key", "member"]
    prefix: str | Absent = ABSENT
    member_id: str | Absent = ABSENT

    example: ClassVar = {"prefix": "lc_test_server_sample"}

    @classmethod
    def of(cls, actor: Acting) -> Actor:
        """The actor of a unit of work, which must be an API key or a member."""
        return cls.member(actor.ref) if actor.kind == "member" else cls.api_key(actor.ref)

    @classmethod
    def api_key(cls, prefix: str) -> Actor:
        """The studio's backend, by its key."""
        return cls(kind="api_key", prefix=prefix)

    @classmethod
    def member(cls, member_id: str) -> Actor:
        """An operator in the portal."""
        return cls(kind="member", member_id=member_id)


@shape
class PlayerRegistered(Payload):
    """A player's row was created, at first contact of any sort."""

    kind: ClassVar[str] = "player.registered"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    first_seen_at: Timestamp
    context_snapshot: dict[str, object]


@shape
class PlayerSecretSet(Payload):
    """A player got their first secret; the event holds only the prefix of the secret."""

    kind: ClassVar[str] = "player.secret_set"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    secret_prefix: str
    registered_at: Timestamp
    secret_rotated_at: Timestamp | None
    via: SecretVia

    example: ClassVar = {"secret_rotated_at": None}


@shape
class PlayerSecretRotated(Payload):
    """A player's secret was replaced; the previous one no longer works."""

    kind: ClassVar[str] = "player.secret_rotated"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    secret_prefix: str
    registered_at: Timestamp
    secret_rotated_at: Timestamp | None
    via: SecretVia

    example: ClassVar = {"via": "force_rotate"}


@shape
class PlayerBanned(Payload):
    """A player was banned; banning again only replaces the reason and emits no event."""

    kind: ClassVar[str] = "player.banned"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    reason: str
    banned_at: Timestamp
    actor: Actor


@shape
class PlayerUnbanned(Payload):
    """A ban was lifted; lifting a ban that does not exist emits no event."""

    kind: ClassVar[str] = "player.unbanned"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    unbanned_at: Timestamp
    actor: Actor
