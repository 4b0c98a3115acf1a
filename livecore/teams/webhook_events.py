"""Events about teams within an event, and about invitations to pairs (specification 6.2).

Team rewards are reported as `grant.created` with the source kinds `event_team_rank` and `event_team_milestone`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload


@shape
class _OfTeam(Payload):
    """The team, its event and its window."""

    event_team_id: str
    team_key: str
    event_key: str
    event_window_id: str


@shape
class TeamFormed(_OfTeam):
    """A team was formed in a window; `goalTarget` is its computed goal."""

    kind: ClassVar[str] = "event_team.formed"
    display_name: str | None
    formation: str
    member_count: int
    goal_target: int | None
    attributes: dict[str, object]
    formed_at: Timestamp


@shape
class TeamMemberJoined(_OfTeam):
    """A player took a seat in a team."""

    kind: ClassVar[str] = "event_team.member_joined"
    seat_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    member_count: int
    joined_at: Timestamp


@shape
class TeamMemberLeft(_OfTeam):
    """A player left or was removed from a team; `contributionRemoved` says whether the team lost their contribution."""

    kind: ClassVar[str] = "event_team.member_left"
    seat_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    reason: Literal["left", "kicked"]
    contribution: int
    contribution_removed: bool
    member_count: int
    left_at: Timestamp


@shape
class TeamMilestoneUnlocked(Payload):
    """A team's score crossed a milestone, once; `payState` says whether every seat has already been paid."""

    kind: ClassVar[str] = "event_team.milestone_unlocked"
    event_team_id: str
    team_key: str
    event_key: str
    milestone_key: str
    threshold: int
    team_score: int
    seat_count: int
    paid_seat_count: int
    pay_state: Literal["inline_done", "pending"]


@shape
class TeamGoalCompleted(_OfTeam):
    """A team reached its goal, once."""

    kind: ClassVar[str] = "event_team.goal_completed"
    score: int
    goal_target: int
    member_count: int
    completed_at: Timestamp


@shape
class TeamFinalized(_OfTeam):
    """The window closed and a team's score is final; `segmentValues` is null where there is no team board."""

    kind: ClassVar[str] = "event_team.finalized"
    rank: int | None
    board_size: int | None
    segment_values: dict[str, str] | None
    score: int
    goal_target: int | None
    completed: bool
    member_count: int
    finalized_at: Timestamp


@shape
class _Invite(Payload):
    """An invitation to form a pair, and both players."""

    invite_id: str
    event_key: str
    event_window_id: str
    from_player_id: ShownPlayerId
    from_external_player_id: ShownExternalId
    to_player_id: ShownPlayerId
    to_external_player_id: ShownExternalId


@shape
class PartnerInviteSent(_Invite):
    """A player invited another to form a pair; `eventTeamId` is `null`, because there is no team yet."""

    kind: ClassVar[str] = "partner.invite_sent"
    event_team_id: str | None
    status: Literal["pending"]
    sent_at: Timestamp
    expires_at: Timestamp


@shape
class PartnerInviteAccepted(_Invite):
    """An invitation was accepted; `event_team.formed` follows, if the pair is new."""

    kind: ClassVar[str] = "partner.invite_accepted"
    event_team_id: str
    status: Literal["accepted"]
    goal_target: int | None
    accepted_at: Timestamp
