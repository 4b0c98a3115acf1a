"""Teams and pairs, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from livecore.world import WorldPlayer
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask

# -- samples --------------------------------------------------------------------------------------------------------------

_IDENTITY: Final[JsonObject] = {"name": "Brave Otter", "avatar": "otter-3", "country": "CA"}
_TEAM: Final[JsonObject] = {
    "eventTeamId": "etm_1", "teamKey": "7kq2mz", "name": "The Otters", "formation": "open", "eventKey": "crews",
    "eventWindowId": "win_1", "status": "active", "memberCount": 1, "maxMembers": 3, "score": 60, "goal": 100,
    "completed": False, "finalRank": None, "attributes": {"colour": "red"}, "milestones": ["warm"],
    "members": [
        {
            "seatId": "est_1", "externalPlayerId": "anna", "displayIdentity": _IDENTITY, "contribution": 60, "rank": 1,
            "joinedAt": NOON,
        }
    ],
}  # fmt: skip
_INVITE: Final[JsonObject] = {
    "inviteId": "inv_1", "direction": "outgoing", "player": {"externalPlayerId": "bea", "displayIdentity": _IDENTITY},
    "eventKey": "duo", "eventWindowId": "win_1", "createdAt": NOON, "expiresAt": NOON,
}  # fmt: skip
_ROSTER: Final[JsonObject] = {
    "team": _TEAM,
    "window": {"eventWindowId": "win_1", "startsAt": NOON, "endsAt": NOON, "status": "scheduled"},
}

# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _found(scene: Scene) -> None:
    ask(scene.me, "teams.create", key="crews")


def _found_with_friend(scene: Scene) -> None:
    key = ask(scene.me, "teams.create", key="crews").text("team.teamKey")
    ask(scene.friend, "teams.join", key="crews", team_key=key)


def _invitation(sender: WorldPlayer, receiver: WorldPlayer) -> str:
    reply = ask(sender, "partners.invite", key="duo", external_player_id=receiver.external_id)
    return reply.text("invite.inviteId")


def _incoming(scene: Scene) -> str:
    return _invitation(scene.friend, scene.me)


def _outgoing(scene: Scene) -> str:
    return _invitation(scene.me, scene.world.player("ulla"))


def _rostered(scene: Scene) -> str:
    ask(scene.world.server, "teams.putRoster", event_key="war", team_key="owls", external_player_ids=["friend"])
    return "owls"


# -- operations -----------------------------------------------------------------------------------------------------------

_CREWS: Final = {"key": "crews"}
_DUO: Final = {"key": "duo"}
_ONE: Final = {"key": "duo", "inviteId": "inv_1"}
_WAR: Final = {"eventKey": "war", "teamKey": "owls"}
_EVENT: Final = "event_not_found event_not_active wrong_formation"

_ROUTES: Final = (
    Route(
        "sdk", "teams.list", "GET /events/{key}/teams",
        named=_CREWS,
        asks=f"key {PAGE}",
        answers="teams:team[] nextCursor",
        refusals=_EVENT,
        calls=(
            SdkCall(lambda c: c.teams.list("crews"), {"teams": [_TEAM], "nextCursor": None}, at=_CREWS),
            SdkCall(
                lambda c: c.teams.list("crews", limit=2, cursor="c1"), {"teams": [_TEAM], "nextCursor": "c2"}, at=_CREWS,
                query={"limit": "2", "cursor": "c1"}, note="page",
            ),
        ),
    ),
    Route(
        "sdk", "teams.getOwn", "GET /events/{key}/team",
        named=_CREWS,
        asks="key",
        answers="team:team",
        refusals=_EVENT,
        calls=(
            SdkCall(lambda c: c.teams.get_own("crews"), {"team": _TEAM}, at=_CREWS),
            SdkCall(lambda c: c.teams.get_own("crews"), {"team": None}, at=_CREWS, note="without"),
        ),
    ),
    Route(
        "sdk", "teams.create", "POST /events/{key}/team",
        statuses=(201,),
        named=_CREWS,
        asks=f"key name? {KEY}",
        answers="team:team",
        refusals=f"player_banned {_EVENT} already_in_team team_limit_reached",
        calls=(
            SdkCall(lambda c: c.teams.create("crews"), {"team": _TEAM}, at=_CREWS),
            SdkCall(
                lambda c: c.teams.create("crews", name="The Otters"), {"team": _TEAM}, at=_CREWS,
                body={"name": "The Otters"}, note="with a name",
            ),
        ),
    ),
    Route(
        "sdk", "teams.join", "POST /events/{key}/team/join",
        named=_CREWS,
        asks=f"key teamKey? {KEY}",
        answers="team:team",
        refusals=f"player_banned {_EVENT} team_not_found already_in_team team_limit_reached team_full",
        calls=(
            SdkCall(lambda c: c.teams.join("crews"), {"team": _TEAM}, at=_CREWS),
            SdkCall(
                lambda c: c.teams.join("crews", team_key="7kq2mz"), {"team": _TEAM}, at=_CREWS,
                body={"teamKey": "7kq2mz"}, note="one",
            ),
        ),
    ),
    Route(
        "sdk", "teams.leave", "POST /events/{key}/team/leave",
        named=_CREWS,
        asks=f"key {KEY}",
        answers="left",
        refusals=f"player_banned {_EVENT} not_in_team",
        ready=_found,
        calls=(SdkCall(lambda c: c.teams.leave("crews"), {"left": True}, at=_CREWS),),
    ),
    Route(
        "sdk", "teams.kick", "DELETE /events/{key}/team/members/{memberExternalId}",
        named=_CREWS,
        asks=f"key memberExternalId {KEY}",
        answers="removed",
        refusals=f"player_banned {_EVENT} not_in_team not_team_founder",
        ready=_found_with_friend,
        calls=(
            SdkCall(
                lambda c: c.teams.kick("crews", "bea"), {"removed": True}, at={"key": "crews", "memberExternalId": "bea"}
            ),
        ),
    ),
    Route(
        "sdk", "partners.invite", "POST /events/{key}/partner/invites",
        statuses=(201, 200),
        named=_DUO,
        asks=f"key externalPlayerId {KEY}",
        answers="invite?:invite team?:team",
        refusals=(
            f"player_banned {_EVENT} cannot_invite_self already_in_team player_blocked team_limit_reached "
            "request_limit_reached"
        ),
        body={"externalPlayerId": "friend"},
        calls=(
            SdkCall(
                lambda c: c.partners.invite("duo", "bea"), {"invite": _INVITE}, at=_DUO,
                body={"externalPlayerId": "bea"},
            ),
            SdkCall(
                lambda c: c.partners.invite("duo", "bea"), {"team": _TEAM}, at=_DUO, status=200,
                body={"externalPlayerId": "bea"}, note="mutual",
            ),
        ),
    ),
    Route(
        "sdk", "partners.listInvites", "GET /events/{key}/partner/invites",
        named=_DUO,
        asks="key",
        answers="incoming:invite[] outgoing:invite[]",
        refusals=_EVENT,
        calls=(
            SdkCall(lambda c: c.partners.list_invites("duo"), {"incoming": [], "outgoing": [_INVITE]}, at=_DUO),
        ),
    ),
    Route(
        "sdk", "partners.accept", "POST /events/{key}/partner/invites/{inviteId}/accept",
        named=_DUO,
        asks=f"key inviteId {KEY}",
        answers="team:team",
        refusals=(
            f"player_banned {_EVENT} already_in_team player_blocked invite_not_found invite_expired team_limit_reached"
        ),
        things={"inviteId": Thing(_incoming, "invite_not_found")},
        calls=(SdkCall(lambda c: c.partners.accept("duo", "inv_1"), {"team": _TEAM}, at=_ONE),),
    ),
    Route(
        "sdk", "partners.decline", "POST /events/{key}/partner/invites/{inviteId}/decline",
        named=_DUO,
        asks=f"key inviteId {KEY}",
        answers="invite:invite",
        refusals=f"player_banned {_EVENT} invite_not_found invite_expired",
        things={"inviteId": Thing(_incoming, "invite_not_found")},
        calls=(SdkCall(lambda c: c.partners.decline("duo", "inv_1"), {"invite": _INVITE}, at=_ONE),),
    ),
    Route(
        "sdk", "partners.cancel", "POST /events/{key}/partner/invites/{inviteId}/cancel",
        named=_DUO,
        asks=f"key inviteId {KEY}",
        answers="invite:invite",
        refusals=f"player_banned {_EVENT} invite_not_found invite_expired",
        things={"inviteId": Thing(_outgoing, "invite_not_found")},
        calls=(SdkCall(lambda c: c.partners.cancel("duo", "inv_1"), {"invite": _INVITE}, at=_ONE),),
    ),
    Route(
        "server", "teams.get", "GET /events/{eventKey}/teams/{teamKey}",
        below="",
        named={"eventKey": "war"},
        asks="eventKey teamKey windowId?",
        answers="team:team",
        refusals="event_not_found event_window_not_found event_not_active team_not_found",
        calls=(
            ServerCall(lambda c: c.teams.get("war", "owls"), {"team": _TEAM}, at=_WAR),
            ServerCall(
                lambda c: c.teams.get("war", "owls", window_id="win_1"), {"team": _TEAM}, at=_WAR,
                query={"windowId": "win_1"}, note="of a window",
            ),
        ),
    ),
    Route(
        "server", "teams.putRoster", "PUT /events/{eventKey}/teams/{teamKey}",
        below="",
        named={"eventKey": "war"},
        asks=f"eventKey teamKey windowId? externalPlayerIds name? attributes? {KEY}",
        query="windowId",
        answers="team:team window:rosterWindow",
        refusals=f"{_EVENT} event_window_not_found player_not_found team_full locked_elsewhere",
        body={"externalPlayerIds": ["friend"]},
        calls=(
            ServerCall(
                lambda c: c.teams.put_roster("war", "owls", external_player_ids=("anna",)), _ROSTER, at=_WAR,
                body={"externalPlayerIds": ["anna"]},
            ),
            ServerCall(
                lambda c: c.teams.put_roster(
                    "war", "owls", window_id="win_1", external_player_ids=("anna",), name="The Otters",
                    attributes={"colour": "red"},
                ),
                _ROSTER, at=_WAR, query={"windowId": "win_1"}, note="of a window",
                body={"externalPlayerIds": ["anna"], "name": "The Otters", "attributes": {"colour": "red"}},
            ),
        ),
    ),
    Route(
        "server", "teams.update", "PATCH /events/{eventKey}/teams/{teamKey}",
        below="",
        named={"eventKey": "war"},
        asks=f"eventKey teamKey windowId? name? attributes? {KEY}",
        query="windowId",
        answers="team:team",
        refusals="event_not_found event_window_not_found event_not_active team_not_found",
        calls=(
            ServerCall(
                lambda c: c.teams.update("war", "owls", name="The Otters"), {"team": _TEAM}, at=_WAR,
                body={"name": "The Otters"},
            ),
            ServerCall(
                lambda c: c.teams.update("war", "owls", window_id="win_1", name=None, attributes={"colour": "red"}),
                {"team": _TEAM}, at=_WAR, query={"windowId": "win_1"}, note="of a window",
                body={"name": None, "attributes": {"colour": "red"}},
            ),
        ),
    ),
)  # fmt: skip

_ADMIN: Final = (
    Route(
        "admin", "teams.get", "GET /teams/{teamId}", asks="teamId", answers="team:team", refusals="team_not_found",
        permission="team.read",
    ),
    Route(
        "admin", "teams.update", "PATCH /teams/{teamId}", asks=f"teamId name? attributes? {KEY}", answers="team:team",
        refusals="team_not_found", permission="guild.moderate",
    ),
    Route(
        "admin", "teams.listOfWindow", "GET /events/{eventKey}/windows/{windowId}/teams",
        asks=f"eventKey windowId {PAGE}", answers="teams:teamSummary[] nextCursor",
        refusals="event_not_found event_window_not_found", permission="team.read",
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _team_up(walk: Walk) -> None:
    """Anna founds a team, bert joins it, carl finds it and is kicked; the team passes its milestone and its goal."""
    anna, bert, carl = (walk.player(name) for name in ("anna", "bert", "carl"))
    team = walk.ask(anna, "teams.create", key="crews", name="Night Owls")
    walk.ask(bert, "teams.join", key="crews", team_key=team["team.teamKey"])
    walk.ask(carl, "teams.list", key="crews")
    walk.ask(carl, "teams.join", key="crews")
    walk.ask(anna, "teams.kick", key="crews", member_external_id="carl")
    attempt = ask(anna, "events.start", key="crews").text("attempt.attemptId")
    ask(anna, "events.progress", key="crews", attempt_id=attempt, metrics={"points": 100})
    walk.ask(anna, "teams.getOwn", key="crews")
    walk.ask(carl, "teams.getOwn", key="crews")
    walk.ask(bert, "teams.leave", key="crews")


def _pair_up(walk: Walk) -> None:
    """Anna invites bert, who declines; she cancels the next one, and he accepts the third. Carl and ulla do it at once."""
    anna, bert, carl, ulla = (walk.player(name) for name in ("anna", "bert", "carl", "ulla"))
    for operation, caller in (("partners.decline", bert), ("partners.cancel", anna), ("partners.accept", bert)):
        invited = walk.ask(anna, "partners.invite", key="duo", external_player_id="bert")
        walk.ask(anna, "partners.invite", key="duo", external_player_id="bert")
        walk.ask(bert, "partners.listInvites", key="duo")
        walk.ask(anna, "partners.listInvites", key="duo")
        walk.ask(caller, operation, key="duo", invite_id=invited["invite.inviteId"])
    walk.ask(carl, "partners.invite", key="duo", external_player_id="ulla")
    walk.ask(ulla, "partners.invite", key="duo", external_player_id="carl")


def _roster(walk: Walk) -> None:
    """The studio's backend forms a team, and writes it again with somebody else."""
    for names in (["anna", "bert"], ["anna"]):
        walk.ask(
            walk.server, "teams.putRoster", event_key="war", team_key="owls", external_player_ids=names,
            attributes={"colour": "red"},
        )  # fmt: skip
    walk.ask(walk.server, "teams.get", event_key="war", team_key="owls")
    walk.ask(walk.server, "teams.update", event_key="war", team_key="owls", name="Owls", attributes={})


_WALK: Final = (
    Step("trade", _team_up, {
        "window.opened": 1, "event_team.formed": 1, "event_team.member_joined": 3, "event_team.member_left": 2,
        "event.attempt_started": 1, "event_team.milestone_unlocked": 1, "event_team.goal_completed": 1,
        "grant.created": 4,
    }, then={
        # the teams of three events are final with their windows; there are also those of the other environment. Anna's
        # attempt is told of, and she is paid for the first rank
        "event.progress_updated": 1, "event.expired": 1, "event_team.finalized": 4, "grant.created": 1,
        "leaderboard.finalized": 12, "window.closed": 6, "window.opened": 3,
    }),
    Step("trade", _pair_up, {
        "player.registered": 1, "player.secret_set": 1, "window.opened": 1,
        "partner.invite_sent": 4, "partner.invite_accepted": 2, "event_team.formed": 2,
        "event_team.member_joined": 4,
    }),
    Step("trade", _roster, {
        "window.opened": 1, "event_team.formed": 1, "event_team.member_joined": 2, "event_team.member_left": 1,
    }),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _team_up_marked(life: Life) -> None:
    """The marked player joins a team, is kicked, founds another and leaves it, answers invitations, and is on a roster."""
    marked, friend = life.marked, life.friend
    life.ask(friend, "teams.create", key="crews")
    life.ask(marked, "teams.join", key="crews")
    life.ask(friend, "teams.kick", key="crews", member_external_id=MARK)
    founded = life.ask(marked, "teams.create", key="crews", name=MARK)
    life.ask(life.server, "teams.update", event_key="crews", team_key=founded["team.teamKey"], name=f"{MARK} again")
    if life.operator is not None:
        life.ask(life.operator, "teams.update", team_id=founded["team.eventTeamId"], name=MARK)
    life.ask(marked, "teams.leave", key="crews")
    for operation, sender, receiver in (
        ("partners.cancel", marked, friend),
        ("partners.decline", friend, marked),
        ("partners.accept", friend, marked),
    ):
        invited = life.ask(sender, "partners.invite", key="duo", external_player_id=receiver.external_id)
        life.ask(marked, operation, key="duo", invite_id=invited["invite.inviteId"])
    life.ask(marked, "teams.leave", key="duo")
    life.ask(friend, "partners.invite", key="duo", external_player_id=MARK)
    life.ask(life.server, "teams.putRoster", event_key="war", team_key="owls", external_player_ids=[MARK])


def _team(scene: Scene) -> str:
    """A team of a roster of the studio's backend."""
    put = {"event_key": "war", "team_key": "larks", "external_player_ids": ["third"]}
    return ask(scene.world.server, "teams.putRoster", **put).text("team.eventTeamId")


_SUMMARY: Final = (
    "eventTeamId teamKey name formation eventKey eventWindowId status memberCount maxMembers score goal completed "
    "finalRank attributes milestones"
)

AREA: Final = Area(
    routes=(*_ROUTES, *_ADMIN),
    rows={
        "team": f"{_SUMMARY} members:teamMember[]",
        "teamSummary": _SUMMARY,
        "teamMember": "seatId externalPlayerId displayIdentity:identity contribution rank joinedAt",
        "invite": "inviteId direction player:counterparty eventKey eventWindowId createdAt expiresAt",
        "rosterWindow": "eventWindowId startsAt endsAt status",
        "eventTeams": "formation size:teamSize",
        "teamSize": "min max",
        "exportedTeamSeat": "seatId eventTeamId teamKey eventKey eventWindowId contribution joinedAt leftAt leftReason",
        "exportedInvite": "inviteId direction playerId eventKey eventWindowId createdAt expiresAt",
    },
    refusals={
        400: "cannot_invite_self",
        403: "not_team_founder",
        404: "team_not_found invite_not_found event_window_not_found",
        409: "wrong_formation already_in_team team_limit_reached team_full not_in_team team_required locked_elsewhere",
        410: "invite_expired",
    },
    walk=_WALK,
    marked=(Step("trade", _team_up_marked),),
    names_nobody={
        "sdk:teams.join teamKey": "the service's own name for a team",
        "server:teams.putRoster teamKey": "the studio's own name for a team, which stays when one of its players is erased",
        "server:teams.putRoster attributes": "of a team, which stays when one of its players is erased",
        "server:teams.putRoster name": "of a team, which stays when one of its players is erased",
        "teamKey": "the service's or the studio's own name for a team",
        "server:teams.update attributes": "of a team, which stays when one of its players is erased",
        "admin:teams.update attributes": "of a team, which stays when one of its players is erased",
    },
    things={
        "inviteId": Thing(_incoming),
        "teamKey": Thing(_rostered),
    },
    operated={"teamId": Thing(_team)},
)
