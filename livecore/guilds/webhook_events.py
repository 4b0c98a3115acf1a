"""Events about guilds: founding, membership, roles, requests to join and mutual help (specification 6.2).

Every payload names the guild and, as `by`, the actor: a player, an operator, an API key or the service itself.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, SHOWN, Absent, ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload

Role: TypeAlias = Literal["leader", "co_leader", "member"]
ChargedBy: TypeAlias = Literal["platform", "studio"]
"""Who charges a cost: the platform has already done it, or the studio has to."""


@shape
class By:
    """The actor of a change to a guild."""

    kind: Literal["player", "member", "api_key", "system"]
    player_id: ShownPlayerId | Absent = ABSENT
    external_player_id: ShownExternalId | Absent = ABSENT
    member_id: str | Absent = ABSENT
    api_key_prefix: str | Absent = ABSENT

    example: ClassVar = {"player_id": SHOWN, "external_player_id": SHOWN}

    @classmethod
    def player(cls, player_id: str, external_player_id: str) -> By:
        """A player of the game."""
        return cls(kind="player", player_id=player_id, external_player_id=external_player_id)

    @classmethod
    def member(cls, member_id: str) -> By:
        """An operator in the portal."""
        return cls(kind="member", member_id=member_id)

    @classmethod
    def api_key(cls, api_key_prefix: str) -> By:
        """The studio's backend, by its key."""
        return cls(kind="api_key", api_key_prefix=api_key_prefix)

    @classmethod
    def system(cls) -> By:
        """The service itself, by a rule or a sweep."""
        return cls(kind="system")


@shape
class GuildCost:
    """One resource that founding a guild costs."""

    type: Literal["item", "currency"]
    key: str
    amount: int


@shape
class _OfGuild(Payload):
    """The guild, and the actor."""

    guild_id: str
    guild_name: str
    by: By


@shape
class GuildCreated(_OfGuild):
    """A player founded a guild; `guild.member_joined` of the founder follows."""

    kind: ClassVar[str] = "guild.created"
    join_type: str
    country: str | None
    leader_player_id: ShownPlayerId
    leader_external_player_id: ShownExternalId
    cost: tuple[GuildCost, ...]
    costs_charged_by: ChargedBy
    created_at: Timestamp


@shape
class GuildUpdated(_OfGuild):
    """A guild's profile changed; `changes` maps each changed field to `{before, after}`."""

    kind: ClassVar[str] = "guild.updated"
    changes: dict[str, object]
    updated_at: Timestamp

    example: ClassVar = {"changes": {"name": {"before": "Old name", "after": "New name"}}}


@shape
class GuildDisbanded(_OfGuild):
    """A guild was disbanded, after every member's `guild.member_left`."""

    kind: ClassVar[str] = "guild.disbanded"
    reason: Literal["last_member_left", "admin"]
    disbanded_at: Timestamp


@shape
class GuildMemberJoined(_OfGuild):
    """A player joined a guild."""

    kind: ClassVar[str] = "guild.member_joined"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    role: Role
    via: Literal["created", "open", "request", "admin", "merge"]
    member_count: int
    joined_at: Timestamp


@shape
class GuildMemberLeft(_OfGuild):
    """A player is no longer in a guild; `role` is the one they held."""

    kind: ClassVar[str] = "guild.member_left"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    role: Role
    reason: Literal["left", "kicked", "removed", "disbanded", "erased", "merged"]
    member_count: int
    left_at: Timestamp


@shape
class GuildRoleChanged(_OfGuild):
    """A member's role changed."""

    kind: ClassVar[str] = "guild.role_changed"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    from_: Role
    to: Role
    reason: Literal[
        "promoted",
        "demoted",
        "leadership_transferred",
        "succession_leader_left",
        "succession_leader_inactive",
        "operator",
    ]
    changed_at: Timestamp

    example: ClassVar = {"from_": "member", "to": "co_leader"}


@shape
class GuildJoinRequested(_OfGuild):
    """A player asked to join a guild that takes members by request. Only joining emits another event; a refusal does not."""

    kind: ClassVar[str] = "guild.join_requested"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    request_id: str
    message: str | None
    requested_at: Timestamp

    example: ClassVar = {"request_id": "sample-join-request"}


@shape
class GuildHelpRequested(_OfGuild):
    """A member asked the guild for a resource."""

    kind: ClassVar[str] = "guild.help_requested"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    request_id: str
    type: Literal["item", "currency"]
    resource_key: str
    amount: int
    requested_at: Timestamp
    expires_at: Timestamp | None

    example: ClassVar = {"request_id": "sample-help-request"}


@shape
class GuildHelpDonated(_OfGuild):
    """A member gave another a requested resource; `grant.created` reports the grants to both.

    If `costsDonor` is true and `costsChargedBy` is `studio`, the studio has to take the amount from the donor.
    """

    kind: ClassVar[str] = "guild.help_donated"
    request_id: str
    donation_id: str
    grant_id: str
    reward_grant_id: str | None
    donor_player_id: ShownPlayerId
    donor_external_player_id: ShownExternalId
    recipient_player_id: ShownPlayerId
    recipient_external_player_id: ShownExternalId
    type: Literal["item", "currency"]
    resource_key: str
    amount: int
    costs_donor: bool
    costs_charged_by: ChargedBy
    amount_received: int
    amount_requested: int
    filled: bool
    donated_at: Timestamp

    example: ClassVar = {"request_id": "sample-help-request"}
