"""Guilds on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Cursor,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Int,
    Limit,
    Metadata,
    ShownExternalId,
    ShownPlayerId,
    Text,
)
from livecore.players.rows import Country, Identity
from livecore.social.rows import Counterparty

GuildName = Annotated[str, Text(3, 40, name=True)]
"""A guild's name, 3 to 40 characters in composed form (NFC), one of them visible."""
Description = Annotated[str, Text(0, 500, lines=True)]
"""What a guild says of itself, in one or several lines."""
Badge = Annotated[str, Text(1, 512)]
"""A URL, asset key or id of a guild's picture."""
JoinMessage = Annotated[str, Text(0, 200, lines=True)]
"""What a player writes to a guild that they ask to join."""
JoinType: TypeAlias = Literal["open", "request"]
"""Whether anybody may join a guild, or only whose request is accepted."""
Role: TypeAlias = Literal["leader", "co_leader", "member"]
"""A member's role in a guild."""
LeftReason: TypeAlias = Literal["left", "kicked", "removed", "disbanded", "erased", "merged"]
"""Why somebody is no longer in a guild: the player's doing, a member's, the studio's, the guild's end, or the player's."""
Direction: TypeAlias = Literal["incoming", "outgoing"]
ResourceType: TypeAlias = Literal["item", "currency"]


# -- requests: guilds -----------------------------------------------------------------------------------------------------


@shape
class SearchGuilds:
    """Guilds to join: those with a word of the name that begins with `q` (2 to 40 characters), or all, newest first."""

    q: Annotated[str, Text(1, 100)] | None = None
    join_type: JoinType | None = None
    country: Country | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class OfGuild:
    """One guild."""

    guild_id: Id


@shape
class GetOwnGuild:
    """The player's own guild."""


@shape
class CreateGuild:
    """A new guild; without `joinType` it is the first one that the game offers."""

    name: GuildName
    description: Description | None = None
    badge: Badge | None = None
    country: Country | None = None
    join_type: JoinType | None = None
    metadata: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class UpdateGuild:
    """A change of the own guild's profile; a field that is left out stays."""

    name: GuildName | Absent = ABSENT
    description: Description | None | Absent = ABSENT
    badge: Badge | None | Absent = ABSENT
    country: Country | None | Absent = ABSENT
    join_type: JoinType | Absent = ABSENT
    metadata: Metadata | None | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


@shape
class JoinGuild:
    """Join a guild, or ask to; the message is for a guild that takes members by request."""

    guild_id: Id
    message: JoinMessage | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class LeaveGuild:
    """Leave one's guild."""

    idempotency_key: IdempotencyKey | None = None


@shape
class ListJoinRequests:
    """The open requests to the own guild, for those who answer them, and the player's own."""


@shape
class OfJoinRequest:
    """One request to join, to accept, decline or cancel."""

    request_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class OfMember:
    """One member of the own guild, to promote, demote or kick."""

    member_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class TransferLead:
    """The member who leads from now on."""

    external_player_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


# -- requests: help -------------------------------------------------------------------------------------------------------


@shape
class RequestHelp:
    """Ask the guild for a resource."""

    type: ResourceType
    resource_key: Annotated[str, Text(1, 64)]
    amount: int
    idempotency_key: IdempotencyKey | None = None


@shape
class ListHelp:
    """The open and filled requests for help of the own guild that have not expired, newest first."""


@shape
class Donate:
    """Give for another member's request; more than is missing gives what is missing."""

    request_id: Id
    amount: int
    idempotency_key: IdempotencyKey | None = None


# -- requests: the studio's backend ---------------------------------------------------------------------------------------


@shape
class ListGuilds:
    """Guilds for the studio's support, newest first: by a word of the name that begins with `q`, and by a member."""

    q: Annotated[str, Text(1, 100)] | None = None
    player: ExternalPlayerId | None = None
    include_disbanded: bool = False
    limit: Limit = 50
    offset: Annotated[int, Int(0, 100_000)] = 0


@shape
class UpdateGuildAsServer(UpdateGuild):
    """A change of a guild's profile by the studio, which the game's name filter does not judge."""

    guild_id: Id


@shape
class RemoveMember:
    """One member of a guild, to remove."""

    guild_id: Id
    member_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class TransferLeadAsServer(TransferLead):
    """The member of a guild who leads it from now on."""

    guild_id: Id


@shape
class DisbandGuild:
    """A guild, to end for good."""

    guild_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class GetGuildOfPlayer:
    """A player's guild, and those of the past."""


# -- rows -----------------------------------------------------------------------------------------------------------------


@shape
class GuildRow:
    """A guild as lists show it; a disbanded one has no leader."""

    guild_id: str
    name: str
    description: str | None
    badge: str | None
    country: str | None
    join_type: JoinType
    metadata: dict[str, object] | None
    member_count: int
    max_members: int
    leader: Counterparty | None
    created_at: Timestamp
    disbanded_at: Timestamp | None

    example: ClassVar = {"name": "Night Owls", "description": None, "badge": None, "disbanded_at": None}


@shape
class GuildMember:
    """One member of a guild."""

    external_player_id: ShownExternalId
    display_identity: Identity
    role: Role
    joined_at: Timestamp
    last_active_at: Timestamp | None


@shape
class GuildDetail(GuildRow):
    """A guild with its members: the leader, the co-leaders, the others, each by how long they have been in it."""

    members: tuple[GuildMember, ...]

    example: ClassVar = GuildRow.example


@shape
class JoinRequestRow:
    """One open request to join a guild, and the player who asks."""

    request_id: str
    direction: Direction
    guild_id: str
    player: Counterparty
    message: str | None
    created_at: Timestamp

    example: ClassVar = {"request_id": "grq_00000000000000000000000001"}


@shape
class StintOfMember:
    """One time that somebody was in the guild; `leftAt` is `null` while it lasts."""

    external_player_id: ShownExternalId
    role: Role
    joined_at: Timestamp
    left_at: Timestamp | None
    left_reason: LeftReason | None

    example: ClassVar = {"left_at": None, "left_reason": None}


@shape
class GuildForServer(GuildDetail):
    """A guild as the studio's support sees it: with open requests and who was in it, both newest first, at most 200 each."""

    requests: tuple[JoinRequestRow, ...]
    history: tuple[StintOfMember, ...]

    example: ClassVar = GuildRow.example


@shape
class StintInGuild:
    """One time that a player was in a guild; `leftAt` is `null` while it lasts."""

    guild_id: str
    guild_name: str
    role: Role
    joined_at: Timestamp
    left_at: Timestamp | None
    left_reason: LeftReason | None

    example: ClassVar = {"guild_name": "Night Owls", "left_at": None, "left_reason": None}


@shape
class HelpRow:
    """One request for help, and the member who asks."""

    request_id: str
    player: Counterparty
    type: ResourceType
    resource_key: str
    amount: int
    received: int
    status: Literal["open", "filled", "expired"]
    created_at: Timestamp
    expires_at: Timestamp

    example: ClassVar = {"request_id": "ghr_00000000000000000000000001", "amount": 25, "received": 10}


@shape
class DonationRow:
    """What was given: how much, whether the request has everything now, and the grants to the recipient and the donor."""

    donation_id: str
    amount: int
    filled: bool
    grant_id: str
    reward_grant_id: str | None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class Guilds:
    """A page of guilds."""

    guilds: tuple[GuildRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}


@shape
class OneGuild:
    """The guild."""

    guild: GuildRow


@shape
class OneGuildInDetail:
    """The guild with its members."""

    guild: GuildDetail


@shape
class OwnGuild:
    """The player's guild and role, both `null` without one."""

    guild: GuildRow | None
    role: Role | None


@shape
class JoinAnswer:
    """`joined` with the guild, or `requested` with the open request."""

    status: Literal["joined", "requested"]
    guild: GuildRow | Absent = ABSENT
    request: JoinRequestRow | Absent = ABSENT


@shape
class Left:
    """The player has left, and was perhaps the last member."""

    left: Literal[True]
    disbanded: bool


@shape
class JoinRequests:
    """Open requests, newest first: to the own guild, for those who answer them, and the player's own."""

    incoming: tuple[JoinRequestRow, ...]
    outgoing: tuple[JoinRequestRow, ...]


@shape
class JoinRequestEnded:
    """The request that was declined or cancelled."""

    request: JoinRequestRow


@shape
class HelpRequested:
    """The new request for help."""

    request: HelpRow


@shape
class HelpRequests:
    """Requests for help, newest first."""

    requests: tuple[HelpRow, ...]


@shape
class Donated:
    """What was given."""

    donation: DonationRow


@shape
class GuildsForServer:
    """A part of the guilds, and how many there are."""

    guilds: tuple[GuildRow, ...]
    total: int
    limit: int
    offset: int


@shape
class OneGuildForServer:
    """The guild with everything."""

    guild: GuildForServer


@shape
class GuildOfPlayer:
    """A player's guild and role, and each time that the player was in a guild, newest first, at most 200."""

    guild: GuildRow | None
    role: Role | None
    stints: tuple[StintInGuild, ...]


@shape
class MemberRemoved:
    """The member is no longer in the guild."""

    removed: Literal[True]
    guild: GuildForServer


# -- exports --------------------------------------------------------------------------------------------------------------


@shape
class ExportedJoinRequest:
    """An open request to join, in an export."""

    request_id: str
    guild_id: str
    message: str | None
    created_at: Timestamp


@shape
class ExportedHelp:
    """A request for help that the player made, in an export."""

    request_id: str
    guild_id: str
    type: ResourceType
    resource_key: str
    amount: int
    received: int
    created_at: Timestamp
    expires_at: Timestamp


@shape
class ExportedDonation:
    """A donation that the player gave or received, in an export; the other is shown only by the service's id."""

    donation_id: str
    guild_id: str
    direction: Direction
    player_id: ShownPlayerId
    type: ResourceType
    resource_key: str
    amount: int
    donated_at: Timestamp
