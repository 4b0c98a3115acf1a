"""Teams and invitations on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from livecore.events.definition_rows import MOST_SEATS, Formation
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Cursor,
    DefinitionKey,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Items,
    Limit,
    Metadata,
    ShownExternalId,
    ShownPlayerId,
    Text,
)
from livecore.players.rows import Identity
from livecore.social.rows import Counterparty

_TeamKey = Annotated[
    str,
    Text(1, 128, r"(?!\.{1,2}$)[\x20-\x2e\x30-\x7e]+", "must be 1 to 128 printable ASCII characters without '/'"),
]
"""The name of a team in its window, for programs; of a team that the studio's backend forms, the studio's own."""
TeamName = Annotated[str, Text(1, 40, name=True)]
"""A team's name, 1 to 40 characters in composed form (NFC), one of them visible."""
TeamStatus: TypeAlias = Literal["forming", "active", "completed", "finalized"]
"""Whether a team still gathers members, plays, has reached its goal, or is over."""


# -- requests: players ----------------------------------------------------------------------------------------------------


@shape
class ListTeams:
    """Teams with a free seat, the fullest first."""

    key: DefinitionKey
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetOwnTeam:
    """The player's own team in the open window."""

    key: DefinitionKey


@shape
class CreateTeam:
    """A new team."""

    key: DefinitionKey
    name: TeamName | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class JoinTeam:
    """Join the team with this key, or, without one, the fullest that has a free seat; where none has, a new one."""

    key: DefinitionKey
    team_key: _TeamKey | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class LeaveTeam:
    """Leave one's team."""

    key: DefinitionKey
    idempotency_key: IdempotencyKey | None = None


@shape
class KickFromTeam:
    """Remove a member from one's team."""

    key: DefinitionKey
    member_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class InvitePartner:
    """Invite a player to form a pair."""

    key: DefinitionKey
    external_player_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class ListInvites:
    """The player's open invitations to pairs."""

    key: DefinitionKey


@shape
class AnswerInvite:
    """One invitation, to accept, decline or cancel."""

    key: DefinitionKey
    invite_id: Id
    idempotency_key: IdempotencyKey | None = None


# -- requests: the studio's backend ---------------------------------------------------------------------------------------


@shape
class GetTeam:
    """A team by its key, of the open window or of another one."""

    event_key: DefinitionKey
    team_key: _TeamKey
    window_id: Id | None = None


@shape
class PutRoster:
    """The whole roster of a team for one window: the open one, else the next, or the one that is named.

    A name or attributes that are left out stay as they are.
    """

    event_key: DefinitionKey
    team_key: _TeamKey
    window_id: Id | None = None
    external_player_ids: Annotated[tuple[ExternalPlayerId, ...], Items(0, MOST_SEATS, unique=True)]
    name: TeamName | None = None
    attributes: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class UpdateTeam:
    """Another name or other attributes for a team, of the open window or of another one; what is left out stays."""

    event_key: DefinitionKey
    team_key: _TeamKey
    window_id: Id | None = None
    name: TeamName | None | Absent = ABSENT
    attributes: Metadata | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


# -- requests: the studio's members ---------------------------------------------------------------------------------------


@shape
class OfTeam:
    """A team by its id."""

    team_id: Id


@shape
class UpdateTeamById:
    """Another name or other attributes for a team; what is left out stays."""

    team_id: Id
    name: TeamName | None | Absent = ABSENT
    attributes: Metadata | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None


@shape
class ListTeamsOfWindow:
    """The teams of a window, by their keys."""

    event_key: DefinitionKey
    window_id: Id
    limit: Limit = 50
    cursor: Cursor | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class TeamMember:
    """A member of a team, and what the member has contributed; the one with the most has rank 1."""

    seat_id: str
    external_player_id: ShownExternalId
    display_identity: Identity
    contribution: int
    rank: int
    joined_at: Timestamp

    example: ClassVar = {"seat_id": "est_00000000000000000000000001", "contribution": 120, "rank": 1}


@shape
class TeamSummary:
    """A team in one window, and its score.

    `goal` is the score at which it reaches its goal, or `null`. `finalRank` is its rank once the window is closed, `null` if
    the event ranks no teams or nobody has contributed. `milestones` are the keys of those that it has unlocked.
    """

    event_team_id: str
    team_key: str
    name: str | None
    formation: Formation
    event_key: str
    event_window_id: str
    status: TeamStatus
    member_count: int
    max_members: int
    score: int
    goal: int | None
    completed: bool
    final_rank: int | None
    attributes: dict[str, object]
    milestones: tuple[str, ...]

    example: ClassVar = {"event_team_id": "etm_00000000000000000000000001", "team_key": "7kq2mz", "name": "The Otters"}


@shape
class TeamRow(TeamSummary):
    """A team in one window, its score, and its members by what they have contributed.

    `goal` is the score at which it reaches its goal, or `null`. `finalRank` is its rank once the window is closed, `null` if
    the event ranks no teams or nobody has contributed. `milestones` are the keys of those that it has unlocked.
    """

    members: tuple[TeamMember, ...]

    example: ClassVar = {"event_team_id": "etm_00000000000000000000000001", "team_key": "7kq2mz", "name": "The Otters"}


@shape
class OneTeam:
    """A team."""

    team: TeamRow


@shape
class OwnTeam:
    """The player's own team, `null` without one."""

    team: TeamRow | None


@shape
class Teams:
    """A page of teams."""

    teams: tuple[TeamRow, ...]
    next_cursor: str | None


@shape
class TeamSummaries:
    """A page of teams without their members, by their keys."""

    teams: tuple[TeamSummary, ...]
    next_cursor: str | None


@shape
class TeamLeft:
    """The player is not in the team any more."""

    left: Literal[True]


@shape
class TeamMemberRemoved:
    """The member is not in the team any more."""

    removed: Literal[True]


@shape
class InviteRow:
    """An open invitation to form a pair, as one of its two players sees it."""

    invite_id: str
    direction: Literal["incoming", "outgoing"]
    player: Counterparty
    event_key: str
    event_window_id: str
    created_at: Timestamp
    expires_at: Timestamp

    example: ClassVar = {"invite_id": "inv_00000000000000000000000001", "direction": "outgoing"}


@shape
class InviteAnswer:
    """The invitation, or the pair where the other player had invited this one."""

    invite: InviteRow | Absent = ABSENT
    team: TeamRow | Absent = ABSENT


@shape
class OneInvite:
    """An invitation that has ended."""

    invite: InviteRow


@shape
class Invites:
    """Open invitations in both directions, newest first."""

    incoming: tuple[InviteRow, ...]
    outgoing: tuple[InviteRow, ...]


@shape
class RosterWindow:
    """The window that a roster is for."""

    event_window_id: str
    starts_at: Timestamp
    ends_at: Timestamp
    status: Literal["scheduled", "active"]


@shape
class Roster:
    """The team with its whole roster, and the window that it is for."""

    team: TeamRow
    window: RosterWindow


# -- exports --------------------------------------------------------------------------------------------------------------


@shape
class ExportedTeamSeat:
    """A time that a player was in a team."""

    seat_id: str
    event_team_id: str
    team_key: str
    event_key: str
    event_window_id: str
    contribution: int
    joined_at: Timestamp
    left_at: Timestamp | None
    left_reason: Literal["left", "kicked"] | None

    example: ClassVar = {"event_team_id": "etm_00000000000000000000000001"}


@shape
class ExportedInvite:
    """An invitation that a player has sent or received; of the other player only the service's id."""

    invite_id: str
    direction: Literal["incoming", "outgoing"]
    player_id: ShownPlayerId
    event_key: str
    event_window_id: str
    created_at: Timestamp
    expires_at: Timestamp
