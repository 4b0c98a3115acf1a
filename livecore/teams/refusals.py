"""The refusals of teams and invitations, in the order of the statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import BadRequest, Conflict, Forbidden, Gone, Json, NotFound


class CannotInviteSelf(BadRequest):
    """A player invites themself."""

    code = "cannot_invite_self"
    text = "Nobody can be their own partner."
    remedy = "Invite another player."


class NotTeamFounder(Forbidden):
    """Only the founder of a team removes members."""

    code = "not_team_founder"
    text = "Only the founder of the team may do this."
    remedy = "Ask the founder: the member who has been in the team longest, once the first one has left."


class TeamNotFound(NotFound):
    """There is no such team in this window."""

    code = "team_not_found"
    text = "There is no such team in this window."
    named = "There is no team {} in this window"
    remedy = "List the teams again, or use the key with which the team was formed in this window."


class InviteNotFound(NotFound):
    """There is no such open invitation, or it is not the caller's."""

    code = "invite_not_found"
    text = "There is no such open invitation."
    named = "There is no open invitation {}"
    remedy = (
        "List the invitations again: it may have been answered, cancelled, or ended by another pair, or its sender takes no "
        "more seats in the window."
    )


class TeamLimitReached(Conflict):
    """The player has been in too many teams of this window (`details.limit`)."""

    code = "team_limit_reached"
    text = "The player has been in too many teams of this window."
    remedy = "Stay without a team until the next window."
    example: ClassVar[Mapping[str, Json]] = {"limit": 50}


class WrongFormation(Conflict):
    """The teams of this event are formed in another way (`details.formation`; `null`: it has no teams)."""

    code = "wrong_formation"
    text = "The teams of this event are formed in another way."
    remedy = (
        "Players found, join and leave teams of the formation `open`, invite partners for `partner`, and the studio's "
        "backend writes the rosters for `external`."
    )
    example: ClassVar[Mapping[str, Json]] = {"formation": "external"}


class AlreadyInTeam(Conflict):
    """The player has a seat in this window (`details`: `externalPlayerId`, `eventTeamId`)."""

    code = "already_in_team"
    text = "The player is in a team of this window already."
    remedy = "Leave that team first."
    example: ClassVar[Mapping[str, Json]] = {
        "externalPlayerId": "sample-player-1",
        "eventTeamId": "etm_00000000000000000000000001",
    }


class TeamFull(Conflict):
    """The team has as many members as the event allows (`details.maxMembers`)."""

    code = "team_full"
    text = "The team is full."
    remedy = "Choose another team, or leave out the key to get a free seat."
    example: ClassVar[Mapping[str, Json]] = {"maxMembers": 5}


class NotInTeam(Conflict):
    """The player, or the member who is named, has no seat in the team."""

    code = "not_in_team"
    text = "The player is not in the team."
    remedy = "Read the team again."


class TeamRequired(Conflict):
    """The event is played in teams, and the player is in none (`details.formation`)."""

    code = "team_required"
    text = "This event is played in teams, and the player is in none."
    remedy = (
        "Join a team of this window first, find a partner, or have the studio's backend put the player on a roster."
    )
    example: ClassVar[Mapping[str, Json]] = {"formation": "open"}


class LockedElsewhere(Conflict):
    """Players of the roster sit in another team of the window (`details.externalPlayerIds`)."""

    code = "locked_elsewhere"
    text = "Some of these players are in another team of this window; nothing was changed."
    remedy = "Take the players whom `details.externalPlayerIds` names off the other team's roster first."
    example: ClassVar[Mapping[str, Json]] = {"externalPlayerIds": ["sample-player-1"]}


class InviteExpired(Gone):
    """The invitation was not answered in time."""

    code = "invite_expired"
    text = "This invitation has expired."
    remedy = "Invite the player again."
