"""Teams of events, on all surfaces, and pairs."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Answer, Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.events.refusals import EventNotActive, EventNotFound, EventWindowNotFound
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import SHOWN
from livecore.players.refusals import PlayerNotFound
from livecore.social.refusals import PlayerBlocked, RequestLimitReached
from livecore.teams import membership, moderation, partners, reading, rosters, rows
from livecore.teams.refusals import (
    AlreadyInTeam,
    CannotInviteSelf,
    InviteExpired,
    InviteNotFound,
    LockedElsewhere,
    NotInTeam,
    NotTeamFounder,
    TeamFull,
    TeamLimitReached,
    TeamNotFound,
    WrongFormation,
)

_EVENT: Final = (EventNotFound, EventNotActive, WrongFormation)


def _invite(unit: Unit, args: rows.InvitePartner) -> Answer:
    fresh, answer = partners.invite(unit, args)
    return Answer(201 if fresh else 200, answer)


_TEAMS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "teams.list",
        "/events/{key}/teams",
        rows.ListTeams,
        rows.Teams,
        reading.list_teams,
        *_EVENT,
        summary="List the teams of an event that have a free seat.",
        about="The fullest first, in pages of at most `limit` (1 to 200). Only where players form the teams (`open`).",
    ),
    SDK.read(
        "teams.getOwn",
        "/events/{key}/team",
        rows.GetOwnTeam,
        rows.OwnTeam,
        reading.get_own,
        *_EVENT,
        summary="Read one's own team in the open window.",
        about="`null` without one.",
    ),
    SDK.write(
        "teams.create",
        "POST /events/{key}/team",
        rows.CreateTeam,
        {201: rows.OneTeam},
        membership.create,
        *_EVENT,
        AlreadyInTeam,
        TeamLimitReached,
        summary="Found a team.",
        about="Its `teamKey` is short enough to be told to a friend, who joins with it.",
    ),
    SDK.write(
        "teams.join",
        "POST /events/{key}/team/join",
        rows.JoinTeam,
        {200: rows.OneTeam},
        membership.join,
        *_EVENT,
        TeamNotFound,
        AlreadyInTeam,
        TeamLimitReached,
        TeamFull,
        summary="Join a team.",
        about="Without `team_key` the fullest with a free seat; where there is none, a new team is founded.",
    ),
    SDK.write(
        "teams.leave",
        "POST /events/{key}/team/leave",
        rows.LeaveTeam,
        {200: rows.TeamLeft},
        membership.leave,
        *_EVENT,
        NotInTeam,
        summary="Leave one's team or pair.",
        about=(
            "When the founder leaves, the member who joined first becomes the founder. The event's `onLeave` says whether "
            "the team keeps what the member has contributed."
        ),
    ),
    SDK.write(
        "teams.kick",
        "DELETE /events/{key}/team/members/{memberExternalId}",
        rows.KickFromTeam,
        {200: rows.TeamMemberRemoved},
        membership.kick,
        *_EVENT,
        NotInTeam,
        NotTeamFounder,
        summary="Remove a member from the team that one has founded.",
    ),
)

_PARTNERS: Final[tuple[Operation, ...]] = (
    SDK.write(
        "partners.invite",
        "POST /events/{key}/partner/invites",
        rows.InvitePartner,
        {201: rows.InviteAnswer, 200: rows.InviteAnswer},
        _invite,
        *_EVENT,
        CannotInviteSelf,
        PlayerNotFound,
        AlreadyInTeam,
        PlayerBlocked,
        TeamLimitReached,
        RequestLimitReached,
        summary="Invite a player to form a pair.",
        about=(
            "Asking again while the invitation is open gives the same one (200). Where the other player has invited this "
            "one, both are a pair at once (200, `team`)."
        ),
        examples={
            201: {rows.InviteAnswer: {"invite": SHOWN}},
            200: {rows.InviteAnswer: {"team": SHOWN}},
        },
        links={201: (Link("partners.cancel", "inviteId", "invite/inviteId"),)},
    ),
    SDK.read(
        "partners.listInvites",
        "/events/{key}/partner/invites",
        rows.ListInvites,
        rows.Invites,
        partners.list_invites,
        *_EVENT,
        summary="List one's open invitations.",
        about="In both directions, newest first, at most 200 each; not those that have expired.",
    ),
    SDK.write(
        "partners.accept",
        "POST /events/{key}/partner/invites/{inviteId}/accept",
        rows.AnswerInvite,
        {200: rows.OneTeam},
        partners.accept,
        *_EVENT,
        AlreadyInTeam,
        PlayerBlocked,
        InviteNotFound,
        InviteExpired,
        TeamLimitReached,
        summary="Accept an invitation.",
        about="All other invitations of both players end. Accepting again gives the same pair.",
    ),
    SDK.write(
        "partners.decline",
        "POST /events/{key}/partner/invites/{inviteId}/decline",
        rows.AnswerInvite,
        {200: rows.OneInvite},
        partners.decline,
        *_EVENT,
        InviteNotFound,
        InviteExpired,
        summary="Decline an invitation.",
    ),
    SDK.write(
        "partners.cancel",
        "POST /events/{key}/partner/invites/{inviteId}/cancel",
        rows.AnswerInvite,
        {200: rows.OneInvite},
        partners.cancel,
        *_EVENT,
        InviteNotFound,
        InviteExpired,
        summary="Cancel one's own invitation.",
    ),
)

_ROSTERS: Final[tuple[Operation, ...]] = (
    attrs.evolve(
        SERVER.question(
            "teams.get",
            "/events/{eventKey}/teams/{teamKey}",
            rows.GetTeam,
            rows.OneTeam,
            reading.get_team,
            EventNotFound,
            EventWindowNotFound,
            EventNotActive,
            TeamNotFound,
            summary="Read a team.",
            about="In the open window, or in the one that `window_id` names; once that is closed, with the final rank.",
        ),
    ),
    Operation(
        name="teams.putRoster",
        surface="server",
        method="PUT",
        path="/server/v1/events/{eventKey}/teams/{teamKey}",
        credential="server_key",
        bucket="server_api",
        args=rows.PutRoster,
        answers={200: rows.Roster},
        handler=rosters.put_roster,
        summary="Write the whole roster of a team that the studio forms.",
        about=(
            "For the window that `window_id` names, else the open one, else the next. All of it happens or nothing; who was "
            "on the roster and is not any more has left. At most 10,000 players, who must exist."
        ),
        errors=(*_EVENT, EventWindowNotFound, PlayerNotFound, TeamFull, LockedElsewhere),
        query=("window_id",),
        writes=True,
        keyed=True,
    ),
    Operation(
        name="teams.update",
        surface="server",
        method="PATCH",
        path="/server/v1/events/{eventKey}/teams/{teamKey}",
        credential="server_key",
        bucket="server_api",
        args=rows.UpdateTeam,
        answers={200: rows.OneTeam},
        handler=moderation.update,
        summary="Change a team's name or attributes.",
        about=(
            "In the open window, or in the one that `window_id` names, also when that is closed; what is left out stays. "
            "Of a team that is final the audit trail keeps only which of the two have changed."
        ),
        errors=(EventNotFound, EventWindowNotFound, EventNotActive, TeamNotFound),
        query=("window_id",),
        writes=True,
        keyed=True,
    ),
)

_OPERATED: Final[tuple[Operation, ...]] = (
    member_read(
        "teams.get",
        "/teams/{teamId}",
        rows.OfTeam,
        rows.OneTeam,
        reading.get_team_by_id,
        TeamNotFound,
        permission="team.read",
        summary="Read a team.",
        about="Of any window, by its id; once the window is closed, with the final rank.",
    ),
    member_write(
        "teams.update",
        "PATCH /teams/{teamId}",
        rows.UpdateTeamById,
        {200: rows.OneTeam},
        moderation.update_by_id,
        TeamNotFound,
        permission="guild.moderate",
        target=("team", "teamId"),
        summary="Change a team's name or attributes.",
        about=(
            "Of any window; what is left out stays. Of a team that is final the audit trail keeps only which of the two "
            "have changed."
        ),
    ),
    member_read(
        "teams.listOfWindow",
        "/events/{eventKey}/windows/{windowId}/teams",
        rows.ListTeamsOfWindow,
        rows.TeamSummaries,
        reading.list_of_window,
        EventNotFound,
        EventWindowNotFound,
        permission="team.read",
        summary="List the teams of a window.",
        about=(
            "By their keys, at most `limit` (1 to 200) from `cursor` on, without their members; also of a window that is "
            "still to come. The window's team leaderboard has them by rank."
        ),
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (*_TEAMS, *_PARTNERS, *_ROSTERS, *_OPERATED)
"""Operations of players in teams, of players in pairs, of the studio's backend, and of the studio's members."""
